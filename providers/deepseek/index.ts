import { asObjects, asString, type JsonObject, omit, provider, schema, secret } from 'portcullis/sdk';

/**
 * Source: https://api-docs.deepseek.com/api/create-chat-completion and /guides/thinking_mode.
 * No `finishReasons`: chat replies must stay as they came, because a client that calls tools has to send their
 * `reasoning_content` back (400 without it). For clients of other formats an unknown finish reason is a stop anyway.
 */
export default provider({
  settings: schema.Object({ apiKey: secret({ env: 'DEEPSEEK_API_KEY' }) }),
  base: 'https://api.deepseek.com/v1',
  auth: { kind: 'bearer', from: 'apiKey' },
  endpoints: {
    chatComplete: {
      path: '/chat/completions',
      dialect: 'chat',
      params: { rename: { max_completion_tokens: 'max_tokens' } },
      request: withReasoning,
    },
    listModels: { method: 'GET', path: '/models' },
    proxy: { path: '' },
  },
});

const blocks: ReadonlySet<string> = new Set(['content_blocks']);

/** The model must get its own thinking back between tool calls, under the name that it gave it. */
function withReasoning(body: JsonObject): JsonObject {
  const messages = asObjects(body.messages);
  if (!messages.some((message) => message.content_blocks !== undefined)) return body;
  return { ...body, messages: messages.map(replayed) };
}

function replayed(message: JsonObject): JsonObject {
  if (message.content_blocks === undefined) return message;
  const thinking = asObjects(message.content_blocks).flatMap((block) => asString(block.thinking) ?? []);
  const reasoning = message.reasoning_content ?? (thinking.length === 0 ? undefined : thinking.join('\n'));
  return { ...omit(message, blocks), ...(reasoning === undefined ? {} : { reasoning_content: reasoning }) };
}
