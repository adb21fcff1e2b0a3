import {
  asNumber,
  asObject,
  asString,
  compact,
  type FlowRequest,
  type FlowTools,
  GatewayError,
  type JsonObject,
  parseJson,
  type Settings,
  type StreamedBody,
  unixSeconds,
} from 'portcullis/sdk';

/** Where an object lies: `gs://bucket/name`. */
export interface Place {
  readonly bucket: string;
  readonly name: string;
}

/** Cloud Storage, JSON API: https://cloud.google.com/storage/docs/json_api/v1/objects */
const host = 'https://storage.googleapis.com';

/** The id of a file: its URL, encoded so that it fits a path. */
export const idOf = ({ bucket, name }: Place): string => encodeURIComponent(`gs://${bucket}/${name}`);

/**
 * Reads an id, which clients may have encoded once more, or not at all.
 * @throws GatewayError `bad_request`; `not_found` for another bucket than that of the settings
 */
export function placeOf(id: string, param: string, settings: Settings): Place {
  const url = id.startsWith('gs://') ? id : decoded(id);
  const [, bucket, name] = /^gs:\/\/([a-z0-9][a-z0-9._-]{1,220})\/(.+)$/s.exec(url) ?? [];
  if (bucket !== undefined && name !== undefined && !/(^|\/)\.{1,2}(\/|$)/.test(name)) {
    if (bucket === bucketOf(settings).bucket) return { bucket, name };
    throw new GatewayError('not_found', 'There is no such file in the bucket of vertex_storage_bucket_name.', {
      param,
    });
  }
  throw new GatewayError('bad_request', `${param} is not the id of a file: gs://bucket/name, URL-encoded.`, { param });
}

function decoded(id: string): string {
  try {
    return decodeURIComponent(id);
  } catch {
    return id;
  }
}

/** The bucket of the settings and the folder in it, which ends with a slash or is ''. @throws GatewayError `missing_credentials` */
export function bucketOf({ vertexStorageBucketName }: Settings): { readonly bucket: string; readonly folder: string } {
  const given = asString(vertexStorageBucketName)?.replace(/^gs:\/\//, '');
  if (given === undefined) {
    throw new GatewayError('missing_credentials', 'Files of vertex-ai need vertex_storage_bucket_name.', {
      param: 'vertex_storage_bucket_name',
    });
  }
  const [bucket = '', ...folders] = given.split('/').filter((part) => part !== '');
  return { bucket, folder: folders.map((part) => `${part}/`).join('') };
}

export const objectUrl = ({ bucket, name }: Place, query = ''): string =>
  `${host}/storage/v1/b/${bucket}/o/${encodeURIComponent(name.toWellFormed())}${query}`;

export const objectsUrl = (bucket: string, query: Readonly<Record<string, string>>): string =>
  `${host}/storage/v1/b/${bucket}/o?${new URLSearchParams(query).toString()}`;

/** What is kept with an object, for what a File says. */
export interface Kept {
  readonly filename: string;
  readonly purpose: string;
  readonly model?: string | undefined;
}

/** An object as a File. */
export function fileOf(object: JsonObject): JsonObject {
  const place = { bucket: asString(object.bucket) ?? '', name: asString(object.name) ?? '' };
  const kept = asObject(object.metadata) ?? {};
  return {
    id: idOf(place),
    object: 'file',
    bytes: asNumber(Number(object.size)) ?? 0,
    created_at: unixSeconds(object.timeCreated) ?? 0,
    filename: asString(kept.filename) ?? place.name.slice(place.name.lastIndexOf('/') + 1),
    purpose: asString(kept.purpose) ?? 'batch',
    status: 'processed',
  };
}

/** A multiple of 256 KiB, as the API asks. */
const chunkBytes = 8 * 1024 * 1024;

/** Stores bytes of a length that is not known before: https://cloud.google.com/storage/docs/performing-resumable-uploads */
export async function store(
  place: Place,
  kept: Kept,
  contentType: string,
  bytes: AsyncIterable<Uint8Array> | StreamedBody,
  tools: FlowTools,
): Promise<JsonObject> {
  const url = await sessionOf(place, kept, contentType, tools);
  const put = (body: NonNullable<FlowRequest['body']>, headers: Record<string, string>) =>
    tools.send({ method: 'PUT', url, body, headers: { 'content-type': contentType, ...headers }, accepts: [308] });
  if ('size' in bytes) return objectIn(await put(bytes, {}));
  let held: Uint8Array[] = [];
  let size = 0;
  let offset = 0;
  for await (const chunk of bytes) {
    held.push(chunk);
    size += chunk.length;
    // One byte is kept back: the last request names the end.
    while (size > chunkBytes) {
      const all = Buffer.concat(held);
      await put(all.subarray(0, chunkBytes), { 'content-range': `bytes ${offset}-${offset + chunkBytes - 1}/*` });
      offset += chunkBytes;
      held = [all.subarray(chunkBytes)];
      size -= chunkBytes;
    }
  }
  const range = size === 0 ? `bytes */${offset}` : `bytes ${offset}-${offset + size - 1}/${offset + size}`;
  return objectIn(await put(Buffer.concat(held), { 'content-range': range }));
}

async function sessionOf({ bucket, name }: Place, kept: Kept, contentType: string, tools: FlowTools): Promise<string> {
  const { headers } = await tools.send({
    method: 'POST',
    url: `${host}/upload/storage/v1/b/${bucket}/o?uploadType=resumable`,
    headers: { 'x-upload-content-type': contentType },
    body: { name, contentType, metadata: compact({ ...kept }) },
  });
  const location = URL.canParse(headers.location ?? '') ? new URL(headers.location ?? '') : undefined;
  // The credential goes along, so that the answer may not choose the host.
  if (location !== undefined) return `${host}${location.pathname}${location.search}`;
  throw new GatewayError('upstream_invalid', 'The storage of vertex-ai named no place to upload to.');
}

function objectIn({ status, bytes }: { readonly status: number; readonly bytes: Uint8Array }): JsonObject {
  const object = asObject(parseJson(Buffer.from(bytes).toString('utf8')));
  if (status < 300 && object !== undefined) return object;
  throw new GatewayError('upstream_invalid', 'The storage of vertex-ai has not taken the whole file.');
}
