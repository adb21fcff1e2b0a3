import { GatewayError } from 'portcullis/sdk';
import type { PartHeaders } from './split-form.ts';

/** What a part says about itself. */
export interface PartHead {
  readonly name: string;
  /** Absent: a field. */
  readonly file: { readonly filename: string; readonly contentType: string } | undefined;
}

const unknownType = 'application/octet-stream';
const token = "[\\w!#$%&'*+.^`|~-]+";
const parameter = new RegExp(`;[ \\t]*(${token})[ \\t]*=[ \\t]*(?:"((?:[^"\\\\]|\\\\.)*)"|([^";]*))[ \\t]*`, 'gy');
const mediaType = new RegExp(`^${token}/${token}([ \\t]*;[ \\t]*${token}=("[ -!#-~]*"|${token}))*$`);
const controls = /[\p{Cc}\u2028\u2029]/gu;

/** A header's value and its parameters by lower-case name; undefined where they are malformed, or a name comes twice. */
export function parametersOf(
  value: string,
): { readonly value: string; readonly named: ReadonlyMap<string, string> } | undefined {
  const start = value.indexOf(';');
  const main = (start === -1 ? value : value.slice(0, start)).trim();
  const named = new Map<string, string>();
  const rest = start === -1 ? '' : value.slice(start).replace(/[; \t]+$/, '');
  parameter.lastIndex = 0;
  for (let at = 0; at < rest.length; at = parameter.lastIndex) {
    const found = parameter.exec(rest);
    if (found === null) return undefined;
    const [, name = '', quoted, plain = ''] = found;
    if (named.has(name.toLowerCase())) return undefined;
    // Only quotes and backslashes are escaped by a backslash; any other stands for itself, as in `C:\Users`.
    named.set(name.toLowerCase(), quoted?.replace(/\\(["\\])/g, '$1') ?? plain.trim());
  }
  return { value: main.toLowerCase(), named };
}

/** @param part counted from 1, for messages @throws GatewayError `bad_request` where the part is none of a form */
export function readHead(headers: PartHeaders, part: number): PartHead {
  const [disposition, second] = headers['content-disposition'] ?? [];
  const parsed = disposition === undefined || second !== undefined ? undefined : parametersOf(utf8(disposition));
  if (parsed?.value !== 'form-data') throw fault(part, 'needs one content-disposition that is form-data');
  const name = parsed.named.get('name');
  if (name === undefined || name === '') throw fault(part, 'has no name');
  if (name.search(controls) !== -1 || name.includes('\ufffd')) throw fault(part, 'has a name that is no text of UTF-8');
  const given = extended(parsed.named.get('filename*')) ?? parsed.named.get('filename');
  const type = headers['content-type']?.[0]?.trim();
  if (given !== undefined || !isText(type))
    return { name, file: { filename: cleanFilename(given ?? ''), contentType: cleanType(type) } };
  const charset =
    parametersOf(type ?? '')
      ?.named.get('charset')
      ?.toLowerCase() ?? 'utf-8';
  if (!['utf-8', 'utf8', 'us-ascii'].includes(charset)) throw fault(part, 'has another charset than UTF-8');
  return { name, file: undefined };
}

/** The last step of a path, without quotes and control characters; `file` where nothing is left. At most 200 characters. */
export function cleanFilename(filename: string): string {
  const last = filename.slice(Math.max(filename.lastIndexOf('/'), filename.lastIndexOf('\\')) + 1);
  const clean = last.replace(controls, '').replaceAll('"', '').trim();
  const short = clean.length <= 200 ? clean : clean.slice(0, 180) + clean.slice(-20);
  return /^\.*$/.test(short) ? 'file' : short.toWellFormed();
}

/** A media type as it came; one that is none is as good as unknown. */
export function cleanType(type: string | undefined): string {
  return type !== undefined && type.length <= 200 && mediaType.test(type) ? type : unknownType;
}

/** Clients may name the type of a field, JSON above all; only the other types make a file of what has no file name. */
function isText(type: string | undefined): boolean {
  return type === undefined || type === '' || /^(text\/|application\/([\w.-]+\+)?json\b)/i.test(type);
}

/** `UTF-8''na%C3%AFve.txt` (RFC 8187), which some clients write although RFC 7578 §4.2 forbids it. */
function extended(value: string | undefined): string | undefined {
  const [, encoded] = /^utf-8'[^']*'(.*)$/i.exec(value ?? '') ?? [];
  try {
    return encoded === undefined ? undefined : decodeURIComponent(encoded);
  } catch {
    return undefined;
  }
}

function utf8(binary: string): string {
  return Buffer.from(binary, 'latin1').toString('utf8');
}

function fault(part: number, what: string): GatewayError {
  return new GatewayError('bad_request', `Part ${part} of the form ${what}.`);
}
