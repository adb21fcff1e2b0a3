import { provider, schema, secret } from 'portcullis/sdk';

/**
 * The vendor's pages were not to be had; source: https://github.com/ChatGPTNextWeb/NextChat/issues/5023 (chat format),
 * https://github.com/SakanaAI/AI-Scientist/issues/69 (address), https://portkey.ai/docs (pictures) and
 * https://github.com/egoist/chatwise-releases/issues/144 (errors).
 */
export default provider({
  settings: schema.Object({ apiKey: secret({ env: 'DEEPBRICKS_API_KEY' }) }),
  base: 'https://api.deepbricks.ai/v1',
  auth: { kind: 'bearer', from: 'apiKey' },
  endpoints: {
    chatComplete: { path: '/chat/completions', dialect: 'chat' },
    imageGenerate: { path: '/images/generations', dialect: 'images' },
    proxy: { path: '' },
  },
});
