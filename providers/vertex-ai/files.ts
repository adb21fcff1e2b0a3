import {
  asNumber,
  asObjects,
  asString,
  batchLineOf,
  type CallFacts,
  type Endpoints,
  type Flow,
  type FlowTools,
  type FormFile,
  GatewayError,
  linesOf,
  type Settings,
} from 'portcullis/sdk';
import { holdsLines, outputLine, uploadedLine } from './lines.ts';
import { bucketOf, fileOf, idOf, objectsUrl, objectUrl, placeOf, store } from './storage.ts';

const upload: Flow = async ({ facts: { settings }, body, files }, tools) => {
  const file = files.find(({ field }) => field === 'file') ?? files[0];
  if (file === undefined) throw new GatewayError('bad_request', 'The request needs file.', { param: 'file' });
  const { bucket, folder } = bucketOf(settings);
  const purpose = asString(body.purpose) ?? 'batch';
  const filename = asString(settings.providerFileName) ?? file.filename;
  // Under the name that was asked for, or else where it takes the place of no other.
  const name = folder + (settings.providerFileName === undefined ? `${tools.newId('file-')}/${filename}` : filename);
  const lines = holdsLines(purpose);
  const type = lines ? 'application/jsonl' : file.contentType;
  const model = asString(settings.providerModel) ?? asString(body.model) ?? (lines ? await modelIn(file) : undefined);
  const bytes = lines ? uploadedLines(file, model, settings) : file;
  const object = await store({ bucket, name }, { filename, purpose, model }, type, bytes, tools);
  return { status: 200, json: fileOf(object) };
};

/** The model of the first line: batches need to know it, and OpenAI's clients do not tell it to them. */
async function modelIn(file: FormFile): Promise<string | undefined> {
  for await (const line of linesOf(file.open())) return asString(batchLineOf(line, 1).line?.body.model);
  return undefined;
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

const list: Flow = async ({ facts: { settings, query } }, tools) => {
  const { bucket, folder } = bucketOf(settings);
  const limit = Math.min(1000, Math.max(1, asNumber(Number(query.limit ?? 1000)) ?? 1000));
  const after = query.after === undefined ? undefined : placeOf(query.after, 'after', settings).name;
  // Names come in order, and the one to start from comes too.
  const { json } = await tools.send({
    method: 'GET',
    url: objectsUrl(bucket, {
      prefix: folder,
      maxResults: String(after === undefined ? limit : limit + 1),
      ...(after === undefined ? {} : { startOffset: after }),
    }),
  });
  const found = asObjects(json.items).filter(({ name }) => name !== after);
  const data = found.map(fileOf).filter(({ purpose }) => query.purpose === undefined || purpose === query.purpose);
  return { status: 200, json: { object: 'list', data, has_more: json.nextPageToken !== undefined } };
};

const placeIn = ({ params, settings }: CallFacts) => placeOf(params.id ?? '', 'id', settings);

const retrieve: Flow = async ({ facts }, tools) => {
  const { json } = await tools.send({ method: 'GET', url: objectUrl(placeIn(facts)) });
  return { status: 200, json: fileOf(json) };
};

const remove: Flow = async ({ facts }, tools) => {
  const place = placeIn(facts);
  await tools.send({ method: 'DELETE', url: objectUrl(place) });
  return { status: 200, json: { id: idOf(place), object: 'file', deleted: true } };
};

const content: Flow = async ({ facts }, tools) => {
  const place = placeIn(facts);
  const { headers, body } = await tools.open({ method: 'GET', url: objectUrl(place, '?alt=media') });
  const contentType = headers['content-type'] ?? 'application/octet-stream';
  if (!place.name.endsWith('.jsonl')) return { status: 200, contentType, body };
  return { status: 200, contentType: 'application/jsonl', body: outputLines(body, tools) };
};

/** Output of batches in OpenAI's form, line by line. */
export async function* outputLines(body: AsyncIterable<Uint8Array>, tools: FlowTools): AsyncGenerator<Uint8Array> {
  for await (const line of linesOf(body)) yield Buffer.from(`${outputLine(line, tools)}\n`);
}

const storage = '/storage/v1';

/** Files are objects in a bucket of Cloud Storage; those for batches and tuning are rewritten for the model that they are for. */
export const files: Endpoints = {
  uploadFile: { path: `/upload${storage}`, dialect: 'files', flow: upload, reads: ['purpose', 'model'] },
  listFiles: { method: 'GET', path: storage, dialect: 'files', flow: list },
  retrieveFile: { method: 'GET', path: storage, dialect: 'files', flow: retrieve },
  deleteFile: { method: 'DELETE', path: storage, dialect: 'files', flow: remove },
  retrieveFileContent: { method: 'GET', path: storage, reply: 'bytes', flow: content },
};
