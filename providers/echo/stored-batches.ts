import {
  asObject,
  asString,
  GatewayError,
  type JsonObject,
  type LocalReply,
  type LocalRequest,
  parseJson,
} from 'portcullis/sdk';
import { type SentBody, textOf } from './body.ts';
import { type Kind, type Place, started } from './collections.ts';
import { nowSeconds } from './media.ts';
import { contentOf, keepFile } from './stored-files.ts';

type Serve = (request: LocalRequest) => Promise<LocalReply>;

const maxLines = 1000;
const dayInSeconds = 86_400;

/** Batches run when they are first looked at: until then they can be cancelled. */
export function batches(serve: Serve): Kind {
  return {
    path: '/batches',
    object: 'batch',
    create,
    refresh: (batch, place) => {
      if (batch.status === 'cancelling') return { ...batch, status: 'cancelled', cancelled_at: nowSeconds() };
      return batch.status === 'validating' ? run(batch, place, serve) : batch;
    },
    actions: { cancel },
  };
}

function create({ json }: SentBody, place: Place): JsonObject {
  const { input_file_id, endpoint, completion_window } = json;
  if (typeof input_file_id !== 'string' || typeof endpoint !== 'string')
    throw new GatewayError('bad_request', 'input_file_id and endpoint are required.', { param: 'input_file_id' });
  const batch = started('batch', 'batch_', place);
  return {
    ...batch,
    endpoint,
    errors: null,
    input_file_id,
    completion_window: completion_window ?? '24h',
    status: 'validating',
    output_file_id: null,
    error_file_id: null,
    expires_at: Number(batch.created_at) + dayInSeconds,
    request_counts: { total: 0, completed: 0, failed: 0 },
    metadata: json.metadata ?? null,
  };
}

function cancel(batch: JsonObject): JsonObject {
  if (batch.status !== 'validating')
    throw new GatewayError('conflict', `A batch with the status ${batch.status} cannot be cancelled.`);
  return { ...batch, status: 'cancelling', cancelling_at: nowSeconds() };
}

async function run(batch: JsonObject, place: Place, serve: Serve): Promise<JsonObject> {
  const input = contentOf(String(batch.input_file_id));
  const lines =
    input === undefined
      ? []
      : textOf(input)
          .split('\n')
          .filter((line) => line.trim() !== '');
  if (lines.length === 0 || lines.length > maxLines) {
    const message = input === undefined ? 'There is no such file.' : `The file must hold 1 to ${maxLines} lines.`;
    const errors = { object: 'list', data: [{ code: 'invalid_file', message, param: 'input_file_id', line: null }] };
    return { ...batch, status: 'failed', failed_at: nowSeconds(), errors };
  }
  const answers: JsonObject[] = [];
  for (const line of lines) answers.push(await answerTo(line, String(batch.endpoint), place, serve));
  const isDone = ({ response }: JsonObject) => Number(asObject(response)?.status_code) < 400;
  const done = answers.filter(isDone);
  const failed = answers.filter((answer) => !isDone(answer));
  const now = nowSeconds();
  return {
    ...batch,
    status: 'completed',
    in_progress_at: now,
    finalizing_at: now,
    completed_at: now,
    output_file_id: fileOf(done, 'output', place),
    error_file_id: fileOf(failed, 'error', place),
    request_counts: { total: answers.length, completed: done.length, failed: failed.length },
  };
}

function fileOf(answers: readonly JsonObject[], name: string, place: Place): string | null {
  if (answers.length === 0) return null;
  const text = answers.map((answer) => `${JSON.stringify(answer)}\n`).join('');
  return keepFile(new TextEncoder().encode(text), `batch_${name}.jsonl`, 'batch_output', place);
}

async function answerTo(line: string, endpoint: string, place: Place, serve: Serve): Promise<JsonObject> {
  const asked = asObject(parseJson(line));
  const body = { ...asObject(asked?.body), stream: false };
  const reply = await serve({
    ...place.request,
    method: 'POST',
    path: endpoint.replace(/^\/v1(?=\/)/, ''),
    headers: { 'content-type': 'application/json' },
    body: new TextEncoder().encode(JSON.stringify(body)),
  });
  const chunks: Uint8Array[] = [];
  for await (const chunk of reply.body) chunks.push(chunk);
  const said = parseJson(Buffer.concat(chunks).toString('utf8')) ?? null;
  return {
    id: place.newId('batch_req_'),
    custom_id: asString(asked?.custom_id) ?? null,
    response: { status_code: reply.status, request_id: place.newId('req_'), body: said },
    error: null,
  };
}
