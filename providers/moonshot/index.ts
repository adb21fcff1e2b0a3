import { asObjects, asString, type JsonObject, omit, provider, schema, secret } from 'portcullis/sdk';

/**
 * Source: https://platform.kimi.ai/docs/api/chat and /docs/guide/use-kimi-k2-thinking-model.
 * Keys of the Chinese platform work at `https://api.moonshot.cn/v1` alone: set `custom_host` for them.
 * Between tool calls the model must get its own thinking back as `reasoning_content`: without it, it answers 400.
 */
export default provider({
  settings: schema.Object({ apiKey: secret({ env: 'MOONSHOT_API_KEY' }) }),
  base: 'https://api.moonshot.ai/v1',
  auth: { kind: 'bearer', from: 'apiKey' },
  endpoints: {
    chatComplete: {
      path: '/chat/completions',
      dialect: 'chat',
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
