import { asObject, type JsonObject, provider, schema, secret } from 'portcullis/sdk';

/** Source: https://docs.matterai.so/api-reference/endpoint/completions and https://docs.matterai.so/api-reference/endpoint/models. */
export default provider({
  settings: schema.Object({ apiKey: secret({ env: 'MATTERAI_API_KEY' }) }),
  base: 'https://api.matterai.so/v1',
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

/** The effort is a field of the object `reasoning` here. */
function withReasoning(body: JsonObject): JsonObject {
  const { reasoning_effort: effort, ...rest } = body;
  if (typeof effort !== 'string') return body;
  return { ...rest, reasoning: { effort, ...asObject(body.reasoning) } };
}
