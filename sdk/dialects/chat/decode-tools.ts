import { asBoolean, asObject, asObjects, asString, type Json, type JsonObject, omit } from '../../json.ts';
import type { CodecContext } from '../dialect.ts';
import type { CustomTool, FunctionTool, Tool, ToolChoice } from '../neutral.ts';
import { present } from '../present.ts';
import { readCacheMark } from './cache-mark.ts';

const functionFields: ReadonlySet<string> = new Set(['name', 'description', 'parameters', 'strict', 'cache_control']);
const toolFields: ReadonlySet<string> = new Set(['type', 'function', 'cache_control']);
const customFields: ReadonlySet<string> = new Set(['name', 'description', 'format']);

/** Reads `tools` and the deprecated `functions`; undefined when the request has neither. */
export function readTools(body: JsonObject, context: CodecContext): readonly Tool[] | undefined {
  if (!Array.isArray(body.tools) && !Array.isArray(body.functions)) return undefined;
  return [
    ...asObjects(body.tools).map((tool) => readTool(tool, context)),
    ...asObjects(body.functions).map((definition) => readFunction({ type: 'function', function: definition })),
  ];
}

function readTool(tool: JsonObject, context: CodecContext): Tool {
  if (asObject(tool.function) !== undefined && (tool.type ?? 'function') === 'function') return readFunction(tool);
  const custom = asObject(tool.custom);
  if (tool.type !== 'custom' || custom === undefined) return { type: 'native', dialect: 'chat', value: tool };
  for (const field in custom) {
    if (!customFields.has(field)) context.dropped(`tools.custom.${field}`);
  }
  return present<CustomTool>({
    type: 'custom',
    name: asString(custom.name) ?? '',
    description: asString(custom.description),
    format: asObject(custom.format),
  });
}

function readFunction(tool: JsonObject): FunctionTool {
  const definition = asObject(tool.function) ?? {};
  const unknown = omit(definition, functionFields);
  const extra = { ...omit(tool, toolFields), ...(Object.keys(unknown).length === 0 ? {} : { function: unknown }) };
  return present<FunctionTool>({
    type: 'function',
    name: asString(definition.name) ?? '',
    description: asString(definition.description),
    parameters: asObject(definition.parameters),
    strict: asBoolean(definition.strict),
    cache: readCacheMark(tool.cache_control) ?? readCacheMark(definition.cache_control),
    extra: Object.keys(extra).length === 0 ? undefined : extra,
  });
}

const choiceWords: Readonly<Record<string, ToolChoice>> = {
  auto: { mode: 'auto' },
  none: { mode: 'none' },
  required: { mode: 'required' },
  any: { mode: 'required' },
};

/** Reads `tool_choice`, or the deprecated `function_call` of a request without it. */
export function readToolChoice(body: JsonObject): ToolChoice | undefined {
  const legacy = asObject(body.function_call);
  const value =
    body.tool_choice ?? (legacy === undefined ? body.function_call : { type: 'function', function: legacy });
  if (value === undefined || value === null) return undefined;
  return wordChoice(value) ?? namedChoice(value) ?? allowedChoice(value) ?? { mode: 'native', dialect: 'chat', value };
}

function wordChoice(value: Json): ToolChoice | undefined {
  return typeof value === 'string' && Object.hasOwn(choiceWords, value) ? choiceWords[value] : undefined;
}

function namedChoice(value: Json): ToolChoice | undefined {
  const choice = asObject(value);
  const custom = choice?.type === 'custom';
  const name = asString(asObject(custom ? choice?.custom : choice?.function)?.name);
  if (name === undefined) return undefined;
  return custom ? { mode: 'tool', name, custom } : { mode: 'tool', name };
}

function allowedChoice(value: Json): ToolChoice | undefined {
  const allowed = asObject(asObject(value)?.allowed_tools);
  if (allowed === undefined) return undefined;
  const tools = asObjects(allowed.tools);
  const names = tools.flatMap((tool) => {
    const named = asObject(tool.function) ?? asObject(tool.custom);
    return asString(named?.name) ?? [];
  });
  return names.length === tools.length ? { mode: 'allowed', require: allowed.mode === 'required', names } : undefined;
}
