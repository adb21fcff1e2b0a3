import { asObject, asObjects, asString, compact, type Json, type JsonObject } from 'portcullis/sdk';
import { camelKeys, plainFields, sharedNames, stopOf, streamOptionsOf, textOf, upper } from './fields.ts';

const names = new Map([
  ...sharedNames,
  ['max_completion_tokens', 'maxTokens'],
  ['strict_tools', 'isStrictToolsEnabled'],
]);
const roles: ReadonlyMap<string, string> = new Map([['developer', 'SYSTEM']]);

/** A chat request of the format COHEREV2, which has roles, typed content and ids of tool calls. */
export function cohereV2Request(body: JsonObject): JsonObject {
  const { name: only } = asObject(asObject(body.tool_choice)?.function) ?? {};
  const tools = asObjects(body.tools).filter((tool) => only === undefined || asObject(tool.function)?.name === only);
  const forced = body.tool_choice === 'required' || only !== undefined;
  const format = asObject(body.response_format);
  return compact({
    apiFormat: 'COHEREV2',
    ...plainFields(body, names),
    messages: asObjects(body.messages).map(messageOf),
    tools: tools.length === 0 ? undefined : tools.map(toolOf),
    toolsChoice: forced ? 'REQUIRED' : body.tool_choice === 'none' ? 'NONE' : undefined,
    responseFormat: format === undefined ? undefined : formatOf(format),
    stopSequences: stopOf(body.stop),
    streamOptions: streamOptionsOf(body),
    isLogProbsEnabled: typeof body.logprobs === 'boolean' ? body.logprobs : undefined,
    thinking: thinkingOf(body),
  });
}

function messageOf(message: JsonObject): JsonObject {
  const role = asString(message.role) ?? 'user';
  const calls = asObjects(message.tool_calls);
  // Content is required of every message, and may not be empty.
  const silent = role === 'assistant' && textOf(message.content) === '';
  return compact({
    role: roles.get(role) ?? role.toUpperCase(),
    content: silent ? [{ type: 'TEXT', text: ' ' }] : contentOf(message.content),
    toolCalls: calls.length === 0 ? undefined : calls.map((call) => ({ ...call, type: 'FUNCTION' })),
    toolCallId: asString(message.tool_call_id),
  });
}

function contentOf(content: Json | undefined): Json {
  if (!Array.isArray(content)) return [{ type: 'TEXT', text: asString(content) ?? '' }];
  return asObjects(content).map((part) => {
    const image = asObject(part.image_url);
    if (image === undefined) return { ...asObject(camelKeys(part)), type: upper(part.type) ?? 'TEXT' };
    return { type: 'IMAGE_URL', imageUrl: compact({ url: asString(image.url), detail: upper(image.detail) }) };
  });
}

function toolOf(tool: JsonObject): JsonObject {
  const { name, description, parameters } = asObject(tool.function) ?? {};
  return {
    type: 'FUNCTION',
    function: compact({ name, description, parameters: parameters ?? { type: 'object', properties: {} } }),
  };
}

function formatOf(format: JsonObject): JsonObject {
  if (format.type === 'text') return { type: 'TEXT' };
  return compact({ type: 'JSON_OBJECT', schema: asObject(format.json_schema)?.schema });
}

function thinkingOf(body: JsonObject): Json | undefined {
  if (typeof body.reasoning_effort !== 'string') return undefined;
  return { type: body.reasoning_effort === 'none' ? 'DISABLED' : 'ENABLED' };
}
