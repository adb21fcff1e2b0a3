import {
  asArray,
  asObject,
  asString,
  type Call,
  type Json,
  type JsonObject,
  type Tool,
  type ToolCallPart,
} from 'portcullis/sdk';
import type { Behaviour } from './model-name.ts';

type CallableTool = Exclude<Tool, { readonly type: 'native' }>;

/** The calls of an answer: when the client demands one, or the model name asks for some and no result has come back yet. */
export function toolCallsFor(
  call: Call,
  behaviour: Behaviour,
  text: string,
  newId: (prefix: string) => string,
): readonly ToolCallPart[] {
  const tools = demandedTools(call);
  const answered = call.messages.at(-1)?.parts.some((part) => part.type === 'tool-result') ?? false;
  const wanted = answered || call.toolChoice?.mode === 'none' ? 0 : (behaviour.tools ?? 0);
  const count = tools.length === 0 ? 0 : Math.max(wanted, isDemanded(call) ? 1 : 0);
  return Array.from({ length: count }, (_, index) => tools[index % tools.length])
    .filter((tool) => tool !== undefined)
    .map((tool) => ({
      type: 'tool-call',
      id: newId('call_'),
      name: tool.name,
      arguments: tool.type === 'custom' ? text : JSON.stringify(argumentsFor(tool.parameters ?? {}, text)),
      ...(tool.type === 'custom' ? { custom: true } : {}),
    }));
}

function isDemanded({ toolChoice }: Call): boolean {
  return (
    toolChoice?.mode === 'required' ||
    toolChoice?.mode === 'tool' ||
    (toolChoice?.mode === 'allowed' && toolChoice.require)
  );
}

function demandedTools({ tools, toolChoice }: Call): readonly CallableTool[] {
  const callable = (tools ?? []).filter((tool) => tool.type !== 'native');
  if (toolChoice?.mode === 'tool') return callable.filter((tool) => tool.name === toolChoice.name);
  if (toolChoice?.mode === 'allowed') return callable.filter((tool) => toolChoice.names.includes(tool.name));
  return callable;
}

const values: Readonly<Record<string, Json>> = {
  number: 0,
  integer: 0,
  boolean: false,
  array: [],
  object: {},
  null: null,
};

/** An object that fits a plain schema: the text in every required string, or in the first string when none is required. */
function argumentsFor(schema: JsonObject, text: string): JsonObject {
  const properties = asObject(schema.properties) ?? {};
  const names = Object.keys(properties);
  if (names.length === 0) return schema.additionalProperties === false ? {} : { echo: text };
  const required = asArray(schema.required).filter((name) => typeof name === 'string');
  const firstText = names.find((name) => asObject(properties[name])?.type === 'string');
  const filled = required.length > 0 || firstText === undefined ? required : [firstText];
  return Object.fromEntries(filled.map((name) => [name, valueFor(asObject(properties[name]) ?? {}, text)]));
}

function valueFor(schema: JsonObject, text: string): Json {
  if (schema.const !== undefined) return schema.const;
  const [first] = asArray(schema.enum);
  if (first !== undefined) return first;
  const type = asString(schema.type) ?? asString(asArray(schema.type)[0]) ?? 'string';
  if (type === 'object' && schema.properties !== undefined) return argumentsFor(schema, text);
  const value = values[type];
  return value === undefined ? text : value;
}
