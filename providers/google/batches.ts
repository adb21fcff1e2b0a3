import {
  asNumber,
  asObject,
  asObjects,
  asString,
  batchStatus,
  type CallFacts,
  type Endpoints,
  type Flow,
  GatewayError,
  type Json,
  type JsonObject,
  listAfter,
  unixSeconds,
  wordAsCode,
} from 'portcullis/sdk';
import { openLines } from './files.ts';
import { bareId, modelName, named } from './places.ts';

const isEmbeddings = (endpoint: Json | undefined) => endpoint === '/v1/embeddings';

const methodFor = (embeds: boolean) => (embeds ? 'asyncBatchEmbedContent' : 'batchGenerateContent');

/** Where a batch begins, as far as its model tells. */
function begins({ model, settings }: CallFacts): string {
  const name = model || asString(settings.providerModel);
  return name === undefined ? '/batches' : `/${modelName(name)}:${methodFor(name.includes('embedding'))}`;
}

const create: Flow = async ({ facts: { settings }, body }, tools) => {
  const model = asString(body.model) ?? asString(settings.providerModel);
  if (model === undefined) throw new GatewayError('bad_request', 'The batch needs model.', { param: 'model' });
  const fileName = `files/${bareId(asString(body.input_file_id) ?? '')}`;
  const displayName = asString(asObject(body.metadata)?.name) ?? tools.newId('batch_');
  const { json } = await tools.send({
    method: 'POST',
    url: `/${modelName(model)}:${methodFor(isEmbeddings(body.endpoint))}`,
    body: { batch: { displayName, inputConfig: { fileName } } },
  });
  return { status: 200, json: batchOf(json) };
};

const count = (value: Json | undefined) => asNumber(Number(value)) ?? 0;

/** A long-running operation as a Batch: https://ai.google.dev/api/batch-api */
function batchOf(json: JsonObject): JsonObject {
  const { metadata, response, error } = json;
  const about = asObject(metadata) ?? {};
  const status = batchStatus(about.state);
  const ended = unixSeconds(about.endTime) ?? unixSeconds(about.updateTime) ?? null;
  const at = (wanted: string) => (status === wanted ? ended : null);
  const written = asString(asObject(about.output)?.responsesFile) ?? asString(asObject(response)?.responsesFile);
  const input = asString(asObject(about.inputConfig)?.fileName);
  const { requestCount, successfulRequestCount, failedRequestCount } = asObject(about.batchStats) ?? {};
  const kind = asString(about['@type']) ?? '';
  return {
    id: bareId(asString(json.name) ?? ''),
    object: 'batch',
    endpoint: /Embed/.test(kind) ? '/v1/embeddings' : '/v1/chat/completions',
    model: bareId(asString(about.model) ?? ''),
    errors: error === undefined ? null : { object: 'list', data: [errorOf(error)] },
    input_file_id: input === undefined ? '' : bareId(input),
    completion_window: '24h',
    status,
    output_file_id: written === undefined ? null : bareId(written),
    error_file_id: null,
    created_at: unixSeconds(about.createTime) ?? 0,
    completed_at: at('completed'),
    failed_at: at('failed'),
    expired_at: at('expired'),
    cancelled_at: at('cancelled'),
    request_counts: {
      total: count(requestCount),
      completed: count(successfulRequestCount),
      failed: count(failedRequestCount),
    },
    metadata: about.displayName === undefined ? null : { name: about.displayName },
  };
}

function errorOf(error: Json): JsonObject {
  const { code, message } = asObject(error) ?? {};
  return { code: String(code ?? 'error'), message: message ?? '', param: null, line: null };
}

const firstPage = '/batches?pageSize=100';

const list: Flow = async ({ facts: { query } }, tools) => {
  const json = await listAfter(query, async (token) => {
    const page = token === undefined ? '' : `&pageToken=${encodeURIComponent(token)}`;
    const { json } = await tools.send({ method: 'GET', url: `${firstPage}${page}` });
    return { data: asObjects(json.operations).map(batchOf), next: json.nextPageToken };
  });
  return { status: 200, json };
};

const path = ({ params }: CallFacts) => `/${named('batches', params.id ?? '')}`;

const cancel: Flow = async ({ facts }, tools) => {
  await tools.send({ method: 'POST', url: `${path(facts)}:cancel`, body: {} });
  const { json } = await tools.send({ method: 'GET', url: path(facts) });
  return { status: 200, json: batchOf(json) };
};

const output: Flow = async ({ facts }, tools) => {
  const { json } = await tools.send({ method: 'GET', url: path(facts) });
  const { output_file_id, status } = batchOf(json);
  if (typeof output_file_id === 'string') return openLines(output_file_id, tools);
  const text = `The batch ${facts.params.id ?? ''} has no output: its status is ${String(status)}.`;
  throw new GatewayError('not_found', text, { param: 'id' });
};

const shown = (json: JsonObject) => (json.metadata === undefined ? wordAsCode(json) : batchOf(json));

/** There is one window alone. */
const reads = ['input_file_id', 'endpoint', 'completion_window', 'model', 'metadata'];

/** https://ai.google.dev/gemini-api/docs/batch-api */
export const batches: Endpoints = {
  createBatch: { path: begins, dialect: 'batches', flow: create, reads },
  listBatches: { method: 'GET', path: firstPage, query: false, dialect: 'batches', flow: list },
  retrieveBatch: { method: 'GET', path, dialect: 'batches', repair: shown },
  cancelBatch: { path: (facts) => `${path(facts)}:cancel`, dialect: 'batches', flow: cancel },
  getBatchOutput: { method: 'GET', path, reply: 'bytes', flow: output },
};
