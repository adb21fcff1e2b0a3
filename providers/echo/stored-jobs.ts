import { GatewayError, type JsonObject } from 'portcullis/sdk';
import type { SentBody } from './body.ts';
import { type Kind, type Place, started } from './collections.ts';
import { nowSeconds } from './media.ts';
import { pageOf } from './shelf.ts';

/** Fine-tuning jobs, which succeed when they are first looked at: until then they can be cancelled. */
export const jobs: Kind = {
  path: '/fine_tuning/jobs',
  object: 'fine_tuning.job',
  create,
  refresh: (job) => (job.status === 'validating_files' ? succeeded(job) : job),
  actions: { cancel },
  views: { events, checkpoints },
};

function create({ json }: SentBody, place: Place): JsonObject {
  const { model, training_file } = json;
  if (typeof model !== 'string' || typeof training_file !== 'string')
    throw new GatewayError('bad_request', 'model and training_file are required.', { param: 'training_file' });
  return {
    ...started('fine_tuning.job', 'ftjob-', place),
    model,
    status: 'validating_files',
    training_file,
    validation_file: json.validation_file ?? null,
    organization_id: 'org-echo',
    result_files: [],
    fine_tuned_model: null,
    finished_at: null,
    trained_tokens: null,
    seed: json.seed ?? 0,
    method: json.method ?? { type: 'supervised', supervised: { hyperparameters: { n_epochs: 'auto' } } },
    hyperparameters: json.hyperparameters ?? { n_epochs: 'auto' },
    error: null,
    metadata: json.metadata ?? null,
  };
}

function succeeded(job: JsonObject): JsonObject {
  const fine_tuned_model = `ft:${job.model}:${job.id}`;
  return { ...job, status: 'succeeded', finished_at: nowSeconds(), trained_tokens: 1000, fine_tuned_model };
}

function cancel(job: JsonObject): JsonObject {
  if (job.status !== 'validating_files')
    throw new GatewayError('conflict', `A job with the status ${job.status} cannot be cancelled.`);
  return { ...job, status: 'cancelled', finished_at: nowSeconds() };
}

function events(job: JsonObject, _: SentBody, { query }: Place): JsonObject {
  const event = (name: string, created_at: JsonObject[string] | undefined) => ({
    object: 'fine_tuning.job.event',
    id: `ftevent-${job.id}-${name}`,
    created_at: created_at ?? null,
    level: 'info',
    message: `The job is ${name}.`,
    data: null,
    type: 'message',
  });
  const first = event('validating_files', job.created_at);
  return pageOf(job.finished_at === null ? [first] : [event(String(job.status), job.finished_at), first], query);
}

function checkpoints(job: JsonObject, _: SentBody, { query }: Place): JsonObject {
  const checkpoint = {
    object: 'fine_tuning.job.checkpoint',
    id: `ftckpt_${job.id}`,
    created_at: job.finished_at ?? null,
    fine_tuned_model_checkpoint: `${job.fine_tuned_model}:ckpt-step-100`,
    fine_tuning_job_id: job.id ?? null,
    metrics: { step: 100, train_loss: 0.1 },
    step_number: 100,
  };
  return pageOf(job.status === 'succeeded' ? [checkpoint] : [], query);
}
