import { setTimeout as delay } from 'node:timers/promises';
import type { JsonObject } from 'portcullis/sdk';
import { asObject, parseJson } from 'portcullis/sdk';
import type { Reply, TestGateway } from '../support/gateway.ts';

type Headers = Readonly<Record<string, string>>;

export const says = (text: string, more: JsonObject = {}): JsonObject => ({
  model: 'm',
  messages: [{ role: 'user', content: text }],
  ...more,
});

/** A line of a batch. */
export const line = (custom_id: string, body: JsonObject, url = '/v1/chat/completions'): JsonObject => ({
  custom_id,
  method: 'POST',
  url,
  body,
});

export const fileOf = (lines: readonly (JsonObject | string)[]): string =>
  lines.map((item) => `${typeof item === 'string' ? item : JSON.stringify(item)}\n`).join('');

/** Uploads a file of batch requests. */
export async function send(
  url: string,
  content: string | Blob,
  headers: Headers = {},
  purpose = 'batch',
): Promise<Reply> {
  const form = new FormData();
  form.set('purpose', purpose);
  form.set('file', typeof content === 'string' ? new Blob([content]) : content, 'lines.jsonl');
  const response = await fetch(`${url}/v1/files`, { method: 'POST', body: form, headers });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, json: asObject(parseJson(text)) ?? {} };
}

/** The objects of a file in JSON Lines. */
export function linesIn(text: string): readonly JsonObject[] {
  return text
    .split('\n')
    .filter((item) => item !== '')
    .map((item) => asObject(parseJson(item)) ?? {});
}

/** Waits until a batch is over. */
export async function ended(
  { request }: Pick<TestGateway, 'request'>,
  id: unknown,
  headers: Headers = {},
): Promise<JsonObject> {
  for (let tries = 0; ; tries += 1) {
    const { status, json, text } = await request('GET', `/v1/batches/${String(id)}`, { headers });
    if (status !== 200) throw new Error(text);
    if (['completed', 'failed', 'expired', 'cancelled'].includes(String(json.status))) return json;
    if (tries > 2000) throw new Error(`never over: ${text}`);
    await delay(10);
  }
}
