import { asObject, type JsonObject, parseJson } from 'portcullis/sdk';
import { refuse } from './refuse.ts';

/** What a token says of itself before anything is verified. */
export interface TokenParts {
  readonly kid: string;
  readonly claims: JsonObject;
}

/** Longer ones are refused unread. */
export const mostCharacters = 8192;

/** @throws GatewayError `unauthenticated` for a token that is malformed, or of another kind than RS256 with a key id */
export function partsOf(token: string): TokenParts {
  if (token.length > mostCharacters) refuse(`is longer than ${mostCharacters} characters`);
  const [head = '', body = ''] = token.split('.');
  const header = objectOf(head) ?? refuse('has a header that is not a JSON object with each member once');
  const claims = objectOf(body) ?? refuse('has claims that are not a JSON object with each member once');
  const { alg, kid, typ, crit } = header;
  if (alg !== 'RS256') refuse('must be signed with RS256');
  if (typ !== undefined && !(typeof typ === 'string' && typ.toUpperCase() === 'JWT')) refuse('must be of the type JWT');
  // An extension that must be understood, and none is.
  if (crit !== undefined) refuse('has a critical header that is not understood here');
  if (typeof kid !== 'string' || kid === '' || kid.length > 255) return refuse('must name its key as kid');
  return { kid, claims };
}

function objectOf(part: string): JsonObject | undefined {
  const text = Buffer.from(part, 'base64url').toString('utf8');
  const object = asObject(parseJson(text));
  return object === undefined || hasRepeatedMember(text) ? undefined : object;
}

/**
 * Whether the object names a member twice: readers differ in which of the two they believe.
 * @param text the JSON text of an object
 */
export function hasRepeatedMember(text: string): boolean {
  const seen = new Set<string>();
  let depth = 0;
  for (const [token, , after] of text.matchAll(/"((?:[^"\\]|\\.)*)"(\s*:)?|[{}[\]]/g)) {
    if (token === '{' || token === '[') depth += 1;
    else if (token === '}' || token === ']') depth -= 1;
    else if (depth === 1 && after !== undefined) {
      const name = parseJson(token.slice(0, token.lastIndexOf('"') + 1)) as string;
      if (seen.has(name)) return true;
      seen.add(name);
    }
  }
  return false;
}
