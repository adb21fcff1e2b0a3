import {
  asNumber,
  asObject,
  asObjects,
  asString,
  type CallFacts,
  compact,
  type Endpoints,
  type Flow,
  type FlowTools,
  type FormFile,
  GatewayError,
  type JsonObject,
  linesOf,
  listAfter,
  type ReplyFacts,
  type StreamedBody,
  unixSeconds,
  wordAsCode,
} from 'portcullis/sdk';
import { outputLine, uploadedLine } from './lines.ts';
import { bareId, host, named } from './places.ts';

const lines = 'application/jsonl';
/** A multiple of 256 KiB, as the API asks. */
const chunkBytes = 8 * 1024 * 1024;

const upload: Flow = async ({ body, files }, tools) => {
  const file = files.find(({ field }) => field === 'file') ?? files[0];
  if (file === undefined) throw new GatewayError('bad_request', 'The request needs file.', { param: 'file' });
  const forBatch = body.purpose === 'batch';
  const type = forBatch ? lines : file.contentType;
  const url = await sessionOf(file.filename, type, tools);
  const json = await (forBatch ? sendParts(url, uploadedLines(file), tools) : sendWhole(url, file, tools));
  return { status: 200, json: fileOf(asObject(json.file) ?? {}) };
};

async function sessionOf(display_name: string, type: string, tools: FlowTools): Promise<string> {
  const { headers } = await tools.send({
    method: 'POST',
    url: `${host}/upload/v1beta/files`,
    headers: {
      'x-goog-upload-protocol': 'resumable',
      'x-goog-upload-command': 'start',
      'x-goog-upload-header-content-type': type,
    },
    body: { file: { display_name } },
  });
  const given = headers['x-goog-upload-url'] ?? '';
  const url = URL.canParse(given) ? new URL(given) : undefined;
  // The credential goes along, so that the answer may not choose the host.
  if (url !== undefined) return `${host}${url.pathname}${url.search}`;
  throw new GatewayError('upstream_invalid', 'The provider named no place to upload to.');
}

async function* uploadedLines(file: FormFile): AsyncGenerator<Uint8Array> {
  let number = 0;
  for await (const line of linesOf(file.open())) {
    number += 1;
    yield Buffer.from(`${uploadedLine(line, number)}\n`);
  }
}

async function sendWhole(url: string, body: StreamedBody, tools: FlowTools): Promise<JsonObject> {
  const headers = { 'x-goog-upload-offset': '0', 'x-goog-upload-command': 'upload, finalize' };
  return (await tools.send({ method: 'POST', url, headers, body })).json;
}

/** Of a length that is not known before. */
async function sendParts(url: string, bytes: AsyncIterable<Uint8Array>, tools: FlowTools): Promise<JsonObject> {
  let held: Uint8Array[] = [];
  let size = 0;
  let offset = 0;
  const send = (body: Uint8Array, command: string) => {
    const headers = { 'x-goog-upload-offset': String(offset), 'x-goog-upload-command': command };
    offset += body.length;
    return tools.send({ method: 'POST', url, headers, body });
  };
  for await (const chunk of bytes) {
    held.push(chunk);
    size += chunk.length;
    while (size > chunkBytes) {
      const all = Buffer.concat(held);
      await send(all.subarray(0, chunkBytes), 'upload');
      held = [all.subarray(chunkBytes)];
      size -= chunkBytes;
    }
  }
  return (await send(Buffer.concat(held), 'upload, finalize')).json;
}

const states: Readonly<Record<string, string>> = { ACTIVE: 'processed', FAILED: 'error' };

/** A file in OpenAI's form, and its `uri`, which messages name it by. What it is for is told by its type alone. */
function fileOf(file: JsonObject): JsonObject {
  const purpose = file.source === 'GENERATED' ? 'batch_output' : file.mimeType === lines ? 'batch' : 'user_data';
  return compact({
    id: bareId(asString(file.name) ?? ''),
    object: 'file',
    bytes: asNumber(Number(file.sizeBytes)) ?? 0,
    created_at: unixSeconds(file.createTime) ?? 0,
    expires_at: unixSeconds(file.expirationTime),
    filename: asString(file.displayName) ?? bareId(asString(file.name) ?? ''),
    purpose,
    status: states[asString(file.state) ?? 'ACTIVE'] ?? 'uploaded',
    uri: file.uri,
  });
}

const firstPage = '/files?pageSize=100';

const list: Flow = async ({ facts: { query } }, tools) => {
  const json = await listAfter(query, async (token) => {
    const page = token === undefined ? '' : `&pageToken=${encodeURIComponent(token)}`;
    const { json } = await tools.send({ method: 'GET', url: `${firstPage}${page}` });
    const data = asObjects(json.files).map(fileOf);
    return { data: data.filter(({ purpose }) => (query.purpose ?? purpose) === purpose), next: json.nextPageToken };
  });
  return { status: 200, json };
};

/** Only files that the API made itself can be read, such as the output of batches. */
const content: Flow = async ({ facts }, tools) => openLines(facts.params.id ?? '', tools);

export async function openLines(id: string, tools: FlowTools) {
  const url = `${host}/download/v1beta/${named('files', id)}:download?alt=media`;
  const { body } = await tools.open({ method: 'GET', url });
  return { status: 200, contentType: lines, body: outputLines(body, tools) };
}

async function* outputLines(body: AsyncIterable<Uint8Array>, tools: FlowTools): AsyncGenerator<Uint8Array> {
  for await (const line of linesOf(body)) yield Buffer.from(`${outputLine(line, tools)}\n`);
}

const path = ({ params }: CallFacts) => `/${named('files', params.id ?? '')}`;
const shown = (json: JsonObject) =>
  json.error !== undefined && json.name === undefined ? wordAsCode(json) : fileOf(json);
const deleted = (json: JsonObject, { facts }: ReplyFacts) =>
  json.error === undefined ? { id: bareId(facts.params.id ?? ''), object: 'file', deleted: true } : wordAsCode(json);

/** https://ai.google.dev/api/files; files last 48 hours. */
export const files: Endpoints = {
  uploadFile: { path: '/files', dialect: 'files', flow: upload, reads: ['purpose'] },
  listFiles: { method: 'GET', path: firstPage, query: false, dialect: 'files', flow: list },
  retrieveFile: { method: 'GET', path, dialect: 'files', repair: shown },
  deleteFile: { method: 'DELETE', path, dialect: 'files', repair: deleted },
  retrieveFileContent: { method: 'GET', path, reply: 'bytes', flow: content },
};
