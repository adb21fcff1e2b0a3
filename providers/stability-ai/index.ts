import { asString, type EndpointSpec, provider, schema, secret, setting } from 'portcullis/sdk';
import { repaired, versionOneRepaired } from './replies.ts';
import { editPath, editRequest, generatePath, generateRequest, isVersionOne, versionOneRequest } from './requests.ts';

const text = (value: unknown) => asString(value);

// One picture a call, always in base64, and nobody to tell it to.
const drop = ['response_format', 'quality', 'user', 'background', 'moderation'] as const;

const versionOne: EndpointSpec = {
  path: '/v1/generation/{model}/text-to-image',
  dialect: 'images',
  params: { rename: { n: 'samples', style: 'style_preset' }, drop },
  request: versionOneRequest,
  repair: versionOneRepaired,
};

/**
 * Source: https://platform.stability.ai/docs/api-reference. The services of v2beta are named by the model: `core`, `ultra` or
 * a Stable Diffusion 3 model such as `sd3.5-large` generate, and with a picture of the client edit it; `inpaint`, `erase`,
 * `outpaint`, `search-and-replace`, `search-and-recolor` and `remove-background` edit. Engines of v1 are models as well.
 */
export default provider({
  settings: schema.Object({
    apiKey: secret({ env: 'STABILITY_API_KEY' }),
    stabilityClientId: schema.Optional(setting({ header: 'stability-client-id' })),
    stabilityClientUserId: schema.Optional(setting({ header: 'stability-client-user-id' })),
    stabilityClientVersion: schema.Optional(setting({ header: 'stability-client-version' })),
  }),
  base: 'https://api.stability.ai',
  auth: { kind: 'bearer', from: 'apiKey' },
  headers: ({ settings }) => ({
    'stability-client-id': text(settings.stabilityClientId),
    'stability-client-user-id': text(settings.stabilityClientUserId),
    'stability-client-version': text(settings.stabilityClientVersion),
  }),
  endpoints: {
    imageGenerate: {
      path: generatePath,
      dialect: 'images',
      params: { rename: { style: 'style_preset' }, drop },
      request: generateRequest,
      encoding: 'form',
      accept: 'application/json',
      repair: repaired,
    },
    imageEdit: {
      path: editPath,
      dialect: 'images',
      params: { rename: { style: 'style_preset' }, drop },
      request: editRequest,
      encoding: 'form',
      accept: 'application/json',
      repair: repaired,
    },
    proxy: { path: '' },
  },
  families: [{ name: 'v1', fits: isVersionOne, endpoints: { imageGenerate: versionOne } }],
});
