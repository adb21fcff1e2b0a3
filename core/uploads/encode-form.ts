import { randomUUID } from 'node:crypto';
import { asArray, type FormFile, GatewayError, type Json, type JsonObject, type StreamedBody } from 'portcullis/sdk';
import { cleanFilename, cleanType } from './part-head.ts';

const lineBreak = '\r\n';

/**
 * A form as a body (RFC 7578): these fields, then these files, under a boundary of its own. Strings, numbers and booleans
 * stand as text, objects as JSON, lists as a field for each item; null is left out. The files are read while it is sent.
 * @throws GatewayError `bad_request` for a name that no header can hold
 */
export function encodeForm(
  fields: JsonObject,
  files: readonly FormFile[],
): { readonly contentType: string; readonly body: StreamedBody } {
  const boundary = `portcullis-${randomUUID()}`;
  const head = (name: string, more: string) =>
    `--${boundary}${lineBreak}content-disposition: form-data; name="${quotable(name)}"${more}${lineBreak}${lineBreak}`;
  const texts = Object.entries(fields).flatMap(([name, value]) =>
    (Array.isArray(value) ? asArray(value) : [value])
      .filter((item) => item !== null)
      .map((item) => head(name, '') + textOf(item) + lineBreak),
  );
  const heads = files.map(({ field, filename, contentType }) => {
    const quoted = cleanFilename(filename).replaceAll('\\', '');
    return Buffer.from(head(field, `; filename="${quoted}"${lineBreak}content-type: ${cleanType(contentType)}`));
  });
  const lead = Buffer.from(texts.join(''));
  const end = Buffer.from(`--${boundary}--${lineBreak}`);
  const held = heads.reduce((sum, bytes) => sum + bytes.length + lineBreak.length, lead.length + end.length);
  const size = files.reduce((sum, file) => sum + file.size, held);
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    body: { size, open: () => pieces(lead, heads, files, end) },
  };
}

async function* pieces(
  lead: Uint8Array,
  heads: readonly Uint8Array[],
  files: readonly FormFile[],
  end: Uint8Array,
): AsyncGenerator<Uint8Array> {
  if (lead.length > 0) yield lead;
  for (const [index, file] of files.entries()) {
    yield heads[index] ?? new Uint8Array();
    yield* file.open();
    yield Buffer.from(lineBreak);
  }
  yield end;
}

function textOf(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function quotable(name: string): string {
  // These would end the header line.
  if (name === '' || /\p{Cc}/u.test(name))
    throw new GatewayError(
      'bad_request',
      `A form has no place for a field named ${JSON.stringify(name.slice(0, 60))}.`,
    );
  return name.replace(/[\\"]/g, '\\$&');
}
