import { type JsonObject, provider, schema, secret } from 'portcullis/sdk';
import { editFlow } from './edit.ts';

/** Its size is required; forms of other providers may lack one. */
const withSize = (body: JsonObject): JsonObject => (body.size === undefined ? { ...body, size: '1024x1024' } : body);

/**
 * Source: https://www.recraft.ai/docs/api-reference/endpoints and its neighbour image-inputs-and-results. Both `url` and
 * `b64_json` are on offer. An edit with a mask fills what the mask shows, one without changes the whole picture.
 */
export default provider({
  settings: schema.Object({ apiKey: secret({ env: 'RECRAFT_API_TOKEN' }) }),
  base: 'https://external.api.recraft.ai/v1',
  auth: { kind: 'bearer', from: 'apiKey' },
  endpoints: {
    imageGenerate: { path: '/images/generations', dialect: 'images' },
    imageEdit: { path: '/images/imageToImage', dialect: 'images', flow: editFlow },
    imageVariation: { path: '/images/variateImage', dialect: 'images', request: withSize },
    listModels: { method: 'GET', path: '/models' },
    proxy: { path: '' },
  },
});
