import type { ErrorObject } from 'ajv/dist/2020.js';
import { asObject } from 'portcullis/sdk';
import { accepted } from './accepted.ts';

const plainKey = /^[A-Za-z0-9_-]{1,64}$/;
const plainWord = /^[\w.:-]{1,40}$/;

function clipped(text: string): string {
  return text.length <= 40 ? text : `${text.slice(0, 40)}…`;
}

function child(path: string, key: string): string {
  if (!plainKey.test(key)) return `${path}[${JSON.stringify(clipped(key))}]`;
  return path === '' ? key : `${path}.${key}`;
}

/** `/messages/0/role` -> `messages[0].role`; the body tells an index from a key that is a number. */
function fieldPath(pointer: string, body: unknown): string {
  let path = '';
  let at: unknown = body;
  for (const token of pointer.split('/').slice(1)) {
    const key = token.replaceAll('~1', '/').replaceAll('~0', '~');
    path = Array.isArray(at) ? `${path}[${key}]` : child(path, key);
    at = (at as Readonly<Record<string, unknown>> | undefined)?.[key];
  }
  return path;
}

function count(amount: number, noun: string): string {
  return `${amount} ${noun}${amount === 1 ? '' : 's'}`;
}

/** What came instead, without repeating a text that may be long or private. */
function got(value: unknown, keyword: string): string {
  if (value === null || typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (typeof value === 'string') {
    if (value === '') return 'an empty string';
    if (keyword === 'enum' && plainWord.test(value)) return JSON.stringify(value);
    return keyword === 'type' ? 'a string' : `a string of ${count(value.length, 'character')}`;
  }
  if (Array.isArray(value)) {
    if (value.length === 0) return 'an empty array';
    return keyword === 'type' ? 'an array' : count(value.length, 'item');
  }
  return keyword === 'maxProperties' ? count(Object.keys(value as object).length, 'key') : 'an object';
}

/** A schema fault in the caller's terms. `param` is '' for the body itself. */
export function refusalOf(fault: ErrorObject | undefined, body: unknown): { param: string; message: string } {
  if (fault === undefined) return { param: '', message: 'The body is not accepted.' };
  const param = fieldPath(fault.instancePath, body);
  if (fault.keyword === 'required') {
    const missing = String(fault.params.missingProperty);
    const field = asObject(asObject(fault.parentSchema?.properties)?.[missing]) ?? {};
    const path = child(param, missing);
    return { param: path, message: `${path} is required: ${accepted(field, true)}.` };
  }
  const subject = param === '' ? 'The body' : param;
  const who = fault.propertyName === undefined ? subject : `Every key of ${subject}`;
  const what = accepted(fault.parentSchema ?? {}, fault.keyword === 'type');
  return { param, message: `${who} must be ${what}; got ${got(fault.data, fault.keyword)}.` };
}
