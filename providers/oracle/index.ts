import { provider } from 'portcullis/sdk';
import { chatComplete } from './chat/index.ts';
import { embed, rerank } from './documents.ts';
import { listModels } from './models.ts';
import { settings } from './settings.ts';
import { signatureHeaders } from './signature.ts';

/** Source: https://docs.oracle.com/iaas/api/#/en/generative-ai-inference/latest/. */
export default provider({
  settings,
  base: 'https://inference.generativeai.{oracleRegion}.oci.oraclecloud.com/{oracleApiVersion}',
  auth: {
    kind: 'signed',
    headers: (request, known, { now }) => signatureHeaders(request, known, now()),
  },
  credential: 'oraclePrivateKey',
  endpoints: { chatComplete, embed, rerank, listModels, proxy: { path: '' } },
});
