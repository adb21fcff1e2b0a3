import {
  provider,
  publishedBatches,
  publishedFiles,
  publishedFineTuning,
  schema,
  secret,
  withUnixTimes,
} from 'portcullis/sdk';

const files = publishedFiles();
const batches = publishedBatches();
const jobs = publishedFineTuning();

/**
 * The vendor took these pages out of its documentation in July 2025, when it turned to reviews of code. Their last
 * state is in https://github.com/kluster-ai/docs at 62f24a9: api-reference/reference.md and
 * get-started/openai-compatibility.md.
 * Times of files and batches come as text.
 * Embeddings with `dimensions` are refused; the field is kept, as vectors of another length are worse than the error.
 */
export default provider({
  settings: schema.Object({ apiKey: secret({ env: 'KLUSTER_API_KEY' }) }),
  base: 'https://api.kluster.ai/v1',
  auth: { kind: 'bearer', from: 'apiKey' },
  endpoints: {
    chatComplete: {
      path: '/chat/completions',
      dialect: 'chat',
      params: { rename: { max_tokens: 'max_completion_tokens' }, drop: ['stream_options'] },
      streamUsage: 'never',
    },
    // Its usage has no `total_tokens`; being read, it is written with it.
    embed: { path: '/embeddings', dialect: 'embeddings', repair: (json) => json },
    uploadFile: { ...files.uploadFile, repair: withUnixTimes },
    retrieveFileContent: files.retrieveFileContent,
    createBatch: { ...batches.createBatch, repair: withUnixTimes },
    listBatches: { ...batches.listBatches, repair: withUnixTimes },
    retrieveBatch: { ...batches.retrieveBatch, repair: withUnixTimes },
    cancelBatch: { ...batches.cancelBatch, repair: withUnixTimes },
    getBatchOutput: batches.getBatchOutput,
    createFinetune: jobs.createFinetune,
    listFinetunes: jobs.listFinetunes,
    retrieveFinetune: jobs.retrieveFinetune,
    cancelFinetune: jobs.cancelFinetune,
    listModels: { method: 'GET', path: '/models' },
    proxy: { path: '' },
  },
});
