import { asObject, GatewayError, type Json, type JsonObject, type LocalRequest, parseJson } from 'portcullis/sdk';

export interface SentFile {
  /** Name of the form's field. */
  readonly field: string;
  readonly filename: string;
  readonly contentType: string;
  readonly bytes: Uint8Array;
}

/** What a request holds: a JSON object, or the fields and files of a form. */
export interface SentBody {
  readonly json: JsonObject;
  readonly files: readonly SentFile[];
}

/** @throws GatewayError `invalid_json` when it is neither; nothing at all is an empty object */
export async function bodyOf(request: LocalRequest): Promise<SentBody> {
  const type = request.headers['content-type'] ?? '';
  if (type.startsWith('multipart/form-data')) return formOf(request, type);
  if (request.body.length === 0) return { json: {}, files: [] };
  const json = asObject(parseJson(textOf(request.body)));
  if (json === undefined) throw new GatewayError('invalid_json', 'The body must be a JSON object.');
  return { json, files: [] };
}

export function textOf(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

/** Without its percent signs; as it is where they are malformed. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

async function formOf(request: LocalRequest, type: string): Promise<SentBody> {
  const form = await formData(request.body, type);
  const json: { [name: string]: Json } = {};
  const files: SentFile[] = [];
  for (const [field, value] of form) {
    if (typeof value === 'string') json[field] = value;
    else {
      const bytes = new Uint8Array(await value.arrayBuffer());
      files.push({ field, filename: value.name, contentType: value.type, bytes });
    }
  }
  return { json, files };
}

async function formData(body: Uint8Array, type: string): Promise<FormData> {
  try {
    return await new Response(Uint8Array.from(body), { headers: { 'content-type': type } }).formData();
  } catch (cause) {
    throw new GatewayError('bad_request', 'The body is no form.', { cause });
  }
}
