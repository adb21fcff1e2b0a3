import {
  asObject,
  asObjects,
  asString,
  type CallFacts,
  compact,
  type Endpoints,
  type Flow,
  type Json,
  type JsonObject,
  omit,
  unixSeconds,
} from 'portcullis/sdk';
import { accountUrl, datasetName, idOf, pageQuery, pathId } from './account.ts';

const jobs = '/fine_tuning/jobs';
const spec = { dialect: 'fine-tuning' } as const;
const jobsUrl = (facts: CallFacts) => `${accountUrl(facts)}/supervisedFineTuningJobs`;

const create: Flow = async ({ facts, body }, tools) => {
  const { status, json } = await tools.send({ method: 'POST', url: jobsUrl(facts), body: jobAsked(body, facts) });
  return { status, json: jobOf(json) };
};

const list: Flow = async ({ facts }, tools) => {
  const { status, json } = await tools.send({ method: 'GET', url: jobsUrl(facts) + pageQuery(facts) });
  const next = asString(json.nextPageToken) ?? '';
  const data = asObjects(json.supervisedFineTuningJobs).map(jobOf);
  return { status, json: { object: 'list', data, has_more: next !== '', ...(next === '' ? {} : { last_id: next }) } };
};

const retrieve: Flow = async ({ facts }, tools) => {
  const { status, json } = await tools.send({ method: 'GET', url: `${jobsUrl(facts)}/${pathId(facts)}` });
  return { status, json: jobOf(json) };
};

const cancel: Flow = async ({ facts }, tools) => {
  const url = `${jobsUrl(facts)}/${pathId(facts)}`;
  await tools.send({ method: 'POST', url: `${url}:cancel`, body: {} });
  const { status, json } = await tools.send({ method: 'GET', url });
  return { status, json: jobOf(json) };
};

/** Supervised jobs: https://docs.fireworks.ai/api-reference/create-supervised-fine-tuning-job and its neighbours. */
export const fineTuning: Endpoints = {
  createFinetune: { ...spec, path: jobs, flow: create },
  listFinetunes: { ...spec, method: 'GET', path: jobs, flow: list },
  retrieveFinetune: { ...spec, method: 'GET', path: `${jobs}/{id}`, flow: retrieve },
  cancelFinetune: { ...spec, path: `${jobs}/{id}/cancel`, flow: cancel },
};

const translated: ReadonlySet<string> = new Set([
  'model',
  'training_file',
  'validation_file',
  'suffix',
  'hyperparameters',
  'method',
  'integrations',
]);

const parameterNames: ReadonlyMap<string, string> = new Map([
  ['n_epochs', 'epochs'],
  ['batch_size', 'batchSizeSamples'],
  ['learning_rate', 'learningRate'],
]);

function jobAsked(body: JsonObject, facts: CallFacts): JsonObject {
  const training = asString(body.training_file);
  const validation = asString(body.validation_file);
  const supervised = asObject(asObject(body.method)?.supervised);
  const parameters = { ...asObject(body.hyperparameters), ...asObject(supervised?.hyperparameters) };
  const chosen = Object.entries(parameters).filter(([, value]) => value !== 'auto');
  return compact({
    baseModel: body.model,
    dataset: training === undefined ? undefined : datasetName(training, facts),
    evaluationDataset: validation === undefined ? undefined : datasetName(validation, facts),
    outputModel: asString(body.suffix),
    wandbConfig: wandbOf(body.integrations),
    ...Object.fromEntries(chosen.map(([name, value]) => [parameterNames.get(name) ?? name, value])),
    ...omit(body, translated),
  });
}

function wandbOf(integrations: Json | undefined): JsonObject | undefined {
  const wandb = asObject(asObjects(integrations).find(({ type }) => type === 'wandb')?.wandb);
  return wandb === undefined ? undefined : compact({ enabled: true, project: wandb.project, entity: wandb.entity });
}

const statuses: ReadonlyMap<string, string> = new Map([
  ['VALIDATING', 'queued'],
  ['PENDING', 'queued'],
  ['CREATING', 'running'],
  ['RUNNING', 'running'],
  ['EVALUATION', 'running'],
  ['WRITING_RESULTS', 'running'],
  ['COMPLETED', 'succeeded'],
  ['FAILED', 'failed'],
  ['CANCELLED', 'cancelled'],
  ['EXPIRED', 'cancelled'],
  ['DELETING', 'cancelled'],
  ['DELETING_CLEANING_UP', 'cancelled'],
]);

function jobOf(job: JsonObject): JsonObject {
  const status = statuses.get((asString(job.state) ?? '').replace(/^JOB_STATE_/, '')) ?? 'queued';
  return compact({
    id: idOf(job.name),
    object: 'fine_tuning.job',
    created_at: unixSeconds(job.createTime),
    finished_at: unixSeconds(job.completedTime) ?? null,
    model: job.baseModel ?? job.warmStartFrom,
    fine_tuned_model: status === 'succeeded' ? (job.outputModel ?? null) : null,
    status,
    training_file: idOf(job.dataset) || null,
    validation_file: idOf(job.evaluationDataset) || null,
    hyperparameters: compact({
      n_epochs: job.epochs,
      batch_size: job.batchSizeSamples,
      learning_rate: job.learningRate,
    }),
    result_files: [],
    trained_tokens: null,
    error: status === 'failed' ? faultOf(job.status) : null,
  });
}

function faultOf(status: Json | undefined): JsonObject {
  const { code, message } = asObject(status) ?? {};
  return { code: code ?? 'UNKNOWN', message: message ?? 'The job has failed.', param: null };
}
