import { asArray, asObject, asString, type Json, type JsonObject } from '../json.ts';

/** One part of a multipart/form-data body. */
export type FormPart =
  | { readonly name: string; readonly value: string }
  | { readonly name: string; readonly filename: string; readonly type: string; readonly bytes: Uint8Array };

/** A body of a fixture: of its `body`, of its `form`, or of its `text` or `base64`. */
export type FixtureBody =
  | { readonly kind: 'json'; readonly json: Json }
  | { readonly kind: 'form'; readonly parts: readonly FormPart[] }
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array };

const ways = ['body', 'form', 'text', 'base64'] as const;

/**
 * Reads the body of a fixture: `body` as JSON; `form` as a list of `{name, value}` and `{name, filename, type, text|base64}`;
 * `text` or `base64` as bytes. Undefined where there is none of them.
 * @throws Error naming the file where there are two of them, or one is malformed
 */
export function bodyIn(holder: JsonObject, file: string): FixtureBody | undefined {
  const given = ways.filter((way) => holder[way] !== undefined);
  if (given.length > 1) throw new Error(`${file}: ${given.join(' and ')} exclude each other.`);
  if (holder.form !== undefined) return { kind: 'form', parts: partsOf(holder.form, file) };
  if (holder.body !== undefined) return { kind: 'json', json: holder.body };
  const bytes = bytesIn(holder, file);
  return bytes === undefined ? undefined : { kind: 'bytes', bytes };
}

/** Fails on a field that no one would read. */
export function checkFields(holder: JsonObject, known: readonly string[], file: string): void {
  const stray = Object.keys(holder).find((name) => !known.includes(name));
  if (stray !== undefined) throw new Error(`${file}: there is no field ${stray}; there are ${known.join(', ')}.`);
}

function partsOf(form: Json, file: string): readonly FormPart[] {
  if (!Array.isArray(form) || form.length === 0) throw new Error(`${file}: form must be a list of parts.`);
  return asArray(form).map((item, index) => {
    const at = `${file}: form[${index}]`;
    const part = asObject(item);
    const name = asString(part?.name);
    if (part === undefined || name === undefined) throw new Error(`${at} must be an object with a name.`);
    return part.filename === undefined ? fieldOf(part, name, at) : fileOf(part, name, at);
  });
}

function fieldOf(part: JsonObject, name: string, at: string): FormPart {
  checkFields(part, ['name', 'value'], at);
  const value = asString(part.value);
  if (value === undefined) throw new Error(`${at}: a field has a value, which is a string; a file has a filename.`);
  return { name, value };
}

function fileOf(part: JsonObject, name: string, at: string): FormPart {
  checkFields(part, ['name', 'filename', 'type', 'text', 'base64'], at);
  const filename = asString(part.filename);
  const type = asString(part.type);
  const bytes = bytesIn(part, at);
  if (filename === undefined || type === undefined || bytes === undefined)
    throw new Error(`${at}: a file has a filename, a type, and text or base64.`);
  return { name, filename, type, bytes };
}

function bytesIn({ text, base64 }: JsonObject, at: string): Uint8Array | undefined {
  if (text !== undefined && base64 !== undefined) throw new Error(`${at}: text and base64 exclude each other.`);
  if (typeof text === 'string') return Buffer.from(text);
  if (typeof base64 === 'string') {
    const bytes = Buffer.from(base64, 'base64');
    if (bytes.toString('base64').replace(/=+$/, '') === base64.replace(/=+$/, '')) return bytes;
    throw new Error(`${at}: base64 is no base64.`);
  }
  if ((text ?? base64) === undefined) return undefined;
  throw new Error(`${at}: text and base64 are strings.`);
}
