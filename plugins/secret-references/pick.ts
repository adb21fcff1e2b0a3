import { asObject, type Json, parseJson } from 'portcullis/sdk';
import { SecretFault } from './fault.ts';

/**
 * What a setting gets of a secret's text: one member of a JSON secret, or all of it; as text, or parsed.
 * @throws SecretFault `member_missing` or `malformed`
 */
export function pick(text: string, key: string | undefined, format: 'string' | 'json'): Json {
  if (key === undefined) return format === 'string' ? text : parsed(text);
  const members = asObject(parseJson(text));
  const value = members !== undefined && Object.hasOwn(members, key) ? members[key] : undefined;
  if (value === undefined || value === null) throw new SecretFault('member_missing');
  if (format === 'string') return typeof value === 'string' ? value : JSON.stringify(value);
  return typeof value === 'string' ? parsed(value) : value;
}

function parsed(text: string): Json {
  const value = parseJson(text);
  if (value === undefined) throw new SecretFault('malformed');
  return value;
}
