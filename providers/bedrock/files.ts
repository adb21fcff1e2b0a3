import {
  asNumber,
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
  type Settings,
  type StreamedBody,
  unixSeconds,
} from 'portcullis/sdk';
import { outputLine, uploadedLine } from './lines.ts';
import { listedObjects } from './listing.ts';
import { bucketOf, idOf, objectUrl, type Place, placeOf } from './places.ts';

const service = 's3';

const upload: Flow = async ({ facts: { settings }, body, files }, tools) => {
  const file = files.find(({ field }) => field === 'file') ?? files[0];
  if (file === undefined) throw new GatewayError('bad_request', 'The request needs file.', { param: 'file' });
  const purpose = asString(body.purpose) ?? 'batch';
  const filename = asString(settings.providerFileName) ?? file.filename;
  const named = asString(settings.awsS3ObjectKey) ?? asString(settings.providerFileName);
  // Under the name that was asked for, or else where it takes the place of no other.
  const place = { bucket: bucketOf(settings), key: named ?? `${tools.newId('file-')}/${filename}` };
  const model = asString(settings.providerModel) ?? asString(body.model);
  const content = purpose === 'batch' ? await rewritten(file, model, settings) : file;
  const headers = compact({
    'content-type': purpose === 'batch' ? 'application/jsonl' : file.contentType,
    'x-amz-meta-purpose': headerText(purpose),
    'x-amz-meta-model': model === undefined ? undefined : headerText(model),
    'x-amz-server-side-encryption': asString(settings.amzServerSideEncryption),
    'x-amz-server-side-encryption-aws-kms-key-id': asString(settings.amzServerSideEncryptionAwsKmsKeyId),
  }) as Readonly<Record<string, string>>;
  await tools.send({ method: 'PUT', url: objectUrl(place, settings), headers, body: content, service });
  return { status: 200, json: fileOf(place, { bytes: content.size, created: tools.nowSeconds(), purpose }) };
};

function headerText(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, '_').slice(0, 256);
}

/** The lines as the platform reads them. They are written twice: once to know how long they are, which S3 must be told. */
async function rewritten(file: FormFile, model: string | undefined, settings: Settings): Promise<StreamedBody> {
  const open = () => uploadedLines(file, model, settings);
  let size = 0;
  for await (const line of open()) size += line.length;
  return { size, open };
}

async function* uploadedLines(
  file: FormFile,
  model: string | undefined,
  settings: Settings,
): AsyncGenerator<Uint8Array> {
  let number = 0;
  for await (const line of linesOf(file.open())) {
    number += 1;
    yield Buffer.from(`${uploadedLine(line, number, model, settings)}\n`);
  }
}

interface Known {
  readonly bytes: number;
  readonly created: number;
  readonly purpose: string;
}

function fileOf(place: Place, { bytes, created, purpose }: Known): JsonObject {
  const filename = place.key.split('/').at(-1) ?? place.key;
  return { id: idOf(place), object: 'file', bytes, created_at: created, filename, purpose, status: 'processed' };
}

const placeIn = ({ params, settings }: CallFacts) => placeOf(params.id ?? '', 'id', settings);

const retrieve: Flow = async ({ facts }, tools) => {
  const place = placeIn(facts);
  const { headers } = await tools.send({ method: 'HEAD', url: objectUrl(place, facts.settings), service });
  const bytes = asNumber(Number(headers['content-length'])) ?? 0;
  const created = unixSeconds(headers['last-modified']) ?? 0;
  return { status: 200, json: fileOf(place, { bytes, created, purpose: headers['x-amz-meta-purpose'] ?? 'batch' }) };
};

const list: Flow = async ({ facts: { settings, query } }, tools) => {
  const bucket = bucketOf(settings);
  const limit = Math.min(1000, Math.max(1, asNumber(Number(query.limit ?? 1000)) ?? 1000));
  const after = query.after === undefined ? undefined : placeOf(query.after, 'after', settings).key;
  const asked = new URLSearchParams({
    'list-type': '2',
    'encoding-type': 'url',
    'max-keys': String(limit),
    ...(after === undefined ? {} : { 'start-after': after }),
  });
  const url = objectUrl({ bucket, key: '' }, settings, `?${asked.toString().replaceAll('+', '%20')}`);
  const { bytes } = await tools.send({ method: 'GET', url, service });
  const { objects, more } = listedObjects(Buffer.from(bytes).toString('utf8'));
  const data = objects.map(({ key, size, modified }) =>
    fileOf(
      { bucket, key },
      { bytes: size, created: modified, purpose: /\.jsonl\.out$/.test(key) ? 'batch_output' : 'batch' },
    ),
  );
  return { status: 200, json: { object: 'list', data, has_more: more } };
};

const remove: Flow = async ({ facts }, tools) => {
  const place = placeIn(facts);
  await tools.send({ method: 'DELETE', url: objectUrl(place, facts.settings), service });
  return { status: 200, json: { id: idOf(place), object: 'file', deleted: true } };
};

const content: Flow = async ({ facts }, tools) => {
  const place = placeIn(facts);
  const model = asString(facts.settings.providerModel) ?? asString(facts.settings.awsBedrockModel) ?? '';
  return { status: 200, ...(await contentOf(place, model, facts.settings, tools)) };
};

/** The content of an object; what a batch has written comes in OpenAI's form. */
export async function contentOf(place: Place, model: string, settings: Settings, tools: FlowTools) {
  const { headers, body } = await tools.open({ method: 'GET', url: objectUrl(place, settings), service });
  if (!place.key.endsWith('.jsonl.out'))
    return { contentType: headers['content-type'] ?? 'application/octet-stream', body };
  return { contentType: 'application/jsonl', body: outputLines(body, model, tools) };
}

async function* outputLines(
  body: AsyncIterable<Uint8Array>,
  model: string,
  tools: FlowTools,
): AsyncGenerator<Uint8Array> {
  for await (const line of linesOf(body)) yield Buffer.from(`${outputLine(line, model, tools)}\n`);
}

/** Files are objects in a bucket of S3; lines for batches are rewritten for the platform. */
export const files: Endpoints = {
  uploadFile: { method: 'PUT', path: '/', dialect: 'files', flow: upload, reads: ['purpose', 'model'] },
  listFiles: { method: 'GET', path: '/', dialect: 'files', flow: list },
  retrieveFile: { method: 'GET', path: '/', dialect: 'files', flow: retrieve },
  deleteFile: { method: 'DELETE', path: '/', dialect: 'files', flow: remove },
  retrieveFileContent: { method: 'GET', path: '/', reply: 'bytes', flow: content },
};
