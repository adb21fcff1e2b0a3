import {
  asArray,
  asNumber,
  asObjects,
  asString,
  batchOutput,
  compact,
  type Endpoints,
  type Json,
  type JsonObject,
  omit,
  publishedFiles,
  type ReplyFacts,
} from 'portcullis/sdk';
import { explained } from './shapes.ts';

const published = publishedFiles();
const jobs = '/batch/jobs';
const spec = {
  dialect: 'batches',
  repair: (json: JsonObject, reply: ReplyFacts) => batchOf(explained(json), reply),
} as const;

/** https://docs.mistral.ai/api/endpoint/files and /batch. */
export const batches: Endpoints = {
  ...published,
  uploadFile: { ...published.uploadFile, repair: explained },
  createBatch: { ...spec, path: jobs, request: jobAsked },
  listBatches: { ...spec, method: 'GET', path: jobs, repair: listOf },
  retrieveBatch: { ...spec, method: 'GET', path: `${jobs}/{id}` },
  cancelBatch: { ...spec, path: `${jobs}/{id}/cancel` },
  getBatchOutput: {
    method: 'GET',
    path: `${jobs}/{id}`,
    reply: 'bytes',
    flow: batchOutput({
      batch: (id) => `${jobs}/${id}`,
      content: (id) => `/files/${id}/content`,
      file: (job) => asString(job.output_file) || asString(job.error_file),
    }),
  },
};

const renamedHere: ReadonlySet<string> = new Set(['input_file_id', 'completion_window']);

function jobAsked(body: JsonObject): JsonObject {
  const file = asString(body.input_file_id);
  const [, hours] = /^(\d+)h$/.exec(asString(body.completion_window) ?? '') ?? [];
  return compact({
    input_files: file === undefined ? undefined : [file],
    timeout_hours: hours === undefined ? undefined : Number(hours),
    ...omit(body, renamedHere),
  });
}

const statuses: ReadonlyMap<string | undefined, string> = new Map([
  ['QUEUED', 'validating'],
  ['RUNNING', 'in_progress'],
  ['SUCCESS', 'completed'],
  ['FAILED', 'failed'],
  ['TIMEOUT_EXCEEDED', 'expired'],
  ['CANCELLATION_REQUESTED', 'cancelling'],
  ['CANCELLED', 'cancelled'],
]);

const ends: ReadonlySet<string> = new Set(['completed', 'failed', 'expired', 'cancelled']);

const named: ReadonlySet<string> = new Set([
  'input_files',
  'output_file',
  'error_file',
  'started_at',
  'completed_at',
  'total_requests',
  'completed_requests',
  'succeeded_requests',
  'failed_requests',
]);

function batchOf(job: JsonObject, { asked }: ReplyFacts): JsonObject {
  const word = asString(job.status);
  if (word === undefined || asString(job.id) === undefined) return job;
  const status = statuses.get(word) ?? 'validating';
  return compact({
    ...omit(job, named),
    object: 'batch',
    status,
    input_file_id: asArray(job.input_files)[0] ?? null,
    output_file_id: job.output_file ?? null,
    error_file_id: job.error_file ?? null,
    completion_window: asString(asked.completion_window) ?? '24h',
    in_progress_at: job.started_at ?? null,
    ...(ends.has(status) ? { [`${status}_at`]: job.completed_at ?? null } : {}),
    request_counts: countsOf(job),
    errors: errorsOf(job.errors),
  });
}

function countsOf({ total_requests, succeeded_requests, failed_requests }: JsonObject): JsonObject {
  const [total, completed, failed] = [total_requests, succeeded_requests, failed_requests].map(
    (count) => asNumber(count) ?? 0,
  );
  return compact({ total, completed, failed });
}

function errorsOf(errors: Json | undefined): Json {
  const data = asObjects(errors);
  return data.length === 0 ? null : { object: 'list', data };
}

function listOf(json: JsonObject, reply: ReplyFacts): JsonObject {
  if (!Array.isArray(json.data)) return explained(json);
  return { ...json, object: 'list', data: asObjects(json.data).map((job) => batchOf(job, reply)), has_more: false };
}
