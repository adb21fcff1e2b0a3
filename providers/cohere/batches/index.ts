import {
  asObject,
  asObjects,
  asString,
  type Endpoints,
  type FlowCall,
  type FlowResult,
  type FlowTools,
  GatewayError,
  type JsonObject,
  omit,
} from 'portcullis/sdk';
import { contentOf } from '../files/content.ts';
import { batchOfChats, batchOfJob } from './batch.ts';

const jobs = '/v1/embed-jobs';
const chats = '/v2/batches';
const ownNames = new Set(['input_file_id', 'endpoint', 'completion_window', 'metadata', 'model']);

/** https://docs.cohere.com/reference/create-embed-job and https://docs.cohere.com/reference/create-batch, by the endpoint. */
async function create({ body }: FlowCall, tools: FlowTools): Promise<FlowResult> {
  const dataset = needed(body, 'input_file_id');
  const model = needed(body, 'model');
  const rest = omit(body, ownNames);
  if (body.endpoint === '/v1/chat/completions') {
    const name = asString(rest.name) ?? tools.newId('batch_');
    const { json } = await tools.send({
      method: 'POST',
      url: chats,
      body: { ...rest, name, model, input_dataset_id: dataset },
    });
    return { status: 200, json: batchOfChats(asObject(json.batch) ?? {}) };
  }
  if (body.endpoint !== '/v1/embeddings') {
    const text = 'The endpoint must be "/v1/embeddings" or "/v1/chat/completions".';
    throw new GatewayError('bad_request', text, { param: 'endpoint' });
  }
  const asked = { input_type: 'search_document', truncate: 'END', ...rest, model, dataset_id: dataset };
  const { json } = await tools.send({ method: 'POST', url: jobs, body: asked });
  return retrieved(asString(json.job_id) ?? '', tools);
}

function needed(body: JsonObject, name: string): string {
  const value = asString(body[name]);
  if (value !== undefined && value !== '') return value;
  throw new GatewayError('bad_request', `"${name}" is missing: this provider needs it for a batch.`, { param: name });
}

/** An id does not tell whose it is: jobs are asked first. */
async function retrieved(id: string, { send }: FlowTools): Promise<FlowResult> {
  const name = encodeURIComponent(id);
  const job = await send({ method: 'GET', url: `${jobs}/${name}`, accepts: [400, 404] });
  if (job.status < 400) return { status: 200, json: batchOfJob(job.json) };
  const { json } = await send({ method: 'GET', url: `${chats}/${name}` });
  return { status: 200, json: batchOfChats(asObject(json.batch) ?? {}) };
}

async function cancel({ facts }: FlowCall, tools: FlowTools): Promise<FlowResult> {
  const id = facts.params.id ?? '';
  const name = encodeURIComponent(id);
  const job = await tools.send({ method: 'POST', url: `${jobs}/${name}/cancel`, accepts: [400, 404] });
  if (job.status >= 400) await tools.send({ method: 'POST', url: `${chats}/${name}:cancel` });
  return retrieved(id, tools);
}

async function list(_: FlowCall, { send }: FlowTools): Promise<FlowResult> {
  const embedding = await send({ method: 'GET', url: jobs });
  const chatting = await send({ method: 'GET', url: chats });
  const data = [
    ...asObjects(embedding.json.embed_jobs).map(batchOfJob),
    ...asObjects(chatting.json.batches).map(batchOfChats),
  ].sort((one, other) => Number(other.created_at) - Number(one.created_at));
  return { status: 200, json: { object: 'list', data, has_more: Boolean(chatting.json.next_page_token) } };
}

async function output({ facts }: FlowCall, tools: FlowTools): Promise<FlowResult> {
  const found = await retrieved(facts.params.id ?? '', tools);
  const dataset = 'json' in found ? asString(found.json.output_file_id) : undefined;
  if (dataset === undefined) throw new GatewayError('not_found', 'The batch has no output yet.');
  return contentOf(dataset, tools);
}

/** Jobs that embed a dataset, and batches of chats. */
export const batchEndpoints: Endpoints = {
  createBatch: { path: jobs, dialect: 'batches', flow: create },
  listBatches: { method: 'GET', path: jobs, dialect: 'batches', flow: list },
  retrieveBatch: {
    method: 'GET',
    path: `${jobs}/{id}`,
    dialect: 'batches',
    flow: ({ facts }, tools) => retrieved(facts.params.id ?? '', tools),
  },
  cancelBatch: { path: `${jobs}/{id}/cancel`, dialect: 'batches', flow: cancel },
  getBatchOutput: { method: 'GET', path: `${jobs}/{id}`, flow: output },
};
