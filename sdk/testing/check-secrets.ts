import { inspect } from 'node:util';
import type { Guardrail } from '../contracts/guardrail.ts';
import { asObject, type JsonObject } from '../json.ts';

/** The secrets among credentials: by the unit's schema, or all of them where it has none. */
export function secretsOf({ credentials: schema }: Guardrail, credentials: JsonObject): readonly string[] {
  return schema === undefined ? stringsIn(credentials) : marked(schema, credentials);
}

function marked(schema: object, value: unknown): readonly string[] {
  const { 'x-secret': secret, properties } = schema as { 'x-secret'?: unknown; properties?: Record<string, object> };
  if (secret === true) return stringsIn(value);
  const members = asObject(value) ?? {};
  return Object.entries(properties ?? {}).flatMap(([name, below]) => marked(below, members[name]));
}

function stringsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return value === '' ? [] : [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsIn) : [];
}

/** Whether a text holds one of the secrets, as it is or as URLs and headers write it. */
export function holdsSecret(text: string, secrets: readonly string[]): boolean {
  return secrets.some((secret) =>
    [
      secret,
      JSON.stringify(secret).slice(1, -1),
      encodeURIComponent(secret),
      Buffer.from(secret).toString('base64'),
    ].some((form) => text.includes(form)),
  );
}

/** All that an error says: its messages and fields, and those of its causes. */
export function wordsOf(error: unknown, depth = 0): string {
  if (!(error instanceof Error) || depth > 8) return String(error);
  const fields = Object.entries(error).map(([name, value]) => `${name}: ${written(value)}`);
  const cause = error.cause === undefined ? '' : wordsOf(error.cause, depth + 1);
  return [error.message, error.stack ?? '', ...fields, cause].join('\n');
}

/** As JSON, or else as far as it can be shown: what others make may go in circles, or hold what JSON does not know. */
export function written(value: unknown): string {
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    return inspect(value, { depth: 20, maxArrayLength: null, maxStringLength: null });
  }
}
