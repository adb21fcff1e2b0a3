import { asNumber, asString, compact, type JsonObject, unixSeconds } from 'portcullis/sdk';

const statuses: ReadonlyMap<string, string> = new Map([
  ['processing', 'in_progress'],
  ['complete', 'completed'],
  ['cancelling', 'cancelling'],
  ['cancelled', 'cancelled'],
  ['failed', 'failed'],
  ['BATCH_STATUS_IN_PROGRESS', 'in_progress'],
  ['BATCH_STATUS_COMPLETED', 'completed'],
  ['BATCH_STATUS_CANCELING', 'cancelling'],
  ['BATCH_STATUS_CANCELED', 'cancelled'],
  ['BATCH_STATUS_FAILED', 'failed'],
]);

/** A job that embeds a dataset, as a batch. Source: https://docs.cohere.com/reference/get-embed-job. */
export function batchOfJob(job: JsonObject): JsonObject {
  return batchOf(job, asString(job.job_id) ?? '', '/v1/embeddings');
}

/** A batch of chats. Source: https://docs.cohere.com/reference/get-batch. */
export function batchOfChats(batch: JsonObject): JsonObject {
  return batchOf(batch, asString(batch.id) ?? '', '/v1/chat/completions');
}

function batchOf(job: JsonObject, id: string, endpoint: string): JsonObject {
  const status = statuses.get(asString(job.status) ?? '') ?? 'validating';
  const ended = unixSeconds(job.updated_at);
  const total = asNumber(job.num_records);
  const reason = asString(job.status_reason);
  return compact({
    id,
    object: 'batch',
    endpoint,
    model: asString(job.model),
    input_file_id: asString(job.input_dataset_id) ?? '',
    completion_window: '24h',
    status,
    output_file_id: asString(job.output_dataset_id) || null,
    error_file_id: null,
    created_at: unixSeconds(job.created_at) ?? 0,
    completed_at: status === 'completed' ? ended : undefined,
    failed_at: status === 'failed' ? ended : undefined,
    cancelled_at: status === 'cancelled' ? ended : undefined,
    errors: status === 'failed' && reason ? { object: 'list', data: [{ message: reason }] } : undefined,
    request_counts:
      total === undefined
        ? undefined
        : {
            total,
            completed: asNumber(job.num_successful_records) ?? 0,
            failed: asNumber(job.num_failed_records) ?? 0,
          },
    metadata: null,
  });
}
