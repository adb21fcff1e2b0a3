import {
  asArray,
  asObject,
  asObjects,
  asString,
  compact,
  type Endpoints,
  type JsonObject,
  omit,
  type ReplyFacts,
} from 'portcullis/sdk';
import { explained } from './shapes.ts';

const jobs = '/fine_tuning/jobs';
const spec = { dialect: 'fine-tuning', repair: (json: JsonObject) => jobOf(explained(json)) } as const;

/**
 * Source: https://github.com/mistralai/client-python (`docs/sdks/finetuningjobs`). Mistral calls it deprecated:
 * https://docs.mistral.ai/resources/deprecated/finetuning. Events and checkpoints are part of the job.
 */
export const fineTuning: Endpoints = {
  createFinetune: { ...spec, path: jobs, request: jobAsked },
  listFinetunes: { ...spec, method: 'GET', path: jobs, repair: (json) => listed(explained(json), json.data, jobOf) },
  retrieveFinetune: { ...spec, method: 'GET', path: `${jobs}/{id}` },
  cancelFinetune: { ...spec, path: `${jobs}/{id}/cancel` },
  listFinetuneEvents: {
    ...spec,
    method: 'GET',
    path: `${jobs}/{id}`,
    repair: (json) => listed(explained(json), json.events, eventOf),
  },
  listFinetuneCheckpoints: {
    ...spec,
    method: 'GET',
    path: `${jobs}/{id}`,
    repair: (json, reply) => listed(explained(json), json.checkpoints, (item) => checkpointOf(item, reply)),
  },
};

const single: ReadonlySet<string> = new Set(['training_file', 'validation_file', 'hyperparameters']);

/** Files are lists here, and hyperparameters have names of their own; `auto` is what is left out. */
function jobAsked(body: JsonObject): JsonObject {
  const training = asString(body.training_file);
  const validation = asString(body.validation_file);
  const { n_epochs, ...parameters } = asObject(body.hyperparameters) ?? {};
  const chosen = Object.entries({ ...compact({ epochs: n_epochs }), ...parameters }).filter(
    ([, value]) => value !== 'auto',
  );
  return compact({
    training_files: training === undefined ? undefined : [{ file_id: training }],
    validation_files: validation === undefined ? undefined : [validation],
    hyperparameters: Object.fromEntries(chosen),
    auto_start: true,
    ...omit(body, single),
  });
}

const statuses: ReadonlyMap<string | undefined, string> = new Map([
  ['VALIDATING', 'validating_files'],
  ['VALIDATED', 'queued'],
  ['QUEUED', 'queued'],
  ['STARTED', 'running'],
  ['RUNNING', 'running'],
  ['SUCCESS', 'succeeded'],
  ['FAILED', 'failed'],
  ['FAILED_VALIDATION', 'failed'],
  ['CANCELLATION_REQUESTED', 'cancelled'],
  ['CANCELLED', 'cancelled'],
]);

const ends: ReadonlySet<string> = new Set(['succeeded', 'failed', 'cancelled']);
const apart: ReadonlySet<string> = new Set([
  'training_files',
  'validation_files',
  'modified_at',
  'events',
  'checkpoints',
]);

function jobOf(job: JsonObject): JsonObject {
  const word = asString(job.status);
  if (word === undefined || asString(job.id) === undefined) return job;
  const status = statuses.get(word) ?? 'queued';
  const { epochs, ...parameters } = asObject(job.hyperparameters) ?? {};
  return compact({
    ...omit(job, apart),
    object: 'fine_tuning.job',
    status,
    training_file: asArray(job.training_files)[0] ?? null,
    validation_file: asArray(job.validation_files)[0] ?? null,
    finished_at: ends.has(status) ? (job.modified_at ?? null) : null,
    fine_tuned_model: job.fine_tuned_model ?? null,
    hyperparameters: compact({ ...parameters, n_epochs: epochs }),
    result_files: [],
    trained_tokens: job.trained_tokens ?? null,
  });
}

function eventOf({ name, created_at, data }: JsonObject): JsonObject {
  const message = asString(asObject(data)?.error) ?? name;
  const level = asObject(data)?.error === undefined ? 'info' : 'error';
  return compact({ object: 'fine_tuning.job.event', created_at, level, message, type: 'message', data });
}

function checkpointOf({ step_number, created_at, metrics }: JsonObject, { facts }: ReplyFacts): JsonObject {
  const job = facts.params.id ?? '';
  return compact({
    object: 'fine_tuning.job.checkpoint',
    id: `${job}:${String(step_number ?? '')}`,
    created_at,
    fine_tuning_job_id: job,
    step_number,
    metrics,
  });
}

/** An error is no list. */
function listed(json: JsonObject, items: unknown, read: (item: JsonObject) => JsonObject): JsonObject {
  if (json.status === undefined && json.data === undefined) return json;
  return { object: 'list', data: asObjects(items).map(read), has_more: false };
}
