import {
  asNumber,
  asObject,
  asObjects,
  asString,
  batchStatus,
  type CallFacts,
  compact,
  type Endpoints,
  type Flow,
  type FlowTools,
  GatewayError,
  type Json,
  type JsonObject,
  labelsOf,
  listAfter,
  type Settings,
  unixSeconds,
} from 'portcullis/sdk';
import { outputLines } from './files.ts';
import { bareName, familyOf, openName } from './names.ts';
import { inProject, segment } from './places.ts';
import { objectsUrl, objectUrl, placeOf } from './storage.ts';

const jobs = inProject('/batchPredictionJobs');
const job = (settings: Settings, id: string) => inProject(`/batchPredictionJobs/${segment(id)}`)({ settings });

/** `publishers/google/models/gemini-2.5-flash`, from any of the names that clients use. */
function publishedName(model: string): string {
  if (/^(publishers|projects)\//.test(model)) return model;
  if (familyOf(model) === 'claude') return `publishers/anthropic/models/${bareName(model)}`;
  const [vendor, name] = familyOf(model) === 'open' ? openName(model).split('/') : ['google', bareName(model)];
  return `publishers/${vendor ?? ''}/models/${name ?? ''}`;
}

const create: Flow = async ({ facts: { settings }, body }, tools) => {
  const input = placeOf(asString(body.input_file_id) ?? '', 'input_file_id', settings);
  const model = asString(body.model) ?? asString(settings.providerModel) ?? (await keptModel(input, tools));
  if (model === undefined) throw new GatewayError('bad_request', 'The batch needs model.', { param: 'model' });
  const folder = input.name.slice(0, input.name.lastIndexOf('/') + 1);
  const named = asString(body.output_data_config);
  // A prefix in the same bucket, or the bucket itself.
  if (named !== undefined && named !== `gs://${input.bucket}`) placeOf(`${named}_`, 'output_data_config', settings);
  const output = named ?? `gs://${input.bucket}/${folder}output`;
  const { json } = await tools.send({
    method: 'POST',
    url: jobs({ settings }),
    body: compact({
      displayName: asString(asObject(body.metadata)?.name) ?? tools.newId('batch_'),
      model: publishedName(model),
      inputConfig: { instancesFormat: 'jsonl', gcsSource: { uris: [`gs://${input.bucket}/${input.name}`] } },
      outputConfig: { predictionsFormat: 'jsonl', gcsDestination: { outputUriPrefix: output } },
      labels: labelsOf(body.metadata ?? undefined),
    }),
  });
  return { status: 200, json: batchOf(json) };
};

/** The model that the file was uploaded for. */
async function keptModel(input: Parameters<typeof objectUrl>[0], tools: FlowTools): Promise<string | undefined> {
  const { json } = await tools.send({ method: 'GET', url: objectUrl(input) });
  return asString(asObject(json.metadata)?.model);
}

const count = (value: Json | undefined) => asNumber(Number(value)) ?? 0;

/** A job as a Batch: https://cloud.google.com/vertex-ai/docs/reference/rest/v1/projects.locations.batchPredictionJobs */
function batchOf(json: JsonObject): JsonObject {
  const status = batchStatus(json.state);
  const ended = unixSeconds(json.endTime) ?? null;
  const at = (wanted: string) => (status === wanted ? ended : null);
  const folder = asString(asObject(json.outputInfo)?.gcsOutputDirectory);
  const uri = asString((asObject(asObject(json.inputConfig)?.gcsSource)?.uris as Json[] | undefined)?.[0]);
  const { successfulCount, failedCount, incompleteCount } = asObject(json.completionStats) ?? {};
  const [done, failed, open] = [successfulCount, failedCount, incompleteCount].map(count) as [number, number, number];
  const model = asString(json.model);
  return {
    id: asString(json.name)?.split('/').at(-1) ?? '',
    object: 'batch',
    endpoint: model !== undefined && /embedding/.test(model) ? '/v1/embeddings' : '/v1/chat/completions',
    model: model?.split('/').at(-1) ?? null,
    errors: json.error === undefined ? null : { object: 'list', data: [errorOf(json.error)] },
    input_file_id: uri === undefined ? '' : encodeURIComponent(uri),
    completion_window: '24h',
    status,
    output_file_id:
      status === 'completed' && folder !== undefined ? encodeURIComponent(`${folder}/predictions.jsonl`) : null,
    error_file_id: null,
    created_at: unixSeconds(json.createTime) ?? 0,
    in_progress_at: unixSeconds(json.startTime) ?? null,
    completed_at: at('completed'),
    failed_at: at('failed'),
    expired_at: at('expired'),
    cancelled_at: at('cancelled'),
    request_counts: { total: done + failed + Math.max(0, open), completed: done, failed },
    metadata: json.labels ?? null,
  };
}

function errorOf(error: Json): JsonObject {
  const { code, message } = asObject(error) ?? {};
  return { code: String(code ?? 'error'), message: message ?? '', param: null, line: null };
}

const list: Flow = async ({ facts: { settings, query } }, tools) => {
  const json = await listAfter(query, async (token) => {
    const asked = new URLSearchParams({ pageSize: '100', ...(token === undefined ? {} : { pageToken: token }) });
    const { json } = await tools.send({ method: 'GET', url: `${jobs({ settings })}?${asked.toString()}` });
    return { data: asObjects(json.batchPredictionJobs).map(batchOf), next: json.nextPageToken };
  });
  return { status: 200, json };
};

const retrieve: Flow = async ({ facts: { settings, params } }, tools) => {
  const { json } = await tools.send({ method: 'GET', url: job(settings, params.id ?? '') });
  return { status: 200, json: batchOf(json) };
};

const cancel: Flow = async ({ facts: { settings, params } }, tools) => {
  const url = job(settings, params.id ?? '');
  await tools.send({ method: 'POST', url: `${url}:cancel`, body: {} });
  const { json } = await tools.send({ method: 'GET', url });
  return { status: 200, json: batchOf(json) };
};

/** Everything that the job has written, in one text. */
const output: Flow = async ({ facts: { settings, params } }, tools) => {
  const id = params.id ?? '';
  const { json } = await tools.send({ method: 'GET', url: job(settings, id) });
  const folder = asString(asObject(json.outputInfo)?.gcsOutputDirectory);
  if (folder === undefined) {
    const text = `The batch ${id} has no output: its status is ${batchStatus(json.state)}.`;
    throw new GatewayError('not_found', text, { param: 'id' });
  }
  const { bucket, name } = placeOf(`${folder.replace(/\/$/, '')}/`, 'id', settings);
  const { json: listed } = await tools.send({ method: 'GET', url: objectsUrl(bucket, { prefix: name }) });
  const names = asObjects(listed.items).flatMap((item) => asString(item.name) ?? []);
  const wanted = names.filter((found) => found.endsWith('.jsonl') || /prediction\.results/.test(found)).toSorted();
  return { status: 200, contentType: 'application/jsonl', body: everyLine(bucket, wanted, tools) };
};

async function* everyLine(bucket: string, names: readonly string[], tools: FlowTools): AsyncGenerator<Uint8Array> {
  for (const name of names) {
    const { body } = await tools.open({ method: 'GET', url: objectUrl({ bucket, name }, '?alt=media') });
    yield* outputLines(body, tools);
  }
}

const one = ({ settings, params }: CallFacts) => job(settings, params.id ?? '');

/** There is one window alone, and the model tells the endpoint. */
const reads = ['input_file_id', 'endpoint', 'completion_window', 'model', 'metadata', 'output_data_config'];

export const batches: Endpoints = {
  createBatch: { path: jobs, dialect: 'batches', flow: create, reads },
  listBatches: {
    method: 'GET',
    path: (facts) => `${jobs(facts)}?pageSize=100`,
    query: false,
    dialect: 'batches',
    flow: list,
  },
  retrieveBatch: { method: 'GET', path: one, dialect: 'batches', flow: retrieve },
  cancelBatch: { path: (facts) => `${one(facts)}:cancel`, dialect: 'batches', flow: cancel },
  getBatchOutput: { method: 'GET', path: one, reply: 'bytes', flow: output },
};
