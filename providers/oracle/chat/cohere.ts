import {
  asObject,
  asObjects,
  asString,
  compact,
  GatewayError,
  type Json,
  type JsonObject,
  parseJson,
} from 'portcullis/sdk';
import { plainFields, sharedNames, stopOf, streamOptionsOf, textOf } from './fields.ts';

const names = new Map([...sharedNames, ['max_completion_tokens', 'maxTokens']]);

/** Type names of this format by those of JSON Schema. */
const types: ReadonlyMap<string, string> = new Map([
  ['string', 'str'],
  ['number', 'float'],
  ['integer', 'int'],
  ['boolean', 'bool'],
  ['array', 'List'],
  ['object', 'Dict'],
]);

/**
 * A chat request of the format COHERE: one message, what was said before it, and the results of the tools that were called
 * last. Its calls have no ids, so results are matched by those of the conversation.
 * @throws GatewayError `translation_unsupported` for content other than text, and for a tool that must be called
 */
export function cohereRequest(body: JsonObject): JsonObject {
  const messages = asObjects(body.messages);
  const system = messages.filter(({ role }) => role === 'system' || role === 'developer');
  const turns = messages.filter((message) => !system.includes(message));
  refuse(body, turns);
  const answeredFrom = turns.findLastIndex(({ role }) => role !== 'tool') + 1;
  const results = turns.slice(answeredFrom);
  const before = results.length > 0 ? turns.slice(0, answeredFrom) : turns.slice(0, -1);
  const calls = callsById(turns);
  const preamble = system.map(({ content }) => textOf(content)).join('\n');
  const tools = body.tool_choice === 'none' ? [] : asObjects(body.tools);
  return compact({
    apiFormat: 'COHERE',
    ...plainFields(body, names),
    message: results.length > 0 ? '' : textOf(turns.at(-1)?.content),
    chatHistory: before.length === 0 ? undefined : before.map((message) => historyOf(message, calls)),
    preambleOverride: preamble === '' ? undefined : preamble,
    tools: tools.length === 0 ? undefined : tools.map(toolOf),
    toolResults: results.length === 0 ? undefined : results.map((result) => resultOf(result, calls)),
    responseFormat: formatOf(asObject(body.response_format)),
    stopSequences: stopOf(body.stop),
    streamOptions: streamOptionsOf(body),
  });
}

function refuse({ tool_choice: choice }: JsonObject, turns: readonly JsonObject[]): void {
  const unsupported = (text: string, param: string) => new GatewayError('translation_unsupported', text, { param });
  if (choice === 'required' || asObject(choice) !== undefined) {
    throw unsupported('This model cannot be made to call a tool.', 'tool_choice');
  }
  const isText = ({ content }: JsonObject) => asObjects(content).every(({ text }) => typeof text === 'string');
  if (!turns.every(isText)) throw unsupported('This model reads text only.', 'messages');
}

function callsById(turns: readonly JsonObject[]): ReadonlyMap<string, JsonObject> {
  return new Map(
    turns.flatMap(({ tool_calls: calls }) =>
      asObjects(calls).map((call): [string, JsonObject] => [asString(call.id) ?? '', callOf(call)]),
    ),
  );
}

function callOf(call: JsonObject): JsonObject {
  const called = asObject(call.function);
  return {
    name: asString(called?.name) ?? '',
    parameters: asObject(parseJson(asString(called?.arguments) ?? '')) ?? {},
  };
}

function historyOf(message: JsonObject, calls: ReadonlyMap<string, JsonObject>): JsonObject {
  const text = textOf(message.content);
  if (message.role === 'tool') return { role: 'TOOL', toolResults: [resultOf(message, calls)] };
  if (message.role !== 'assistant') return { role: 'USER', message: text };
  const called = asObjects(message.tool_calls).map(callOf);
  // An empty message is refused.
  return compact({ role: 'CHATBOT', message: text || ' ', toolCalls: called.length === 0 ? undefined : called });
}

function resultOf(message: JsonObject, calls: ReadonlyMap<string, JsonObject>): JsonObject {
  const id = asString(message.tool_call_id) ?? '';
  const call = calls.get(id);
  if (call === undefined) {
    const text =
      'The tool result answers no tool call: an earlier assistant message must hold a tool call with this id.';
    throw new GatewayError('bad_request', text, { param: 'messages.tool_call_id' });
  }
  const output = textOf(message.content);
  return { call, outputs: [asObject(parseJson(output)) ?? { output }] };
}

function toolOf(tool: JsonObject): JsonObject {
  const { name, description, parameters } = asObject(tool.function) ?? {};
  const schema = asObject(parameters);
  const required = new Set(Array.isArray(schema?.required) ? schema.required : []);
  const definitions = Object.entries(asObject(schema?.properties) ?? {}).map(([key, value]): [string, Json] => {
    const property = asObject(value) ?? {};
    const type = asString(property.type) ?? 'string';
    const told = compact({ type: types.get(type) ?? type, description: property.description });
    return [key, { ...told, isRequired: required.has(key) }];
  });
  return {
    name: asString(name) ?? '',
    description: asString(description) ?? '',
    parameterDefinitions: Object.fromEntries(definitions),
  };
}

function formatOf(format: JsonObject | undefined): JsonObject | undefined {
  if (format === undefined) return undefined;
  if (format.type === 'text') return { type: 'TEXT' };
  return compact({ type: 'JSON_OBJECT', schema: asObject(format.json_schema)?.schema });
}
