import { asArray, type JsonObject, provider, schema, secret } from 'portcullis/sdk';

/** Source: https://docs.nomic.ai/reference/endpoints/nomic-embed-text and https://docs.nomic.ai/reference/getting-started. */
export default provider({
  settings: schema.Object({ apiKey: secret({ env: 'NOMIC_API_KEY' }) }),
  base: 'https://api-atlas.nomic.ai/v1',
  auth: { kind: 'bearer', from: 'apiKey' },
  endpoints: {
    embed: {
      path: '/embedding/text',
      dialect: 'embeddings',
      params: { rename: { input: 'texts', dimensions: 'dimensionality' }, drop: ['encoding_format', 'user'] },
      request: listed,
      repair: numbered,
    },
    proxy: { path: '' },
  },
});

/** A single text is a list too. */
function listed(body: JsonObject): JsonObject {
  return typeof body.texts === 'string' ? { ...body, texts: [body.texts] } : body;
}

/** The reply has bare vectors, in the order of the texts. */
function numbered(json: JsonObject): JsonObject {
  const { embeddings, ...rest } = json;
  if (!Array.isArray(embeddings)) return json;
  return {
    ...rest,
    data: asArray(embeddings).map((embedding, index) => ({ object: 'embedding', index, embedding })),
  };
}
