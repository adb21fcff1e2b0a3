import { asNumber, asObject, asString, compact, type Json, type JsonObject, unixSeconds } from 'portcullis/sdk';

const statuses: ReadonlyMap<string, string> = new Map([
  ['STATUS_QUEUED', 'queued'],
  ['STATUS_FINETUNING', 'running'],
  ['STATUS_DEPLOYING_API', 'running'],
  ['STATUS_READY', 'succeeded'],
  ['STATUS_PAUSED', 'succeeded'],
  ['STATUS_TEMPORARILY_OFFLINE', 'succeeded'],
  ['STATUS_FAILED', 'failed'],
  ['STATUS_DELETED', 'cancelled'],
]);

/** A fine-tuned model as the job that makes it. Source: https://docs.cohere.com/reference/getfinetunedmodel. */
export function jobOf(model: JsonObject): JsonObject {
  const settings = asObject(model.settings);
  const base = asObject(settings?.base_model);
  const status = statuses.get(asString(model.status) ?? '') ?? 'queued';
  const id = asString(model.id) ?? '';
  const tuned = asObject(settings?.hyperparameters);
  return compact({
    id,
    object: 'fine_tuning.job',
    model: asString(base?.name) || (asString(base?.base_type) ?? ''),
    created_at: unixSeconds(model.created_at) ?? 0,
    finished_at: unixSeconds(model.completed_at) ?? null,
    fine_tuned_model: status === 'succeeded' ? `${id}-ft` : null,
    organization_id: asString(model.organization_id) ?? '',
    status,
    training_file: asString(settings?.dataset_id) ?? '',
    validation_file: null,
    result_files: [],
    trained_tokens: null,
    error: status === 'failed' ? { code: 'failed', message: 'The fine-tuning failed.', param: null } : null,
    hyperparameters: compact({
      n_epochs: asNumber(tuned?.train_epochs),
      batch_size: asNumber(tuned?.train_batch_size),
      learning_rate: asNumber(tuned?.learning_rate),
    }),
    user_provided_suffix: asString(model.name) ?? null,
  });
}

const baseTypes: ReadonlyMap<string, string> = new Map([
  ['chat', 'BASE_TYPE_CHAT'],
  ['generative', 'BASE_TYPE_GENERATIVE'],
  ['classification', 'BASE_TYPE_CLASSIFICATION'],
  ['rerank', 'BASE_TYPE_RERANK'],
]);

const known = new Set([
  ...['model', 'training_file', 'validation_file', 'suffix', 'hyperparameters', 'integrations', 'name', 'settings'],
  ...['method', 'seed', 'metadata'],
]);

/** The request for a job in the provider's words. Source: https://docs.cohere.com/reference/createfinetunedmodel. */
export function askedModel(body: JsonObject): JsonObject {
  const model = asString(body.model) ?? '';
  const type = baseTypes.get(model) ?? (model.startsWith('BASE_TYPE_') ? model : undefined);
  const integration = Array.isArray(body.integrations) ? asObject(body.integrations[0]) : undefined;
  const own = asObject(body.settings);
  return compact({
    ...Object.fromEntries(Object.entries(body).filter(([key]) => !known.has(key))),
    name: asString(body.name) ?? asString(body.suffix) ?? `tuned-${asString(body.training_file) ?? model}`,
    settings: compact({
      base_model: compact({
        base_type: type ?? 'BASE_TYPE_CHAT',
        name: type === undefined ? model || undefined : undefined,
      }),
      dataset_id: asString(body.training_file),
      hyperparameters: hyperparametersOf(asObject(body.hyperparameters)),
      wandb: integration?.type === 'wandb' ? asObject(integration.wandb) : undefined,
      ...own,
    }),
  });
}

/** "auto" is what the provider does anyway. */
function hyperparametersOf(given: JsonObject | undefined): JsonObject | undefined {
  if (given === undefined) return undefined;
  const { n_epochs, batch_size, learning_rate_multiplier: _, ...rest } = given;
  const told = (value: Json | undefined) => (value === 'auto' ? undefined : value);
  const fields = compact({ ...rest, train_epochs: told(n_epochs), train_batch_size: told(batch_size) });
  return Object.keys(fields).length === 0 ? undefined : fields;
}
