import { type CallFacts, pathSegment, provider, schema, secret } from 'portcullis/sdk';
import { editRequest, generateRequest, legacyRequest, repaired } from './images.ts';

/**
 * Source: https://developer.ideogram.ai/ideogram-api/quickstart and https://developer.ideogram.ai/api-reference. The models
 * `ideogram-v3` and `ideogram-v4` are parts of the path; those of before, such as `V_2`, share one. An edit needs a mask.
 * Pictures are URLs that last for a while.
 */
export default provider({
  settings: schema.Object({ apiKey: secret({ env: 'IDEOGRAM_API_KEY' }) }),
  base: 'https://api.ideogram.ai',
  auth: { kind: 'header', name: 'api-key', from: 'apiKey' },
  endpoints: {
    imageGenerate: {
      path: (facts) => `${placeOf(facts)}/generate`,
      dialect: 'images',
      params: { rename: { n: 'num_images', style: 'style_type' }, drop: ['response_format', 'user'] },
      request: generateRequest,
      encoding: 'form',
      repair: repaired,
    },
    imageEdit: {
      path: (facts) => `${placeOf(facts)}/edit`,
      dialect: 'images',
      params: { rename: { n: 'num_images', style: 'style_type' }, drop: ['response_format', 'user', 'size'] },
      request: editRequest,
      encoding: 'form',
      repair: repaired,
    },
    proxy: { path: '' },
  },
  families: [
    {
      name: 'legacy',
      fits: (model) => /^(V_\d|AUTO$)/.test(model),
      endpoints: {
        imageGenerate: {
          path: '/generate',
          dialect: 'images',
          params: { rename: { n: 'num_images', style: 'style_type' }, drop: ['response_format', 'user'] },
          request: legacyRequest,
          repair: repaired,
        },
      },
    },
  ],
});

const placeOf = ({ model }: CallFacts) => `/v1/${pathSegment(model, 'model')}`;
