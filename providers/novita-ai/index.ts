import {
  asObjects,
  asString,
  compact,
  filesAsPublished,
  type JsonObject,
  omit,
  provider,
  publishedBatches,
  publishedFiles,
  schema,
  secret,
  withUnixTimes,
} from 'portcullis/sdk';

const files = publishedFiles();
const batches = publishedBatches();

/** Source: https://novita.ai/docs/api-reference/model-apis-llm-create-chat-completion and its neighbours on ranking, files and batches. */
export default provider({
  settings: schema.Object({ apiKey: secret({ env: 'NOVITA_API_KEY' }) }),
  base: 'https://api.novita.ai/openai/v1',
  auth: { kind: 'bearer', from: 'apiKey' },
  endpoints: {
    chatComplete: {
      path: '/chat/completions',
      dialect: 'chat',
      params: { rename: { max_completion_tokens: 'max_tokens' } },
      reasoningField: 'reasoning_content',
    },
    complete: { path: '/completions', dialect: 'completions' },
    embed: { path: '/embeddings', dialect: 'embeddings' },
    rerank: {
      path: '/rerank',
      dialect: 'rerank',
      repair: (json) => (Array.isArray(json.results) ? { object: 'list', ...json } : json),
    },
    uploadFile: { ...files.uploadFile, repair: fileOf },
    listFiles: { ...files.listFiles, repair: fileOf },
    retrieveFile: { ...files.retrieveFile, repair: fileOf },
    deleteFile: files.deleteFile,
    retrieveFileContent: files.retrieveFileContent,
    createBatch: { ...batches.createBatch, repair: batchOf },
    listBatches: { ...batches.listBatches, repair: batchOf },
    retrieveBatch: { ...batches.retrieveBatch, repair: batchOf },
    cancelBatch: { ...batches.cancelBatch, repair: batchOf },
    getBatchOutput: batches.getBatchOutput,
    listModels: { method: 'GET', path: '/models' },
    proxy: { path: '' },
  },
});

function fileOf(json: JsonObject): JsonObject {
  return withUnixTimes(filesAsPublished(json));
}

const counted: ReadonlySet<string> = new Set(['total', 'completed', 'failed', 'updated_at']);

/** Statuses may be in capitals, times are dates, and nothing is an empty text: https://novita.ai/docs/guides/llm-batch-api */
function batchOf(json: JsonObject): JsonObject {
  if (Array.isArray(json.data))
    return { object: 'list', has_more: false, ...json, data: asObjects(json.data).map(batchOf) };
  const status = asString(json.status)?.toLowerCase();
  if (status === undefined || json.object !== 'batch') return json;
  const { errors } = json;
  return compact({
    ...withUnixTimes(omit(json, counted)),
    status: status === 'progress' ? 'in_progress' : status,
    output_file_id: json.output_file_id || null,
    error_file_id: json.error_file_id || null,
    errors:
      typeof errors === 'string' && errors !== '' ? { object: 'list', data: [{ message: errors }] } : errors || null,
  });
}
