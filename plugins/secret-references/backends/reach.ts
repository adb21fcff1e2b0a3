import { readFile } from 'node:fs/promises';
import { asObject, type FetchRequest, GatewayError, type Host, type JsonObject, parseJson } from 'portcullis/sdk';
import { SecretFault } from '../fault.ts';

/** What a manager's client reaches: the network through the URL guard, and what the operator has set. */
export type Reach = Pick<Host, 'fetch' | 'env' | 'now'>;

/** Where a secret stands and how to get there. */
export interface Place {
  readonly auth: JsonObject;
  readonly path: string;
}

export interface Answer {
  readonly status: number;
  readonly text: string;
  readonly json: JsonObject;
}

const timeoutMs = 5000;

/** @throws SecretFault `blocked` or `unreachable` */
export async function call(reach: Reach, url: string, request: Omit<FetchRequest, 'timeoutMs'>): Promise<Answer> {
  const reply = await reach.fetch(url, { ...request, timeoutMs }).catch((cause: unknown) => {
    throw new SecretFault(GatewayError.is(cause) && cause.code === 'url_blocked' ? 'blocked' : 'unreachable', cause);
  });
  const text = Buffer.from(reply.body).toString('utf8');
  return { status: reply.status, text, json: asObject(parseJson(text)) ?? {} };
}

/** The fault that a status tells of, where the protocol says no more. */
export function statusFault(status: number): SecretFault {
  if (status === 401 || status === 403) return new SecretFault('denied');
  if (status === 404) return new SecretFault('missing');
  return new SecretFault(status >= 400 && status < 500 && status !== 429 ? 'refused' : 'broken');
}

/** The text of a token that the platform keeps in a file and renews there. @throws SecretFault `not_configured` */
export async function tokenFile(path: string): Promise<string> {
  const text = await readFile(path, 'utf8').catch((cause: unknown) => {
    throw new SecretFault('not_configured', cause);
  });
  return text.trim();
}

/** Form fields as a body. */
export function form(fields: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(fields).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return new URLSearchParams(given).toString();
}
