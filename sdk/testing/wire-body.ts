import { type Json, type JsonObject, parseJson } from '../json.ts';
import type { FixtureBody, FormPart } from './fixture-body.ts';

/** A body as it travels. */
export interface WireBody {
  readonly contentType: string;
  readonly bytes: Uint8Array;
}

const boundary = 'form-of-a-fixture';
const lineBreak = '\r\n';

/** @param type of bytes that are neither JSON nor a form */
export function encodeBody(body: FixtureBody, type = 'application/octet-stream'): WireBody {
  switch (body.kind) {
    case 'json':
      return { contentType: 'application/json', bytes: Buffer.from(JSON.stringify(body.json)) };
    case 'bytes':
      return { contentType: type, bytes: body.bytes };
    case 'form': {
      const pieces = [...body.parts.flatMap(encodePart), Buffer.from(`--${boundary}--${lineBreak}`)];
      return { contentType: `multipart/form-data; boundary=${boundary}`, bytes: Buffer.concat(pieces) };
    }
  }
}

/** The fields of a form by their names: a list where a name ends in `[]` or comes twice. */
export function fieldsOf(parts: readonly FormPart[]): JsonObject {
  const fields = Object.groupBy(parts, ({ name }) => name);
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, same = []]) => {
      const values = same.flatMap((part) => ('value' in part ? [part.value] : []));
      const [first] = values;
      if (first === undefined) return [];
      return [[name, values.length > 1 || name.endsWith('[]') ? values : first]];
    }),
  );
}

/**
 * Bytes of the wire for a comparison with `like`: JSON as its value, a form as its parts without the boundary (those of
 * one name in their order), bytes as text where they are text.
 */
export async function comparable(wire: WireBody, like: FixtureBody | undefined): Promise<Json | undefined> {
  if (like?.kind === 'bytes') return legible(wire.bytes);
  if (like?.kind === 'form' || wire.contentType.startsWith('multipart/form-data')) return formOf(wire);
  return jsonOrText(Buffer.from(wire.bytes).toString('utf8'));
}

/** A body of a fixture, in the form of `comparable`. */
export function expectedBody(body: FixtureBody | undefined): Json | undefined {
  switch (body?.kind) {
    case undefined:
      return undefined;
    case 'json':
      return body.json;
    case 'bytes':
      return legible(body.bytes);
    case 'form':
      return comparableParts(body.parts);
  }
}

/** What a text says: its JSON, itself where it is none, undefined where it is empty. */
export function jsonOrText(text: string): Json | undefined {
  return text === '' ? undefined : (parseJson(text) ?? text);
}

function encodePart(part: FormPart): readonly Uint8Array[] {
  const named = `--${boundary}${lineBreak}content-disposition: form-data; name="${quotable(part.name)}"`;
  const [head, bytes] =
    'value' in part
      ? [named, Buffer.from(part.value)]
      : [`${named}; filename="${quotable(part.filename)}"${lineBreak}content-type: ${part.type}`, part.bytes];
  return [Buffer.from(head + lineBreak + lineBreak), bytes, Buffer.from(lineBreak)];
}

/** As browsers do it: https://html.spec.whatwg.org/multipage/form-control-infrastructure.html#multipart-form-data */
function quotable(text: string): string {
  return text.replaceAll('\r', '%0D').replaceAll('\n', '%0A').replaceAll('"', '%22');
}

async function formOf({ contentType, bytes }: WireBody): Promise<Json> {
  try {
    const form = await new Response(Buffer.from(bytes), { headers: { 'content-type': contentType } }).formData();
    const parts = [...form.entries()].map(async ([name, value]) =>
      typeof value === 'string'
        ? { name, value }
        : { name, filename: value.name, type: value.type, bytes: await value.bytes() },
    );
    return comparableParts(await Promise.all(parts));
  } catch {
    return `no form, but ${contentType === '' ? 'bytes' : contentType}: ${Buffer.from(bytes).toString('utf8')}`;
  }
}

function comparableParts(parts: readonly FormPart[]): Json {
  return parts
    .toSorted((one, other) => (one.name < other.name ? -1 : Number(one.name > other.name)))
    .map((part) => {
      if ('value' in part) return part;
      const { bytes, ...named } = part;
      return { ...named, bytes: legible(bytes) };
    });
}

function legible(bytes: Uint8Array): JsonObject {
  const text = Buffer.from(bytes).toString('utf8');
  return Buffer.from(text).equals(bytes) ? { text } : { base64: Buffer.from(bytes).toString('base64') };
}
