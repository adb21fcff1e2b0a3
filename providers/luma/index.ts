import { provider, schema, secret } from 'portcullis/sdk';
import { generateFlow } from './images.ts';

/**
 * Source: https://docs.lumalabs.ai/docs/image-generation and https://github.com/lumalabs/lumaai-node. Pictures are URLs, and
 * so are those to begin with (`image_ref`, `style_ref`, `modify_image_ref`), so that edits of files have no place there.
 */
export default provider({
  settings: schema.Object({ apiKey: secret({ env: 'LUMAAI_API_KEY' }) }),
  base: 'https://api.lumalabs.ai/dream-machine/v1',
  auth: { kind: 'bearer', from: 'apiKey' },
  endpoints: {
    imageGenerate: { path: '/generations/image', dialect: 'images', flow: generateFlow },
    proxy: { path: '' },
  },
});
