import { asString, type FlowCall, type FlowResult, type FlowTools, provider, schema, secret } from 'portcullis/sdk';
import { batchEndpoints } from './batches/index.ts';
import { fileEndpoints } from './files/index.ts';
import { rerank } from './rerank.ts';
import { tuningEndpoints } from './tuning/index.ts';

/**
 * Source: https://docs.cohere.com/reference/about. Text completions (`/v1/generate`) are deprecated there, with their models:
 * such requests go to the chat.
 */
export default provider({
  settings: schema.Object({ apiKey: secret({ env: 'COHERE_API_KEY' }) }),
  base: 'https://api.cohere.com',
  auth: { kind: 'bearer', from: 'apiKey' },
  endpoints: {
    chatComplete: { path: '/v2/chat', dialect: 'cohere' },
    embed: { path: '/v2/embed', dialect: 'cohere-embeddings' },
    rerank,
    createTranscription: {
      path: '/v2/audio/transcriptions',
      dialect: 'transcriptions',
      params: {
        drop: [
          'prompt',
          'response_format',
          'timestamp_granularities',
          'timestamp_granularities[]',
          'include',
          'stream',
        ],
      },
    },
    ...fileEndpoints,
    ...batchEndpoints,
    ...tuningEndpoints,
    listModels: { method: 'GET', path: '/v1/models?page_size=1000', query: false },
    retrieveModel: { method: 'GET', path: '/v1/models/{id}', flow: model },
    proxy: { path: '' },
  },
});

/** https://docs.cohere.com/reference/get-model */
async function model({ facts }: FlowCall, { send }: FlowTools): Promise<FlowResult> {
  const id = facts.params.id ?? '';
  const { json } = await send({ method: 'GET', url: `/v1/models/${encodeURIComponent(id)}` });
  const name = asString(json.name) ?? id;
  return { status: 200, json: { ...json, id: name, object: 'model', created: 0, owned_by: 'cohere' } };
}
