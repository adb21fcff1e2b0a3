import { parseJson } from 'portcullis/sdk';

const avoidable = /\\[u/]/;
const escapes = /(?:\\u[0-9a-fA-F]{4}){1,64}|\\[^u]/g;

/**
 * The same JSON without the escapes that it can do without, for in them a word can hide: `"\u0062ad"` is `"bad"`.
 * Numbers, spaces and doubled names stay as they are; so does what is no JSON.
 */
export function withPlainEscapes(json: string): string {
  if (!avoidable.test(json) || parseJson(json) === undefined) return json;
  return json.replace(escapes, (run) => JSON.stringify(JSON.parse(`"${run}"`)).slice(1, -1));
}
