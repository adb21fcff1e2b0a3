import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { asString, type Json, type JsonObject, parseJson } from 'portcullis/sdk';
import { readCase } from 'portcullis/sdk/testing';

type Fixture = ReturnType<typeof readCase>;

/** One request that a vendor knows, and what it answers. */
export interface RecordedRoute {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  readonly body: Fixture['requests'][number]['body'];
  readonly answer: Fixture['answers'][number];
}

/** The requests of a provider's fixtures, with what its documentation says they are answered with. */
export function routesOf(provider: string, names: readonly string[]): readonly RecordedRoute[] {
  return names.flatMap((name) => {
    const { requests, answers } = fixture(provider, name);
    return requests.map(({ method, url, body }, index) => {
      const { pathname, search } = new URL(url);
      return { method, path: pathname + search, body, answer: answers[index] ?? assert.fail(`${name}: no answer`) };
    });
  });
}

/** A request that no fixture holds. A text is answered as events. */
export function route(
  method: string,
  path: string,
  answer: JsonObject | string,
  { body, status = 200 }: { readonly body?: Json; readonly status?: number } = {},
): RecordedRoute {
  const streams = typeof answer === 'string';
  return {
    method,
    path,
    body: body === undefined ? undefined : { kind: 'json', json: body },
    answer: {
      status,
      headers: { 'content-type': streams ? 'text/event-stream; charset=utf-8' : 'application/json' },
      bytes: Buffer.from(streams ? answer : JSON.stringify(answer)),
    },
  };
}

/** Events as a vendor writes them: named where they have a `type`. */
export function events(...all: readonly JsonObject[]): string {
  return all
    .map((data) => `${data.type === undefined ? '' : `event: ${String(data.type)}\n`}data: ${JSON.stringify(data)}\n\n`)
    .join('');
}

/** What the client of a fixture gets: its JSON, the data of its events without the `[DONE]`, or its bytes as a text. */
export function replyOf(provider: string, name: string): Json {
  const { reply } = fixture(provider, name);
  if (reply.kind === 'stream') return reply.events.map(({ data }) => data).filter((data) => data !== '[DONE]');
  if (reply.body.kind === 'json') return reply.body.json;
  return reply.body.kind === 'bytes' ? Buffer.from(reply.body.bytes).toString('latin1') : assert.fail('a form');
}

/** What the vendor of a fixture answers, untouched by the gateway: JSON, or the data of its events. */
export function answerOf(provider: string, name: string): Json {
  const { bytes, headers } = fixture(provider, name).answers[0] ?? assert.fail(`${name}: no answer`);
  const text = Buffer.from(bytes).toString('utf8');
  if (asString(headers['content-type'])?.startsWith('text/event-stream') !== true) return parseJson(text) ?? text;
  return [...text.matchAll(/^data: (.+)$/gm)].map(([, data = '']) => parseJson(data) ?? data);
}

function fixture(provider: string, name: string): Fixture {
  return readCase(fileURLToPath(new URL(`../../../providers/${provider}/fixtures`, import.meta.url)), name);
}
