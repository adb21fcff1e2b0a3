import { GatewayError } from '../../errors.ts';
import { asArray, asBoolean, asNumber, asObject, asObjects, asString, type JsonObject, omit } from '../../json.ts';
import type { CodecContext } from '../dialect.ts';
import { lookup } from '../lookup.ts';
import type { Call, Message, Part, Reasoning, Role } from '../neutral.ts';
import { cacheOf } from './cache.ts';
import { decodeBlock, decodeContent } from './decode-blocks.ts';
import { decodeTool, decodeToolChoice } from './tools.ts';

const callFields: ReadonlySet<string> = new Set([
  'model',
  'messages',
  'system',
  'max_tokens',
  'temperature',
  'top_p',
  'top_k',
  'stop_sequences',
  'stream',
  'tools',
  'tool_choice',
  'thinking',
  'output_config',
  'metadata',
  'service_tier',
  'cache_control',
]);
const messageFields: ReadonlySet<string> = new Set(['role', 'content']);
const roles: ReadonlySet<unknown> = new Set<Role>(['user', 'assistant', 'system']);

/** Strings that a block cannot do without. */
const required: Readonly<Record<string, readonly string[]>> = {
  text: ['text'],
  tool_use: ['id', 'name'],
  tool_result: ['tool_use_id'],
  thinking: ['thinking'],
  redacted_thinking: ['data'],
};

/**
 * Reads a Messages API request. A user turn that mixes tool results with other blocks becomes `tool` and `user` messages
 * in the same order; `system` becomes one system message in front.
 * @throws GatewayError `bad_request` naming the message or block that cannot be read
 */
export function decodeCall(body: JsonObject, context: CodecContext): Call {
  const thinking = decodeThinking(body.thinking);
  const output = asObject(body.output_config) ?? {};
  const format = asObject(output.format);
  const schema = format?.type === 'json_schema' ? asObject(format.schema) : undefined;
  const effort = asString(output.effort);
  const reasoning = { ...thinking, ...(effort === undefined ? {} : { effort }) };
  const user = asString(asObject(body.metadata)?.user_id);
  const choice = asObject(body.tool_choice);
  const tools = asObjects(body.tools).map(decodeTool);
  return {
    model: asString(body.model) ?? '',
    messages: [...decodeSystem(body.system, context), ...decodeMessages(body.messages, context)],
    ...(tools.length === 0 ? {} : { tools }),
    ...(choice === undefined ? {} : decodeToolChoice(choice)),
    // The format has no name for the schema, others demand one.
    ...(schema === undefined ? {} : { responseFormat: { type: 'json_schema', name: 'response', schema } }),
    ...(Object.keys(reasoning).length === 0 ? {} : { reasoning }),
    ...decodeScalars(body),
    ...(user === undefined ? {} : { user }),
    ...cacheOf(body),
    includeUsage: true,
    dialect: 'messages',
    extra: extraOf(body, thinking === undefined, schema === undefined),
  };
}

function decodeScalars(body: JsonObject): Partial<Call> {
  const maxTokens = asNumber(body.max_tokens);
  const temperature = asNumber(body.temperature);
  const topP = asNumber(body.top_p);
  const topK = asNumber(body.top_k);
  const stop = asArray(body.stop_sequences).filter((item) => typeof item === 'string');
  const serviceTier = asString(body.service_tier);
  const stream = asBoolean(body.stream);
  return {
    ...(maxTokens === undefined ? {} : { maxTokens }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(topP === undefined ? {} : { topP }),
    ...(topK === undefined ? {} : { topK }),
    ...(stop.length === 0 ? {} : { stop }),
    ...(serviceTier === undefined ? {} : { serviceTier }),
    ...(stream === undefined ? {} : { stream }),
  };
}

// Undefined for a mode that the neutral form has no name for: it stays in `extra`.
function decodeThinking(value: unknown): Reasoning | undefined {
  const thinking = asObject(value);
  const display = asString(thinking?.display);
  const summary = display === undefined ? {} : { summary: display };
  const budget = asNumber(thinking?.budget_tokens);
  switch (thinking?.type) {
    case 'enabled':
      return { enabled: true, ...(budget === undefined ? {} : { budgetTokens: budget }), ...summary };
    case 'disabled':
      return { enabled: false };
    case 'adaptive':
      return { adaptive: true, ...summary };
    default:
      return undefined;
  }
}

function extraOf(body: JsonObject, thinkingUnread: boolean, formatUnread: boolean): JsonObject {
  const rest: { [key: string]: JsonObject } = {};
  const outputRead = formatUnread ? ['effort'] : ['effort', 'format'];
  const output = withoutNulls(omit(asObject(body.output_config) ?? {}, new Set(outputRead)));
  const metadata = withoutNulls(omit(asObject(body.metadata) ?? {}, new Set(['user_id'])));
  const thinking = asObject(body.thinking);
  if (Object.keys(output).length > 0) rest.output_config = output;
  if (Object.keys(metadata).length > 0) rest.metadata = metadata;
  if (thinking !== undefined && thinkingUnread) rest.thinking = thinking;
  return { ...omit(body, callFields), ...rest };
}

function withoutNulls(object: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== null));
}

function decodeSystem(system: unknown, context: CodecContext): readonly Message[] {
  const parts = decodeContent(system, context).filter((part) => part.type !== 'text' || part.text !== '');
  return parts.length === 0 ? [] : [{ role: 'system', parts }];
}

function decodeMessages(value: unknown, context: CodecContext): readonly Message[] {
  return asArray(value).flatMap((item, at) => {
    const path = `messages[${at}]`;
    const message = asObject(item);
    if (message === undefined) throw refusal(`${path} must be an object with role and content.`, path);
    if (!roles.has(message.role)) throw refusal('The role must be user, assistant or system.', `${path}.role`);
    const extra = omit(message, messageFields);
    return split(message.role as Role, blocksOf(message.content, `${path}.content`), context).map((turn) =>
      Object.keys(extra).length === 0 ? turn : { ...turn, extra },
    );
  });
}

function blocksOf(content: unknown, path: string): readonly JsonObject[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  if (!Array.isArray(content)) throw refusal('The content must be a string or a list of blocks.', path);
  return content.map((item, at) => {
    const block = asObject(item);
    const type = asString(block?.type);
    if (block === undefined || type === undefined)
      throw refusal('A block must be an object with a type.', `${path}[${at}]`);
    const missing = lookup(required, type)?.find((field) => asString(block[field]) === undefined);
    if (missing !== undefined)
      throw refusal(`A ${type} block needs the string ${missing}.`, `${path}[${at}].${missing}`);
    return block;
  });
}

function split(role: Role, blocks: readonly JsonObject[], context: CodecContext): readonly Message[] {
  const turns: { role: Role; parts: Part[] }[] = [];
  for (const block of blocks) {
    const part = decodeBlock(block, context);
    const speaker = part.type === 'tool-result' ? 'tool' : role;
    const last = turns.at(-1);
    if (last?.role === speaker) last.parts.push(part);
    else turns.push({ role: speaker, parts: [part] });
  }
  return turns.length === 0 ? [{ role, parts: [] }] : turns;
}

function refusal(message: string, param: string): GatewayError {
  return new GatewayError('bad_request', message, { param });
}
