import { type CallFacts, provider, schema, secret } from 'portcullis/sdk';

/** https://ai.google.dev/api */
export default provider({
  settings: schema.Object({ apiKey: secret({ env: 'GEMINI_API_KEY' }) }),
  base: 'https://generativelanguage.googleapis.com/v1beta',
  // Never `?key=`: URLs end up in logs.
  auth: { kind: 'header', name: 'x-goog-api-key', from: 'apiKey' },
  endpoints: {
    chatComplete: {
      path: ofModel('generateContent'),
      streamPath: ofModel('streamGenerateContent?alt=sse'),
      dialect: 'gemini',
    },
    messagesCountTokens: { path: ofModel('countTokens'), dialect: 'gemini' },
    embed: { path: ofModel('batchEmbedContents'), dialect: 'gemini-embeddings' },
    // The longest page: without a size only the first 50 models come.
    listModels: { method: 'GET', path: '/models?pageSize=1000' },
    proxy: { path: '' },
  },
});

/** Models may be named with their collection: `models/gemini-2.5-flash`, `tunedModels/my-model`. */
function ofModel(method: string) {
  return ({ model }: CallFacts) => {
    const [, collection = 'models', name = model] = /^(models|tunedModels)\/(.+)$/.exec(model) ?? [];
    return `/${collection}/${encodeURIComponent(name.toWellFormed())}:${method}`;
  };
}
