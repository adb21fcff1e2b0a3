import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { asArray, asObject, asObjects, type Endpoint, type Json, type JsonObject } from 'portcullis/sdk';
import { isSuccess, recordedReply } from './cases.ts';
import { type Cell, cells } from './cells.ts';

type Shape = (body: JsonObject) => void;

function named(value: Json | undefined, what: string): void {
  assert.ok(typeof value === 'string' && value !== '', `${what} is ${JSON.stringify(value)}`);
}

function integer(value: Json | undefined, what: string): void {
  assert.ok(Number.isInteger(value), `${what} is ${JSON.stringify(value)}`);
}

function oneOf(value: Json | undefined, words: readonly string[], what: string): void {
  assert.ok(typeof value === 'string' && words.includes(value), `${what} is ${JSON.stringify(value)}`);
}

/** Unix seconds in every place of time, at any depth; null where nothing has happened yet. */
function checkTimes(value: Json | undefined, path = ''): void {
  for (const [name, member] of Object.entries(asObject(value) ?? asArray(value))) {
    const at = `${path}.${name}`;
    const isTime = /(^|_)(created|created_at|[a-z]+_at)$/.test(name) && !name.startsWith('x_');
    if (!isTime || typeof member === 'object') checkTimes(member, at);
    else
      assert.ok(
        Number.isInteger(member) && Number(member) > 1e9 && Number(member) < 1e11,
        `${at} is ${JSON.stringify(member)}`,
      );
  }
}

const file: Shape = (body) => {
  named(body.id, 'id');
  assert.equal(body.object, 'file');
  if (body.bytes !== undefined) integer(body.bytes, 'bytes');
  integer(body.created_at, 'created_at');
  assert.equal(typeof body.filename, 'string', 'filename');
  assert.equal(typeof body.purpose, 'string', 'purpose');
  if (body.status !== undefined) oneOf(body.status, ['uploaded', 'processed', 'error'], 'status');
};

const deletion: Shape = (body) => {
  named(body.id, 'id');
  assert.equal(body.object, 'file');
  assert.equal(body.deleted, true);
};

const batchStatuses = [
  'validating',
  'failed',
  'in_progress',
  'finalizing',
  'completed',
  'expired',
  'cancelling',
  'cancelled',
];

const batch: Shape = (body) => {
  named(body.id, 'id');
  assert.equal(body.object, 'batch');
  oneOf(body.status, batchStatuses, 'status');
  integer(body.created_at, 'created_at');
  for (const name of ['total', 'completed', 'failed']) {
    const count = asObject(body.request_counts)?.[name];
    if (count !== undefined) integer(count, `request_counts.${name}`);
  }
};

const jobStatuses = ['validating_files', 'queued', 'running', 'succeeded', 'failed', 'cancelled'];

const job: Shape = (body) => {
  named(body.id, 'id');
  assert.equal(body.object, 'fine_tuning.job');
  oneOf(body.status, jobStatuses, 'status');
  integer(body.created_at, 'created_at');
  named(body.model, 'model');
  for (const name of ['fine_tuned_model', 'validation_file']) {
    const value = body[name] ?? null;
    assert.ok(value === null || typeof value === 'string', `${name} is ${JSON.stringify(value)}`);
  }
  if (body.result_files !== undefined) assert.ok(Array.isArray(body.result_files), 'result_files');
  const tokens = body.trained_tokens ?? null;
  assert.ok(tokens === null || Number.isInteger(tokens), `trained_tokens is ${JSON.stringify(tokens)}`);
  const error = body.error ?? null;
  assert.ok(error === null || asObject(error) !== undefined, 'error is an object or null');
};

const jobEvent: Shape = (body) => {
  assert.equal(body.object, 'fine_tuning.job.event');
  integer(body.created_at, 'created_at');
  assert.equal(typeof body.message, 'string', 'message');
};

const checkpoint: Shape = (body) => {
  named(body.id, 'id');
  assert.equal(body.object, 'fine_tuning.job.checkpoint');
  integer(body.created_at, 'created_at');
};

function listOf(item: Shape): Shape {
  return (body) => {
    assert.equal(body.object, 'list');
    assert.equal(typeof body.has_more, 'boolean', 'has_more');
    assert.ok(Array.isArray(body.data), 'data');
    for (const [index, member] of asObjects(body.data).entries()) {
      try {
        item(member);
      } catch (cause) {
        throw new Error(`data[${index}]: ${(cause as Error).message}`, { cause });
      }
    }
  };
}

const pictures: Shape = (body) => {
  integer(body.created, 'created');
  const data = asObjects(body.data);
  assert.ok(data.length > 0, 'there is a picture');
  for (const { url, b64_json: bytes } of data) named(url ?? bytes, 'url or b64_json');
};

const ranking: Shape = (body) => {
  assert.equal(body.object, 'list');
  named(body.id, 'id');
  named(body.model, 'model');
  for (const { index, relevance_score: score } of asObjects(body.results)) {
    integer(index, 'index');
    assert.equal(typeof score, 'number', 'relevance_score');
  }
  assert.ok(asObjects(body.results).length > 0, 'there is a result');
};

const judgement: Shape = (body) => {
  named(body.id, 'id');
  named(body.model, 'model');
  for (const { flagged, categories, category_scores: scores } of asObjects(body.results)) {
    assert.equal(typeof flagged, 'boolean', 'flagged');
    assert.ok(
      Object.values(asObject(categories) ?? { none: '' }).every((value) => typeof value === 'boolean'),
      'categories',
    );
    assert.ok(
      Object.values(asObject(scores) ?? { none: '' }).every((value) => typeof value === 'number'),
      'category_scores',
    );
  }
  assert.ok(asObjects(body.results).length > 0, 'there is a result');
};

const pages: Shape = (body) => {
  named(body.model, 'model');
  for (const { index, markdown } of asObjects(body.pages)) {
    integer(index, 'index');
    assert.equal(typeof markdown, 'string', 'markdown');
  }
  assert.ok(asObjects(body.pages).length > 0, 'there is a page');
  integer(asObject(body.usage_info)?.pages_processed, 'usage_info.pages_processed');
};

const spoken: Shape = (body) => {
  assert.equal(typeof body.text, 'string', 'text');
};

const shapes: Readonly<Partial<Record<Endpoint, Shape>>> = {
  rerank: ranking,
  moderate: judgement,
  ocr: pages,
  imageGenerate: pictures,
  imageEdit: pictures,
  imageVariation: pictures,
  createTranscription: spoken,
  createTranslation: spoken,
  uploadFile: file,
  retrieveFile: file,
  deleteFile: deletion,
  listFiles: listOf(file),
  createBatch: batch,
  retrieveBatch: batch,
  cancelBatch: batch,
  listBatches: listOf(batch),
  createFinetune: job,
  retrieveFinetune: job,
  cancelFinetune: job,
  listFinetunes: listOf(job),
  listFinetuneEvents: listOf(jobEvent),
  listFinetuneCheckpoints: listOf(checkpoint),
};

function checkDocument({ recorded, built }: Cell): void {
  const body = asObject(recordedReply(recorded)?.json);
  const shape = shapes[built.outbound.chosen.endpoint];
  assert.ok(body !== undefined && shape !== undefined, 'a reply in JSON');
  shape(body);
  checkTimes(body);
}

const documents = cells.filter(
  ({ recorded, built }) =>
    built.outbound.chosen.dialect?.kind === 'document' && isSuccess(recorded) && recordedReply(recorded) !== undefined,
);

describe('a document has the members that its form requires', () => {
  for (const cell of documents) it(cell.recorded.title, () => checkDocument(cell));
});
