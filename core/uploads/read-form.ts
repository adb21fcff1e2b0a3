import { type FormFile, GatewayError, type Json, type JsonObject } from 'portcullis/sdk';
import { parametersOf, readHead } from './part-head.ts';
import { splitForm } from './split-form.ts';
import type { Spooled } from './spool.ts';

/** A form that came whole. */
export interface Form {
  /** Strings; lists of strings where a name ends in `[]` or comes twice, under the name as it came. */
  readonly fields: JsonObject;
  /** In the order in which they came. */
  readonly files: readonly FormFile[];
  /** With the boundary of the client. */
  readonly contentType: string;
}

const maxFieldBytes = 1_048_576;
const maxFieldsBytes = 4_194_304;

/**
 * Reads a multipart/form-data body (RFC 7578): fields to memory, of files their names and sizes.
 * @throws GatewayError `bad_request` naming what is wrong: no boundary, a last one that is missing, a part without a name,
 * more than 1,000 parts, more than 1 MiB in a field or 4 MiB in all of them, text that is not UTF-8
 */
export async function readForm(spooled: Spooled, contentType: string): Promise<Form> {
  const boundary = boundaryOf(contentType);
  const fields = new Fields();
  const files: FormFile[] = [];
  const parts = splitForm(spooled, boundary, (headers, index) => {
    const { name, file } = readHead(headers, index + 1);
    if (file === undefined) return fields.add(name);
    const part = new FilePart({ field: name, ...file }, (size) => partBytes(spooled, boundary, index, size));
    files.push(part);
    return (bytes) => part.grow(bytes.length);
  });
  for await (const _ of parts);
  return { fields: fields.all(), files, contentType };
}

class FilePart implements FormFile {
  readonly field: string;
  readonly filename: string;
  readonly contentType: string;
  readonly #read: (size: number) => AsyncIterable<Uint8Array>;
  #size = 0;

  constructor(
    head: Pick<FormFile, 'field' | 'filename' | 'contentType'>,
    read: (size: number) => AsyncIterable<Uint8Array>,
  ) {
    this.field = head.field;
    this.filename = head.filename;
    this.contentType = head.contentType;
    this.#read = read;
  }

  get size(): number {
    return this.#size;
  }

  grow(bytes: number): void {
    this.#size += bytes;
  }

  open(): AsyncIterable<Uint8Array> {
    return this.#read(this.#size);
  }
}

class Fields {
  readonly #values: { readonly name: string; readonly chunks: Uint8Array[] }[] = [];
  #bytes = 0;

  /** Gives what takes the bytes of a field. */
  add(name: string): (bytes: Uint8Array) => void {
    const chunks: Uint8Array[] = [];
    let own = 0;
    this.#values.push({ name, chunks });
    return (bytes) => {
      own += bytes.length;
      this.#bytes += bytes.length;
      if (own > maxFieldBytes) throw tooLong(`The field "${name.slice(0, 60)}" of the form is`, maxFieldBytes);
      if (this.#bytes > maxFieldsBytes) throw tooLong('The fields of the form are together', maxFieldsBytes);
      // A copy: the piece is a view of all that was read with it.
      chunks.push(Uint8Array.from(bytes));
    };
  }

  all(): JsonObject {
    const lists = new Map<string, string[]>();
    for (const { name, chunks } of this.#values) {
      const list = lists.get(name) ?? [];
      list.push(textOf(name, chunks));
      lists.set(name, list);
    }
    const one = ([name, list]: [string, string[]]): [string, Json] => {
      const [first = ''] = list;
      return [name, list.length > 1 || name.endsWith('[]') ? list : first];
    };
    return Object.fromEntries([...lists].map(one));
  }
}

function textOf(name: string, chunks: readonly Uint8Array[]): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.concat(chunks));
  } catch (cause) {
    const text = `The field "${name.slice(0, 60)}" of the form is not text in UTF-8.`;
    throw new GatewayError('bad_request', text, { param: name.slice(0, 60), cause });
  }
}

/** The bytes of one part, read anew from the whole. */
async function* partBytes(
  spooled: Spooled,
  boundary: string,
  wanted: number,
  size: number,
): AsyncGenerator<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let left = size;
  const parts = splitForm(spooled, boundary, (_, index) => (bytes) => {
    if (index === wanted) pieces.push(bytes);
  });
  // The parser gives bytes later than the header of the next part: their number alone tells when the part is over.
  try {
    while (left > 0 && (await parts.next()).done !== true) {
      for (const piece of pieces.splice(0)) {
        left -= piece.length;
        yield piece;
      }
    }
  } finally {
    await parts.return(undefined);
  }
}

function boundaryOf(contentType: string): string {
  const parsed = parametersOf(contentType);
  if (parsed?.value !== 'multipart/form-data')
    throw new GatewayError('bad_request', 'The content type must be multipart/form-data, with a boundary.', {
      param: 'content-type',
    });
  const boundary = parsed.named.get('boundary') ?? '';
  // RFC 2046 §5.1.1.
  if (/^[ -~]{0,69}[!-~]$/.test(boundary)) return boundary;
  const text =
    boundary === ''
      ? 'The content type of the form has no boundary.'
      : 'The boundary of the form must be 1 to 70 printable characters of ASCII.';
  throw new GatewayError('bad_request', text, { param: 'content-type' });
}

function tooLong(what: string, bytes: number): GatewayError {
  return new GatewayError('bad_request', `${what} longer than the ${bytes} bytes that are accepted.`);
}
