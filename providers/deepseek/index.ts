import { asObjects, asString, type JsonObject, omit, provider, schema, secret } from 'portcullis/sdk';

/**
 * Source: https://api-docs.deepseek.com/api/create-chat-completion and /guides/thinking_mode.
 * Between tool calls the model must get its own thinking back as `reasoning_content`: without it, it answers 400.
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
      finishReasons: { insufficient_system_resource: 'stop' },
      reasoningField: 'reasoning_content',
      request: withReasoning,
    },
    listModels: { method: 'GET', path: '/models' },
    proxy: { path: '' },
  },
});

const blocks: ReadonlySet<string> = new Set(['content_blocks']);

/** Chat clients may hold thinking, also that of another provider, in the blocks of this gateway's replies alone. */
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
