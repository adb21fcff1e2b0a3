import { asObject, connectionHeaders, type Json } from 'portcullis/sdk';
import { refuse } from '../refuse.ts';

const denied = new Set<string>(connectionHeaders);
const token = /^[a-z0-9!#$%&'*+.^_`|~-]{1,128}$/;
const text = /^[\t\x20-\x7e\x80-\xff]{0,8192}$/;
const most = 50;

/** Headers of every call, names in lower case. @throws GatewayError `bad_request` naming the header, never its value */
export function customHeaders(value: Json, param: string): Readonly<Record<string, string>> {
  const given = asObject(value) ?? refuse(param, 'must be a map of header names to values');
  const entries = Object.entries(given);
  if (entries.length > most) refuse(param, `has ${entries.length} headers; at most ${most} are accepted`);
  return Object.fromEntries(
    entries.map(([raw, content]) => {
      const name = raw.toLowerCase();
      const at = `${param}.${raw.slice(0, 100)}`;
      if (!token.test(name)) refuse(at, 'is no header name');
      if (denied.has(name) || name.startsWith('x-gw-')) refuse(at, 'is a header that integrations may not set');
      if (typeof content !== 'string' || !text.test(content)) refuse(at, 'must be a string that a header can hold');
      return [name, content];
    }),
  );
}
