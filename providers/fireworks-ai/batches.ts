import {
  asNumber,
  asObject,
  asObjects,
  asString,
  type CallFacts,
  compact,
  type Endpoints,
  type Flow,
  GatewayError,
  type Json,
  type JsonObject,
  omit,
  pathSegment,
  unixSeconds,
} from 'portcullis/sdk';
import { accountUrl, datasetName, idOf, pageQuery, pathId } from './account.ts';
import { openDataset } from './datasets.ts';

const jobsUrl = (facts: CallFacts) => `${accountUrl(facts)}/batchInferenceJobs`;

const create: Flow = async ({ facts, body }, tools) => {
  const { status, json } = await tools.send({ method: 'POST', url: jobsUrl(facts), body: jobAsked(body, facts) });
  return { status, json: batchOf(json, body) };
};

const list: Flow = async ({ facts }, tools) => {
  const { status, json } = await tools.send({ method: 'GET', url: jobsUrl(facts) + pageQuery(facts) });
  const next = asString(json.nextPageToken) ?? '';
  const data = asObjects(json.batchInferenceJobs).map((job) => batchOf(job, {}));
  return { status, json: { object: 'list', data, has_more: next !== '', ...(next === '' ? {} : { last_id: next }) } };
};

const retrieve: Flow = async ({ facts }, tools) => {
  const { status, json } = await tools.send({ method: 'GET', url: `${jobsUrl(facts)}/${pathId(facts)}` });
  return { status, json: batchOf(json, {}) };
};

const output: Flow = async ({ facts }, tools) => {
  const { json } = await tools.send({ method: 'GET', url: `${jobsUrl(facts)}/${pathId(facts)}` });
  const dataset = idOf(json.outputDatasetId);
  if (dataset === '' || batchStatus(json.state) !== 'completed')
    throw new GatewayError('not_found', 'The batch has no output yet.', { param: 'id' });
  return openDataset(`${accountUrl(facts)}/datasets/${pathSegment(dataset, 'output_file_id')}`, tools);
};

/**
 * Batches are inference jobs, and need the model: https://docs.fireworks.ai/api-reference/create-batch-inference-job. No
 * way to cancel one is documented.
 */
export const batches: Endpoints = {
  createBatch: { path: '/batches', dialect: 'batches', flow: create },
  listBatches: { method: 'GET', path: '/batches', dialect: 'batches', flow: list },
  retrieveBatch: { method: 'GET', path: '/batches/{id}', dialect: 'batches', flow: retrieve },
  getBatchOutput: { method: 'GET', path: '/batches/{id}/output', reply: 'bytes', flow: output },
};

/** Its jobs have neither an endpoint nor a window: chat completions are all that they run. */
const translated: ReadonlySet<string> = new Set(['input_file_id', 'endpoint', 'completion_window']);

function jobAsked(body: JsonObject, facts: CallFacts): JsonObject {
  const input = asString(body.input_file_id);
  return compact({
    inputDatasetId: input === undefined ? undefined : datasetName(input, facts),
    ...omit(body, translated),
  });
}

const statuses: ReadonlyMap<string, string> = new Map([
  ['CREATING', 'validating'],
  ['VALIDATING', 'validating'],
  ['PENDING', 'validating'],
  ['RUNNING', 'in_progress'],
  ['WRITING_RESULTS', 'finalizing'],
  ['COMPLETED', 'completed'],
  ['FAILED', 'failed'],
  ['CANCELLED', 'cancelled'],
  ['EXPIRED', 'expired'],
  ['DELETING', 'cancelling'],
  ['DELETING_CLEANING_UP', 'cancelling'],
]);

const batchStatus = (state: Json | undefined) =>
  statuses.get((asString(state) ?? '').replace(/^JOB_STATE_/, '')) ?? 'validating';

function batchOf(job: JsonObject, asked: JsonObject): JsonObject {
  const status = batchStatus(job.state);
  const progress = asObject(job.jobProgress);
  const message = status === 'failed' ? asString(asObject(job.status)?.message) : undefined;
  return compact({
    id: idOf(job.name),
    object: 'batch',
    endpoint: asString(asked.endpoint) ?? '/v1/chat/completions',
    model: job.model,
    input_file_id: idOf(job.inputDatasetId),
    output_file_id: status === 'completed' ? idOf(job.outputDatasetId) || null : null,
    completion_window: asString(asked.completion_window) ?? '24h',
    status,
    created_at: unixSeconds(job.createTime),
    request_counts: compact({
      total: asNumber(progress?.totalInputRequests) ?? 0,
      completed: asNumber(progress?.successfullyProcessedRequests) ?? 0,
      failed: asNumber(progress?.failedRequests) ?? 0,
    }),
    errors: message === undefined ? null : { object: 'list', data: [{ message }] },
  });
}
