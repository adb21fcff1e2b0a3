import {
  asObject,
  asObjects,
  asString,
  compact,
  type Endpoints,
  type JsonObject,
  omit,
  publishedBatches,
  type ReplyFacts,
  unixSeconds,
} from 'portcullis/sdk';

const published = publishedBatches();

/** https://docs.together.ai/reference/batch-create and its neighbours. Lists are bare; a new batch comes inside `job`. */
export const batches: Endpoints = {
  createBatch: { ...published.createBatch, repair: created },
  listBatches: {
    ...published.listBatches,
    repairList: (list, reply) => ({
      object: 'list',
      data: asObjects(list).map((job) => batchOf(job, reply)),
      has_more: false,
    }),
  },
  retrieveBatch: { ...published.retrieveBatch, repair: batchOf },
  cancelBatch: { ...published.cancelBatch, repair: batchOf },
  getBatchOutput: published.getBatchOutput,
};

function created(json: JsonObject, reply: ReplyFacts): JsonObject {
  const job = asObject(json.job);
  if (job === undefined) return json;
  const { warning } = json;
  return { ...batchOf(job, reply), ...(warning === undefined || warning === '' ? {} : { warning }) };
}

const renamed: ReadonlySet<string> = new Set(['job_deadline', 'error', 'model_id']);

/** Statuses are OpenAI's, in capitals. */
function batchOf(job: JsonObject, { asked }: ReplyFacts): JsonObject {
  const status = asString(job.status)?.toLowerCase();
  if (asString(job.id) === undefined || status === undefined) return job;
  const message = asString(job.error);
  return compact({
    ...omit(job, renamed),
    object: 'batch',
    status,
    model: job.model_id,
    completion_window: asString(asked.completion_window) ?? '24h',
    errors: message ? { object: 'list', data: [{ message }] } : null,
    created_at: unixSeconds(job.created_at),
    completed_at: unixSeconds(job.completed_at),
    expires_at: unixSeconds(job.job_deadline),
  });
}
