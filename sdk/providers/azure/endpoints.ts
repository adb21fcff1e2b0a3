import type { CallFacts, EndpointSpec, Endpoints } from '../../contracts/provider.ts';
import type { JsonObject } from '../../json.ts';
import { batchOutput } from '../batch-output.ts';
import { filesAsPublished } from '../files-as-published.ts';
import { pathSegment } from '../path-segment.ts';

/** How a resource is addressed. Paths come with their ids in place, encoded. */
export interface AzurePaths {
  /** Calls of a model: some versions name its deployment in the path. */
  readonly deployed: (path: string, facts: CallFacts) => string;
  /** Whatever belongs to the resource as a whole. */
  readonly resource: (path: string, facts: CallFacts) => string;
  /** Names the deployment in the body. */
  readonly request: (body: JsonObject, facts: CallFacts) => JsonObject;
  /** Where sessions are opened, with the client's query. */
  readonly realtime: (facts: CallFacts) => string;
}

/**
 * What a resource offers beside chat and completions, in the formats of its own API:
 * https://learn.microsoft.com/azure/ai-foundry/openai/latest
 */
export function azureEndpoints(paths: AzurePaths): Endpoints {
  const call = (path: string, dialect: NonNullable<EndpointSpec['dialect']>): EndpointSpec => ({
    path: (facts) => paths.deployed(path, facts),
    dialect,
    request: paths.request,
  });
  const at = (path: string) => (facts: CallFacts) => paths.resource(filled(path, facts), facts);
  return {
    embed: call('/embeddings', 'embeddings'),
    imageGenerate: call('/images/generations', 'images'),
    imageEdit: call('/images/edits', 'images'),
    createSpeech: { ...call('/audio/speech', 'speech'), reply: 'bytes' },
    createTranscription: call('/audio/transcriptions', 'transcriptions'),
    createTranslation: call('/audio/translations', 'transcriptions'),
    ...responses(at, paths),
    ...documents(at, paths),
    assistants: { path: at('/assistants{rest}') },
    threads: { path: at('/threads{rest}') },
    vectorStores: { path: at('/vector_stores{rest}') },
    conversations: { path: at('/conversations{rest}') },
    listModels: { method: 'GET', path: at('/models') },
    retrieveModel: { method: 'GET', path: at('/models/{id}') },
    realtime: { method: 'GET', path: paths.realtime, query: false },
    proxy: { path: '' },
  };
}

type At = (path: string) => (facts: CallFacts) => string;

function responses(at: At, { request }: AzurePaths): Endpoints {
  return {
    createModelResponse: { path: at('/responses'), dialect: 'responses', request },
    getModelResponse: { method: 'GET', path: at('/responses/{id}') },
    deleteModelResponse: { method: 'DELETE', path: at('/responses/{id}') },
    cancelModelResponse: { path: at('/responses/{id}/cancel') },
    listResponseInputItems: { method: 'GET', path: at('/responses/{id}/input_items') },
  };
}

function documents(at: At, { resource }: AzurePaths): Endpoints {
  const jobs = '/fine_tuning/jobs';
  return {
    uploadFile: { path: at('/files'), dialect: 'files', repair: filesAsPublished },
    listFiles: { method: 'GET', path: at('/files'), dialect: 'files', repair: filesAsPublished },
    retrieveFile: { method: 'GET', path: at('/files/{id}'), dialect: 'files', repair: filesAsPublished },
    deleteFile: { method: 'DELETE', path: at('/files/{id}'), dialect: 'files' },
    retrieveFileContent: { method: 'GET', path: at('/files/{id}/content'), reply: 'bytes' },
    createBatch: { path: at('/batches'), dialect: 'batches' },
    listBatches: { method: 'GET', path: at('/batches'), dialect: 'batches' },
    retrieveBatch: { method: 'GET', path: at('/batches/{id}'), dialect: 'batches' },
    cancelBatch: { path: at('/batches/{id}/cancel'), dialect: 'batches' },
    getBatchOutput: {
      method: 'GET',
      path: at('/batches/{id}'),
      reply: 'bytes',
      flow: batchOutput({
        batch: (id, facts) => resource(`/batches/${id}`, facts),
        content: (id, facts) => resource(`/files/${id}/content`, facts),
      }),
    },
    createFinetune: { path: at(jobs), dialect: 'fine-tuning' },
    listFinetunes: { method: 'GET', path: at(jobs), dialect: 'fine-tuning' },
    retrieveFinetune: { method: 'GET', path: at(`${jobs}/{id}`), dialect: 'fine-tuning' },
    cancelFinetune: { path: at(`${jobs}/{id}/cancel`), dialect: 'fine-tuning' },
    listFinetuneEvents: { method: 'GET', path: at(`${jobs}/{id}/events`), dialect: 'fine-tuning' },
    listFinetuneCheckpoints: { method: 'GET', path: at(`${jobs}/{id}/checkpoints`), dialect: 'fine-tuning' },
  };
}

/** `{rest}` comes as the client has encoded it. */
function filled(path: string, { params }: CallFacts): string {
  if (path.includes('{rest}')) return path.replace('{rest}', () => params.rest ?? '');
  return path.replace('{id}', () => pathSegment(params.id ?? '', 'id'));
}
