import {
  asNumber,
  asObject,
  asObjects,
  asString,
  compact,
  type Endpoints,
  type Flow,
  type JsonObject,
  type Settings,
  unixSeconds,
} from 'portcullis/sdk';
import { jobFlows } from './job-flows.ts';
import { jobName, jobRole, segment } from './jobs.ts';
import { control, folderOf, placeOf, uriOf } from './places.ts';

const jobs = '/model-customization-jobs';
const job = (settings: Settings, id: string) => control(settings, `${jobs}/${segment(id, 'id')}`);

/** https://docs.aws.amazon.com/bedrock/latest/APIReference/API_CreateModelCustomizationJob.html */
const create: Flow = async ({ facts: { settings }, body }, tools) => {
  const training = placeOf(asString(body.training_file) ?? '', 'training_file', settings);
  const validation =
    asString(body.validation_file) === undefined
      ? undefined
      : placeOf(String(body.validation_file), 'validation_file', settings);
  const name = jobName(body.job_name ?? body.suffix, tools.newId('ft-'));
  const folder = training.key.slice(0, training.key.lastIndexOf('/') + 1);
  const output = asString(body.output_file);
  const asked = compact({
    jobName: name,
    customModelName: jobName(body.custom_model_name ?? body.suffix, name),
    roleArn: jobRole(body, settings),
    baseModelIdentifier: body.model,
    customizationType: body.customization_type ?? 'FINE_TUNING',
    trainingDataConfig: { s3Uri: uriOf(training) },
    validationDataConfig: validation === undefined ? undefined : { validators: [{ s3Uri: uriOf(validation) }] },
    outputDataConfig: {
      s3Uri:
        output === undefined
          ? uriOf({ ...training, key: `${folder}output/` })
          : folderOf(output, 'output_file', settings),
    },
    hyperParameters: parametersOf(body),
  });
  await tools.send({ method: 'POST', url: control(settings, jobs), body: asked });
  return { status: 200, json: jobOf({ ...asked, status: 'InProgress', creationTime: tools.nowSeconds() }) };
};

const parameters: Readonly<Record<string, string>> = {
  n_epochs: 'epochCount',
  batch_size: 'batchSize',
  learning_rate_multiplier: 'learningRate',
};

/** Texts, by the platform's names; `auto` is what it does without being told. */
function parametersOf(body: JsonObject): JsonObject | undefined {
  const method = asObject(body.method);
  const given =
    asObject(body.hyperparameters) ?? asObject(asObject(method?.[asString(method?.type) ?? ''])?.hyperparameters) ?? {};
  const told = Object.entries(given).filter(([, value]) => value !== 'auto' && value !== null);
  if (told.length === 0) return undefined;
  return Object.fromEntries(told.map(([name, value]) => [parameters[name] ?? name, String(value)]));
}

const states: Readonly<Record<string, string>> = {
  InProgress: 'running',
  Completed: 'succeeded',
  Failed: 'failed',
  Stopping: 'cancelled',
  Stopped: 'cancelled',
};

/** https://docs.aws.amazon.com/bedrock/latest/APIReference/API_GetModelCustomizationJob.html; a job is known by its name. */
function jobOf(json: JsonObject): JsonObject {
  const status = states[asString(json.status) ?? ''] ?? 'queued';
  const encoded = (uri: string | undefined) => (uri === undefined ? null : encodeURIComponent(uri));
  const [validator] = asObjects(asObject(json.validationDataConfig)?.validators);
  const model = asString(json.outputModelArn) ?? asString(json.customModelArn);
  const told = asObject(json.hyperParameters);
  return {
    id: asString(json.jobName) ?? '',
    object: 'fine_tuning.job',
    created_at: unixSeconds(json.creationTime) ?? 0,
    finished_at: unixSeconds(json.endTime) ?? null,
    model: asString(json.baseModelIdentifier) ?? asString(json.baseModelArn)?.split('/').at(-1) ?? '',
    fine_tuned_model: status === 'succeeded' ? (model ?? null) : null,
    status,
    error: json.failureMessage === undefined ? null : { code: 'failed', message: json.failureMessage, param: null },
    hyperparameters: {
      n_epochs: numberOr(told?.epochCount),
      batch_size: numberOr(told?.batchSize),
      learning_rate_multiplier: numberOr(told?.learningRate),
    },
    training_file: encoded(asString(asObject(json.trainingDataConfig)?.s3Uri)) ?? '',
    validation_file: encoded(asString(validator?.s3Uri)),
    result_files: [],
    trained_tokens: null,
  };
}

function numberOr(text: unknown): number | 'auto' {
  return (text === undefined ? undefined : asNumber(Number(text))) ?? 'auto';
}

const { list, retrieve, cancel } = jobFlows({
  list: jobs,
  summaries: 'modelCustomizationJobSummaries',
  url: job,
  read: jobOf,
});

const reads = [
  ...['model', 'training_file', 'validation_file', 'suffix', 'hyperparameters', 'method', 'role_arn'],
  ...['job_name', 'custom_model_name', 'customization_type', 'output_file'],
];

export const tuning: Endpoints = {
  createFinetune: { path: jobs, dialect: 'fine-tuning', flow: create, reads },
  listFinetunes: { method: 'GET', path: jobs, dialect: 'fine-tuning', flow: list },
  retrieveFinetune: { method: 'GET', path: jobs, dialect: 'fine-tuning', flow: retrieve },
  cancelFinetune: { path: jobs, dialect: 'fine-tuning', flow: cancel },
};
