import { connectionHeaders, GatewayError, type JsonObject, parseJson, schema } from 'portcullis/sdk';

const mostHeaders = 50;
const token = /^[!#$%&'*+\-.^_`|~0-9a-z]+$/;
const framing: ReadonlySet<string> = new Set(connectionHeaders);

/** A place of the operator's own that a check posts to. */
export const urlParameter = (description: string) =>
  schema.String({ pattern: '^https?://', maxLength: 2048, description });

/** Headers as an object, or as the text of one in JSON. */
export const headersParameter = schema.Optional(
  schema.Unsafe<string | Readonly<Record<string, string>>>({
    anyOf: [
      { type: 'object', additionalProperties: { type: 'string', maxLength: 8192 }, maxProperties: mostHeaders },
      { type: 'string', maxLength: 65_536 },
    ],
    'x-secret': true,
    description: 'Headers that the call carries: an object of strings, or its JSON. Stored encrypted.',
  }),
);

/** @throws GatewayError `invalid_config` for anything but an absolute http(s) URL without user, password and fragment */
export function targetUrl(text: string, param: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const clean = url !== undefined && url.username === '' && url.password === '' && url.hash === '';
  if (clean && /^https?:$/.test(url.protocol)) return url.href;
  const why = `${param} must be an absolute http or https URL without user, password and fragment.`;
  throw new GatewayError('invalid_config', why, { param });
}

/**
 * The headers by lower-case names.
 * @throws GatewayError `invalid_config` for what is no object of strings, and for names and values that HTTP does not take
 */
export function targetHeaders(given: string | Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> {
  const object = typeof given === 'string' ? parseJson(given) : given;
  if (typeof object !== 'object' || object === null || Array.isArray(object))
    throw fault('headers must be an object of strings, or the JSON of one.');
  const entries = Object.entries(object as JsonObject);
  if (entries.length > mostHeaders) throw fault(`headers may hold at most ${mostHeaders} headers.`);
  return Object.fromEntries(entries.map(([name, value]) => headerOf(name.toLowerCase(), value)));
}

function headerOf(name: string, value: unknown): readonly [string, string] {
  if (!token.test(name)) throw fault('headers holds a name that is no header name.');
  if (framing.has(name)) throw fault(`headers may not hold ${name}: the connection sets it.`);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what would end a header early.
  if (typeof value !== 'string' || /[\x00-\x08\x0a-\x1f\x7f]|[^\x00-\xff]/.test(value))
    throw fault(`headers.${name} must be a string without line breaks and control characters.`);
  return [name, value];
}

function fault(text: string): GatewayError {
  return new GatewayError('invalid_config', text, { param: 'headers' });
}
