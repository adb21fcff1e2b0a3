import { asObjects, type JsonObject, provider, schema, secret } from 'portcullis/sdk';

/**
 * Source: https://github.com/huggingface/huggingface.js/blob/main/packages/inference/src/providers/nextbit.ts and
 * https://www.nextbit256.com/docs/api-reference/models.
 */
export default provider({
  settings: schema.Object({ apiKey: secret({ env: 'NEXTBIT_API_KEY' }) }),
  base: 'https://api.nextbit256.com/v1',
  auth: { kind: 'bearer', from: 'apiKey' },
  endpoints: {
    chatComplete: {
      path: '/chat/completions',
      dialect: 'chat',
      reasoningField: 'reasoning_content',
      request: withoutDevelopers,
    },
    listModels: { method: 'GET', path: '/models' },
    proxy: { path: '' },
  },
});

/** The role `developer` is answered with 400. */
function withoutDevelopers(body: JsonObject): JsonObject {
  const messages = asObjects(body.messages);
  if (!messages.some(({ role }) => role === 'developer')) return body;
  return {
    ...body,
    messages: messages.map((message) => (message.role === 'developer' ? { ...message, role: 'system' } : message)),
  };
}
