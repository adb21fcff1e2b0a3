import { awsAuth, awsDomain, provider } from 'portcullis/sdk';
import { batches } from './batches.ts';
import { claude } from './claude.ts';
import { converse } from './converse.ts';
import { embed } from './embeddings.ts';
import { files } from './files.ts';
import { images } from './images.ts';
import { listModels } from './models.ts';
import { askedModel, familyOf } from './names.ts';
import { rerank } from './rerank.ts';
import { settings } from './settings.ts';
import { tuning } from './tuning.ts';

/**
 * Amazon Bedrock. The model of the request is an id (`amazon.nova-lite-v1:0`), an inference profile
 * (`us.amazon.nova-lite-v1:0`) or an ARN. https://docs.aws.amazon.com/bedrock/latest/APIReference
 */
export default provider({
  settings,
  base: ({ awsRegion }) => `https://bedrock-runtime.${awsRegion}.${awsDomain(String(awsRegion))}`,
  region: ({ awsRegion }) => String(awsRegion),
  auth: awsAuth({ service: 'bedrock', apiKeys: true }),
  endpoints: {
    ...converse,
    ...images,
    ...files,
    ...batches,
    ...tuning,
    embed,
    rerank,
    listModels,
    proxy: { path: '' },
  },
  families: [
    { name: 'claude', fits: (model) => familyOf(askedModel({ model, settings: {} })) === 'claude', endpoints: claude },
  ],
});
