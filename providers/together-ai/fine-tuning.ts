import {
  asObject,
  asObjects,
  asString,
  compact,
  type EndpointSpec,
  type Endpoints,
  type Json,
  type JsonObject,
  omit,
  type ReplyFacts,
  unixSeconds,
} from 'portcullis/sdk';

const jobs = '/fine-tunes';
const spec = { dialect: 'fine-tuning' } as const satisfies Partial<EndpointSpec>;

/** https://docs.together.ai/reference/post-fine-tunes and its neighbours. */
export const fineTuning: Endpoints = {
  createFinetune: { ...spec, path: jobs, request: jobAsked, repair: jobOf },
  listFinetunes: { ...spec, method: 'GET', path: jobs, repair: (json) => listed(json, jobOf) },
  retrieveFinetune: { ...spec, method: 'GET', path: `${jobs}/{id}`, repair: jobOf },
  cancelFinetune: { ...spec, path: `${jobs}/{id}/cancel`, repair: jobOf },
  listFinetuneEvents: {
    ...spec,
    method: 'GET',
    path: `${jobs}/{id}/events`,
    repair: (json) => listed(json, eventOf),
  },
  listFinetuneCheckpoints: {
    ...spec,
    method: 'GET',
    path: `${jobs}/{id}/checkpoints`,
    repair: (json, reply) => listed(json, (checkpoint) => checkpointOf(checkpoint, reply)),
  },
};

const nested: ReadonlySet<string> = new Set(['hyperparameters', 'method', 'seed']);

/** What stands in `hyperparameters` and in `method` there stands beside the model here. */
function jobAsked(body: JsonObject): JsonObject {
  const kind = asString(asObject(body.method)?.type);
  const method = kind === undefined ? undefined : asObject(asObject(body.method)?.[kind]);
  const { beta, ...parameters } = { ...asObject(body.hyperparameters), ...asObject(method?.hyperparameters) };
  const chosen = Object.entries(parameters).filter(([, value]) => value !== 'auto');
  return compact({
    ...Object.fromEntries(chosen),
    training_method: methodOf(kind, beta),
    random_seed: body.seed,
    ...omit(body, nested),
  });
}

function methodOf(kind: string | undefined, beta: Json | undefined): JsonObject | undefined {
  if (kind === undefined) return undefined;
  if (kind !== 'dpo') return { method: kind === 'supervised' ? 'sft' : kind };
  return compact({ method: 'dpo', dpo_beta: beta === 'auto' ? undefined : beta });
}

const statuses: ReadonlyMap<string | undefined, string> = new Map([
  ['pending', 'queued'],
  ['queued', 'queued'],
  ['cancel_requested', 'cancelled'],
  ['cancelled', 'cancelled'],
  ['error', 'failed'],
  ['user_error', 'failed'],
  ['completed', 'succeeded'],
]);

function jobOf(job: JsonObject): JsonObject {
  const word = asString(job.status);
  if (asString(job.id) === undefined || word === undefined) return job;
  const status = statuses.get(word) ?? 'running';
  const { n_epochs, batch_size } = job;
  return compact({
    ...omit(job, new Set(['events', 'updated_at', 'random_seed'])),
    object: 'fine_tuning.job',
    status,
    created_at: unixSeconds(job.created_at),
    finished_at: ended(status) ? (unixSeconds(job.updated_at) ?? null) : null,
    started_at: unixSeconds(job.started_at),
    fine_tuned_model: status === 'succeeded' ? (job.model_output_name ?? null) : null,
    hyperparameters: compact({ n_epochs, batch_size, learning_rate: job.learning_rate }),
    trained_tokens: job.token_count ?? null,
    validation_file: job.validation_file || null,
    result_files: [],
    seed: job.random_seed ?? undefined,
  });
}

const ended = (status: string) => status === 'succeeded' || status === 'failed' || status === 'cancelled';

function eventOf({ created_at, level, message, hash, type, ...data }: JsonObject): JsonObject {
  return compact({
    object: 'fine_tuning.job.event',
    id: hash,
    created_at: unixSeconds(created_at),
    level: levelOf(asString(level)),
    message,
    type: 'message',
    data: { ...omit(data, new Set(['object'])), type: type ?? null },
  });
}

function levelOf(level: string | undefined): string {
  if (level?.endsWith('error')) return 'error';
  return level === 'warning' || level === 'legacy_iwarning' ? 'warn' : 'info';
}

function checkpointOf({ step, path, created_at, ...rest }: JsonObject, { facts }: ReplyFacts): JsonObject {
  const job = facts.params.id ?? '';
  return compact({
    ...rest,
    object: 'fine_tuning.job.checkpoint',
    id: `${job}:${String(step ?? '')}`,
    created_at: unixSeconds(created_at),
    fine_tuned_model_checkpoint: path,
    fine_tuning_job_id: job,
    step_number: step,
    metrics: {},
  });
}

function listed(json: JsonObject, read: (item: JsonObject) => JsonObject): JsonObject {
  if (!Array.isArray(json.data)) return json;
  return { object: 'list', has_more: false, ...json, data: asObjects(json.data).map(read) };
}
