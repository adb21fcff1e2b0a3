import { asNumber, asObject, asObjects, asString, type JsonObject } from 'portcullis/sdk';
import { bearerOf, firstOf, invalid, type Refusal, type Refuse, unauthorized, unknownField } from './refusal.ts';

const known = new Set([
  ...['model', 'messages', 'max_tokens', 'cache_control', 'container', 'context_management', 'inference_geo'],
  ...['mcp_servers', 'metadata', 'output_config', 'service_tier', 'speed', 'stop_sequences', 'stream', 'system'],
  ...['temperature', 'thinking', 'tool_choice', 'tools', 'top_k', 'top_p'],
]);

/** Block types by the role that may send them. */
const blocks: Readonly<Record<string, ReadonlySet<string>>> = {
  user: new Set(['text', 'image', 'document', 'tool_result', 'search_result']),
  assistant: new Set([
    'text',
    'thinking',
    'redacted_thinking',
    'tool_use',
    'server_tool_use',
    'web_search_tool_result',
  ]),
};

/** What the messages endpoint refuses; counting tokens takes the same without a limit. */
export function refuseMessages(counting: boolean): Refuse {
  return (body, headers) =>
    firstOf(
      () =>
        headers['x-api-key'] === undefined && bearerOf(headers) === undefined
          ? unauthorized('x-api-key header is required')
          : undefined,
      () => (headers['anthropic-version'] === undefined ? invalid('anthropic-version: header is required') : undefined),
      () => {
        const field = unknownField(body, known);
        return field === undefined ? undefined : invalid(`${field}: Extra inputs are not permitted`);
      },
      () => (asString(body.model) ? undefined : invalid('model: Field required')),
      () => (counting || (asNumber(body.max_tokens) ?? 0) >= 1 ? undefined : invalid('max_tokens: Field required')),
      () => refuseSampling(body),
      () => refuseTools(body),
      () => refuseTurns(asObjects(body.messages)),
    );
}

function refuseSampling(body: JsonObject): Refusal | undefined {
  const temperature = asNumber(body.temperature);
  if (temperature !== undefined && (temperature < 0 || temperature > 1)) return invalid('temperature: range: 0..1');
  const thinking = asObject(body.thinking);
  if (thinking?.type !== 'enabled') return undefined;
  const budget = asNumber(thinking.budget_tokens) ?? 0;
  if (budget < 1024) return invalid('thinking.enabled.budget_tokens: Input should be greater than or equal to 1024');
  if (budget >= (asNumber(body.max_tokens) ?? 0))
    return invalid('`max_tokens` must be greater than `thinking.budget_tokens`.');
  return temperature === undefined || temperature === 1
    ? undefined
    : invalid('`temperature` may only be set to 1 when thinking is enabled.');
}

function refuseTools(body: JsonObject): Refusal | undefined {
  const bad = asObjects(body.tools).findIndex(
    (tool) =>
      !/^[a-zA-Z0-9_-]{1,128}$/.test(asString(tool.name) ?? '') ||
      (tool.type === undefined && asObject(tool.input_schema)?.type !== 'object'),
  );
  if (bad !== -1) return invalid(`tools.${bad}: Invalid tool`);
  const choice = asString(asObject(body.tool_choice)?.type);
  return body.tool_choice === undefined || ['auto', 'any', 'tool', 'none'].includes(choice ?? '')
    ? undefined
    : invalid('tool_choice: Invalid');
}

function refuseTurns(messages: readonly JsonObject[]): Refusal | undefined {
  if (messages.length === 0) return invalid('messages: at least one message is required');
  if (messages[0]?.role !== 'user') return invalid('messages: first message must use the "user" role');
  let open: readonly string[] = [];
  for (const [index, message] of messages.entries()) {
    const role = asString(message.role) ?? '';
    const allowed = blocks[role];
    if (allowed === undefined) return invalid(`messages.${index}.role: Input should be 'user' or 'assistant'`);
    const content =
      typeof message.content === 'string' ? [{ type: 'text', text: message.content }] : asObjects(message.content);
    if (content.length === 0) return invalid(`messages.${index}: all messages must have non-empty content`);
    const refusal = refuseBlocks(content, allowed, index);
    if (refusal !== undefined) return refusal;
    const results = content
      .filter((block) => block.type === 'tool_result')
      .map((block) => asString(block.tool_use_id) ?? '');
    const missing = open.find((id) => !results.includes(id));
    if (missing !== undefined) {
      return invalid(
        `messages.${index}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${missing}`,
      );
    }
    const strange = results.find((id) => !open.includes(id));
    if (strange !== undefined)
      return invalid(`messages.${index}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${strange}`);
    open = content.filter((block) => block.type === 'tool_use').map((block) => asString(block.id) ?? '');
  }
  return open.length === 0 ? undefined : invalid('messages: `tool_use` ids were found without `tool_result` blocks');
}

function refuseBlocks(
  content: readonly JsonObject[],
  allowed: ReadonlySet<string>,
  index: number,
): Refusal | undefined {
  for (const [position, block] of content.entries()) {
    const at = `messages.${index}.content.${position}`;
    if (!allowed.has(asString(block.type) ?? '')) return invalid(`${at}: Input tag '${block.type}' is not expected`);
    if (block.type === 'text' && (asString(block.text) ?? '').trim() === '')
      return invalid(`${at}: text content blocks must be non-empty`);
    if (block.type === 'thinking' && !asString(block.signature))
      return invalid(`${at}.thinking.signature: Field required`);
    if (
      block.type === 'tool_use' &&
      (asObject(block.input) === undefined || !/^[a-zA-Z0-9_-]+$/.test(asString(block.id) ?? ''))
    ) {
      return invalid(`${at}.tool_use: Invalid block`);
    }
  }
  return undefined;
}
