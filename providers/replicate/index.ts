import { provider, schema, secret } from 'portcullis/sdk';
import { editFlow, generateFlow, placeOf } from './predictions.ts';

/**
 * Source: https://replicate.com/docs/reference/http and https://replicate.com/docs/topics/predictions/create-a-prediction.
 * A model is `owner/name`, `owner/name:version`, a version alone, or `deployments/owner/name`. Its page names its inputs.
 */
export default provider({
  settings: schema.Object({ apiKey: secret({ env: 'REPLICATE_API_TOKEN' }) }),
  base: 'https://api.replicate.com/v1',
  auth: { kind: 'bearer', from: 'apiKey' },
  endpoints: {
    imageGenerate: { path: ({ model }) => placeOf(model).url, dialect: 'images', flow: generateFlow },
    imageEdit: { path: ({ model }) => placeOf(model).url, dialect: 'images', flow: editFlow },
    proxy: { path: '' },
  },
});
