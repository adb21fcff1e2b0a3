import type { Endpoints } from '../contracts/provider.ts';
import { batchOutput } from './batch-output.ts';
import { filesAsPublished } from './files-as-published.ts';

/**
 * Files as OpenAI publishes them, for providers that follow it: https://platform.openai.com/docs/api-reference/files
 * @param prefix what stands between the provider's base and the path, such as `/v1`
 */
export function publishedFiles(prefix = '') {
  const files = `${prefix}/files`;
  return {
    uploadFile: { path: files, dialect: 'files', repair: filesAsPublished },
    listFiles: { method: 'GET', path: files, dialect: 'files', repair: filesAsPublished },
    retrieveFile: { method: 'GET', path: `${files}/{id}`, dialect: 'files', repair: filesAsPublished },
    deleteFile: { method: 'DELETE', path: `${files}/{id}`, dialect: 'files' },
    retrieveFileContent: { method: 'GET', path: `${files}/{id}/content`, reply: 'bytes' },
  } as const satisfies Endpoints;
}

/** Batches likewise: https://platform.openai.com/docs/api-reference/batch */
export function publishedBatches(prefix = '') {
  const batches = `${prefix}/batches`;
  const output = batchOutput({
    batch: (id) => `${batches}/${id}`,
    content: (id) => `${prefix}/files/${id}/content`,
  });
  return {
    createBatch: { path: batches, dialect: 'batches' },
    listBatches: { method: 'GET', path: batches, dialect: 'batches' },
    retrieveBatch: { method: 'GET', path: `${batches}/{id}`, dialect: 'batches' },
    cancelBatch: { path: `${batches}/{id}/cancel`, dialect: 'batches' },
    getBatchOutput: { method: 'GET', path: `${batches}/{id}`, reply: 'bytes', flow: output },
  } as const satisfies Endpoints;
}

/** Fine-tuning jobs likewise: https://platform.openai.com/docs/api-reference/fine-tuning */
export function publishedFineTuning(prefix = '') {
  const jobs = `${prefix}/fine_tuning/jobs`;
  return {
    createFinetune: { path: jobs, dialect: 'fine-tuning' },
    listFinetunes: { method: 'GET', path: jobs, dialect: 'fine-tuning' },
    retrieveFinetune: { method: 'GET', path: `${jobs}/{id}`, dialect: 'fine-tuning' },
    cancelFinetune: { path: `${jobs}/{id}/cancel`, dialect: 'fine-tuning' },
    listFinetuneEvents: { method: 'GET', path: `${jobs}/{id}/events`, dialect: 'fine-tuning' },
    listFinetuneCheckpoints: { method: 'GET', path: `${jobs}/{id}/checkpoints`, dialect: 'fine-tuning' },
  } as const satisfies Endpoints;
}
