import { type JsonObject, pictureSize, provider, schema, secret } from 'portcullis/sdk';

/**
 * Source: https://docs.cloud.olakrutrim.com/basics/key-management-system/model-api-keys and
 * https://github.com/ola-krutrim/krutrim-cloud-python (`api.md` for the parameters, its client for the variable of the key).
 */
export default provider({
  settings: schema.Object({ apiKey: secret({ env: 'KRUTRIM_CLOUD_API_KEY' }) }),
  base: 'https://cloud.olakrutrim.com/v1',
  auth: { kind: 'bearer', from: 'apiKey' },
  endpoints: {
    // Only the older name of the limit is documented.
    chatComplete: {
      path: '/chat/completions',
      dialect: 'chat',
      params: { rename: { max_completion_tokens: 'max_tokens' } },
    },
    imageGenerate: {
      path: '/images/generations/diffusion',
      dialect: 'images',
      params: { rename: { model: 'model_name', n: 'num_output_images' } },
      request: pictureAsked,
    },
    proxy: { path: '' },
  },
});

/** Sizes are two numbers. */
function pictureAsked(body: JsonObject): JsonObject {
  const { size, ...rest } = body;
  const pixels = pictureSize(size);
  return pixels === undefined ? body : { image_width: pixels.width, image_height: pixels.height, ...rest };
}
