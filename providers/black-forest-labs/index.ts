import { provider, schema, secret } from 'portcullis/sdk';
import { editFlow, generateFlow, modelPath } from './images.ts';

/**
 * Source: https://docs.bfl.ai/api-reference and https://api.bfl.ai/openapi.json: the model is the path. Pictures are URLs that
 * last for ten minutes. Regions have hosts of their own, such as https://api.eu.bfl.ai/v1, which `custom_host` reaches.
 */
export default provider({
  settings: schema.Object({ apiKey: secret({ env: 'BFL_API_KEY' }) }),
  base: 'https://api.bfl.ai/v1',
  auth: { kind: 'header', name: 'x-key', from: 'apiKey' },
  endpoints: {
    imageGenerate: { path: modelPath, dialect: 'images', flow: generateFlow },
    imageEdit: { path: modelPath, dialect: 'images', flow: editFlow },
    proxy: { path: '' },
  },
});
