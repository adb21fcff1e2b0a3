import {
  asNumber,
  asObject,
  asObjects,
  asString,
  type CallFacts,
  compact,
  type Endpoints,
  type Flow,
  type Json,
  type JsonObject,
  labelsOf,
  listAfter,
  omit,
  type Settings,
  tuningStatus,
  unixSeconds,
  wordAsCode,
} from 'portcullis/sdk';
import { bareName } from './names.ts';
import { inProject, segment } from './places.ts';
import { placeOf } from './storage.ts';

const jobs = inProject('/tuningJobs');
const job = (settings: Settings, id: string) => inProject(`/tuningJobs/${segment(id)}`)({ settings });

const own: ReadonlySet<string> = new Set([
  ...[
    'model',
    'training_file',
    'validation_file',
    'suffix',
    'hyperparameters',
    'method',
    'metadata',
    'seed',
    'integrations',
  ],
]);

function uriOf(id: Json | undefined, param: string, settings: Settings): string | undefined {
  if (id === undefined || id === null) return undefined;
  const { bucket, name } = placeOf(String(id), param, settings);
  return `gs://${bucket}/${name}`;
}

const chosen = (value: Json | undefined) => (value === 'auto' ? undefined : value);

/** The job that a fine-tuning request asks for. Fields that are not OpenAI's go along. */
function tuningJob(body: JsonObject, { settings }: CallFacts): JsonObject {
  const supervised = asObject(asObject(asObject(body.method)?.supervised)?.hyperparameters);
  const { n_epochs, learning_rate_multiplier, batch_size, ...rest } = {
    ...asObject(body.hyperparameters),
    ...supervised,
  };
  const hyperParameters = compact({
    epochCount: chosen(n_epochs),
    learningRateMultiplier: chosen(learning_rate_multiplier),
    batchSize: chosen(batch_size),
    ...rest,
  });
  return compact({
    ...omit(body, own),
    baseModel: bareName(asString(body.model) ?? ''),
    supervisedTuningSpec: compact({
      trainingDatasetUri: uriOf(body.training_file ?? '', 'training_file', settings),
      validationDatasetUri: uriOf(body.validation_file, 'validation_file', settings),
      hyperParameters: Object.keys(hyperParameters).length === 0 ? undefined : hyperParameters,
    }),
    tunedModelDisplayName: body.suffix,
    labels: labelsOf(body.metadata ?? undefined),
  });
}

/** A job in OpenAI's form: https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/tuning */
function jobOf(json: JsonObject): JsonObject {
  const spec = asObject(json.supervisedTuningSpec) ?? {};
  const { epochCount, learningRateMultiplier, adapterSize } = asObject(spec.hyperParameters) ?? {};
  const status = tuningStatus(json.state);
  const tuned = asObject(json.tunedModel);
  const error = asObject(json.error);
  const encoded = (uri: Json | undefined) => (typeof uri === 'string' ? encodeURIComponent(uri) : null);
  const tokens = asObject(asObject(json.tuningDataStats)?.supervisedTuningDataStats)?.totalBillableTokenCount;
  return {
    id: asString(json.name)?.split('/').at(-1) ?? '',
    object: 'fine_tuning.job',
    created_at: unixSeconds(json.createTime) ?? 0,
    finished_at: unixSeconds(json.endTime) ?? null,
    model: json.baseModel ?? '',
    // Requests name the endpoint to use the tuned model.
    fine_tuned_model: tuned?.endpoint ?? tuned?.model ?? null,
    status,
    error: error === undefined ? null : { code: String(error.code ?? ''), message: error.message ?? '', param: null },
    training_file: encoded(spec.trainingDatasetUri) ?? '',
    validation_file: encoded(spec.validationDatasetUri),
    hyperparameters: compact({
      n_epochs: epochCount === undefined ? 'auto' : (asNumber(Number(epochCount)) ?? epochCount),
      learning_rate_multiplier: learningRateMultiplier,
      adapter_size: adapterSize,
    }),
    trained_tokens: tokens === undefined ? null : (asNumber(Number(tokens)) ?? null),
    estimated_finish: null,
    organization_id: asString(json.name)?.split('/')[1] ?? '',
    result_files: [],
    integrations: [],
    metadata: json.labels ?? null,
  };
}

const shown = (json: JsonObject): JsonObject =>
  json.error !== undefined && json.name === undefined ? wordAsCode(json) : jobOf(json);

const list: Flow = async ({ facts: { settings, query } }, tools) => {
  const json = await listAfter(query, async (token) => {
    const asked = new URLSearchParams({ pageSize: '100', ...(token === undefined ? {} : { pageToken: token }) });
    const { json } = await tools.send({ method: 'GET', url: `${jobs({ settings })}?${asked.toString()}` });
    return { data: asObjects(json.tuningJobs).map(jobOf), next: json.nextPageToken };
  });
  return { status: 200, json };
};

const cancel: Flow = async ({ facts: { settings, params } }, tools) => {
  const url = job(settings, params.id ?? '');
  await tools.send({ method: 'POST', url: `${url}:cancel`, body: {} });
  const { json } = await tools.send({ method: 'GET', url });
  return { status: 200, json: jobOf(json) };
};

export const tuning: Endpoints = {
  createFinetune: { path: jobs, dialect: 'fine-tuning', request: tuningJob, repair: shown },
  listFinetunes: {
    method: 'GET',
    path: (facts) => `${jobs(facts)}?pageSize=100`,
    query: false,
    dialect: 'fine-tuning',
    flow: list,
  },
  retrieveFinetune: {
    method: 'GET',
    path: ({ settings, params }) => job(settings, params.id ?? ''),
    dialect: 'fine-tuning',
    repair: shown,
  },
  cancelFinetune: {
    path: ({ settings, params }) => `${job(settings, params.id ?? '')}:cancel`,
    dialect: 'fine-tuning',
    flow: cancel,
  },
};
