import { type Endpoints, type ModelFamily, provider } from 'portcullis/sdk';
import { authOf } from './auth.ts';
import { batches } from './batches.ts';
import { claude } from './claude.ts';
import { embedOneByOne, takesOneText } from './embeddings.ts';
import { files } from './files.ts';
import { gemini } from './gemini.ts';
import { listModels, retrieveModel } from './models.ts';
import { type Family, familyOf } from './names.ts';
import { endpoint, mistral, open } from './open-models.ts';
import { origin, regionOf } from './places.ts';
import { rerank } from './rerank.ts';
import { settings } from './settings.ts';
import { tuning } from './tuning.ts';

const family = (name: Family, endpoints: Endpoints): ModelFamily => ({
  name,
  fits: (model) => familyOf(model) === name,
  endpoints,
});

/** https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/inference; each family of models has its own format. */
export default provider({
  settings,
  base: origin,
  region: regionOf,
  auth: authOf,
  endpoints: { ...files, ...batches, ...tuning, rerank, listModels, retrieveModel, proxy: { path: '' } },
  families: [
    { name: 'gemini-embedding', fits: takesOneText, endpoints: { embed: embedOneByOne } },
    family('claude', claude),
    family('open', open),
    family('mistral', mistral),
    family('endpoint', endpoint),
    family('gemini', gemini),
  ],
});
