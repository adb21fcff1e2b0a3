import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { asObject, asString, type Json, type JsonObject, parseJson } from 'portcullis/sdk';
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

interface RouteOptions {
  /** The body, as JSON or as a form of fields and files. */
  readonly body?: Json;
  readonly form?: Extract<NonNullable<RecordedRoute['body']>, { kind: 'form' }>['parts'];
  readonly status?: number;
  /** The content type of an answer that is a text; default events. */
  readonly type?: string;
}

/** A request that no fixture holds. */
export function route(method: string, path: string, answer: Json, options: RouteOptions = {}): RecordedRoute {
  const { body, form, status = 200, type = 'text/event-stream; charset=utf-8' } = options;
  const asked = body === undefined ? undefined : ({ kind: 'json', json: body } as const);
  const text = typeof answer === 'string';
  return {
    method,
    path,
    body: form === undefined ? asked : { kind: 'form', parts: form },
    answer: {
      status,
      headers: { 'content-type': text ? type : 'application/json' },
      bytes: Buffer.from(text ? answer : JSON.stringify(answer)),
    },
  };
}

/** The same requests from an SDK that says some fields always. */
export function saying(fields: JsonObject, routes: readonly RecordedRoute[]): readonly RecordedRoute[] {
  return routes.map((one) => {
    const json = one.body?.kind === 'json' ? asObject(one.body.json) : undefined;
    return json === undefined ? one : { ...one, body: { kind: 'json', json: { ...json, ...fields } } };
  });
}

/** Events as a vendor writes them: named where they have a `type`. */
export function events(...all: readonly JsonObject[]): string {
  return all
    .map((data) => `${data.type === undefined ? '' : `event: ${String(data.type)}\n`}data: ${JSON.stringify(data)}\n\n`)
    .join('');
}

/** What the client of a fixture sends, in the type that its SDK has for it. */
export function callOf<Body>(provider: string, name: string): Body {
  const { body } = fixture(provider, name).call;
  return (body?.kind === 'json' ? body.json : assert.fail(`${name}: no JSON`)) as Body;
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
