import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { asNumber, asObject, asString, type Json, type JsonObject } from '../json.ts';
import { bodyIn, checkFields, type FixtureBody } from './fixture-body.ts';
import { encodeBody } from './wire-body.ts';

/** What a client sends to the gateway: `NAME.call.json`. */
export interface FixtureCall {
  /** Default POST with a body, GET without. */
  readonly method: string;
  /** Path and query: `/v1/chat/completions`. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Settings of the provider, snake_case, as in a config. */
  readonly settings: JsonObject;
  /** A JSON object in `body`; a multipart form as a list of parts in `form`; or `text` or `base64` with their `type`. */
  readonly body: FixtureBody | undefined;
  readonly type: string | undefined;
}

/** What must reach the provider: `NAME.request.json`, a list of them where the provider is called more than once. */
export interface FixtureRequest {
  readonly method: string;
  /** The provider's real URL with query. */
  readonly url: string;
  /** Headers that must be there, lower-case names; others may be there too. */
  readonly headers: Readonly<Record<string, string>>;
  /** JSON in `body`, parts of a form in `form`, bytes in `text` or `base64`. Absent: the request has no body. */
  readonly body: FixtureBody | undefined;
}

/** What the provider answers: `NAME.upstream.json` (a list of them for a list of requests), or the bytes of `NAME.stream.txt`. */
export interface FixtureAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Of `body`, which is JSON unless it is a string, of `text`, or of `base64`. */
  readonly bytes: Uint8Array;
}

/** One event of a streamed reply. */
export interface FixtureEvent {
  readonly event?: string;
  /** The parsed data, or its text where it is no JSON: `[DONE]`. */
  readonly data: Json;
}

/** What the client gets: `NAME.reply.json`, or the events of `NAME.deltas.json`. */
export type FixtureReply =
  | {
      readonly kind: 'whole';
      readonly status: number;
      /** JSON in `body`; bytes in `text` or `base64`. */
      readonly body: FixtureBody;
      /** The content type; of bytes always given. */
      readonly type: string | undefined;
    }
  | { readonly kind: 'stream'; readonly events: readonly FixtureEvent[] };

export interface FixtureCase {
  readonly name: string;
  readonly call: FixtureCall;
  /** In the order in which they come; one, unless `several`. */
  readonly requests: readonly FixtureRequest[];
  /** Whether the requests were written as a list. */
  readonly several: boolean;
  /** As many as requests. */
  readonly answers: readonly FixtureAnswer[];
  readonly reply: FixtureReply;
  /** Absolute paths, for messages. */
  readonly files: { readonly request: string; readonly reply: string };
}

const kinds = ['call.json', 'request.json', 'upstream.json', 'stream.txt', 'reply.json', 'deltas.json'];

/** The names of the cases in a provider's `fixtures` folder; empty when there is none. */
export function caseNames(fixtures: string): readonly string[] {
  if (!existsSync(fixtures)) return [];
  const files = readdirSync(fixtures).filter((file) => !file.startsWith('.'));
  const stray = files.find((file) => !kinds.some((kind) => file.endsWith(`.${kind}`)));
  if (stray !== undefined)
    throw new Error(`${join(fixtures, stray)}: a fixture is named NAME.${kinds.join(', NAME.')}.`);
  return [...new Set(files.map((file) => file.slice(0, file.indexOf('.'))))].toSorted();
}

/**
 * Reads one case.
 * @throws Error naming the file that is missing, is no JSON or lacks a field
 */
export function readCase(fixtures: string, name: string): FixtureCase {
  const files = Object.fromEntries(kinds.map((kind) => [kind, join(fixtures, `${name}.${kind}`)]));
  const file = (kind: string) => files[kind] ?? '';
  const replyKind = oneOf(file('reply.json'), file('deltas.json'));
  const answerKind = oneOf(file('upstream.json'), file('stream.txt'));
  const recorded = jsonIn(file('request.json'));
  const requests = listed(recorded, file('request.json')).map(([value, at]) => requestOf(value, at));
  const answers = answersOf(answerKind);
  if (requests.length !== answers.length)
    throw new Error(`${file('request.json')}: ${requests.length} requests, but ${answers.length} answers to them.`);
  return {
    name,
    call: callOf(file('call.json')),
    requests,
    several: Array.isArray(recorded),
    answers,
    reply: replyOf(replyKind),
    files: { request: file('request.json'), reply: replyKind },
  };
}

function oneOf(one: string, other: string): string {
  if (existsSync(one) === existsSync(other)) {
    throw new Error(`${one}: a case needs either this file or ${basename(other)}.`);
  }
  return existsSync(one) ? one : other;
}

function callOf(file: string): FixtureCall {
  const call = objectIn(file);
  checkFields(call, ['method', 'path', 'headers', 'settings', 'body', 'form', 'text', 'base64', 'type'], file);
  const body = bodyIn(call, file);
  if (body?.kind === 'json' && asObject(body.json) === undefined) throw new Error(`${file}: body must be an object.`);
  return {
    method: asString(call.method) ?? (body === undefined ? 'GET' : 'POST'),
    path: needed(asString(call.path), file, 'path'),
    headers: stringsOf(call.headers),
    settings: asObject(call.settings) ?? {},
    body,
    type: typeOf(call, body, file),
  };
}

function requestOf(value: unknown, at: string): FixtureRequest {
  const request = needed(asObject(value), at, 'an object');
  checkFields(request, ['method', 'url', 'headers', 'body', 'form', 'text', 'base64'], at);
  const url = needed(asString(request.url), at, 'url');
  if (!URL.canParse(url)) throw new Error(`${at}: url must be the provider's real one, with its scheme.`);
  return {
    method: needed(asString(request.method), at, 'method'),
    url,
    headers: stringsOf(request.headers),
    body: bodyIn(request, at),
  };
}

function answersOf(file: string): readonly FixtureAnswer[] {
  if (file.endsWith('.txt')) {
    const headers = { 'content-type': 'text/event-stream; charset=utf-8' };
    return [{ status: 200, headers, bytes: readFileSync(file) }];
  }
  return listed(jsonIn(file), file).map(([value, at]) => answerOf(value, at));
}

function answerOf(value: unknown, at: string): FixtureAnswer {
  const answer = needed(asObject(value), at, 'an object');
  checkFields(answer, ['status', 'headers', 'body', 'text', 'base64'], at);
  const body = bodyIn(answer, at) ?? { kind: 'json', json: null };
  const wire =
    body.kind === 'json' && typeof body.json === 'string'
      ? { contentType: 'application/json', bytes: Buffer.from(body.json) }
      : encodeBody(body);
  return {
    status: needed(asNumber(answer.status), at, 'status'),
    headers: { 'content-type': wire.contentType, ...stringsOf(answer.headers) },
    bytes: wire.bytes,
  };
}

function replyOf(file: string): FixtureReply {
  if (file.endsWith('.deltas.json')) {
    const events = jsonIn(file);
    if (!Array.isArray(events)) throw new Error(`${file}: must be a list of events.`);
    return { kind: 'stream', events: events as readonly FixtureEvent[] };
  }
  const reply = objectIn(file);
  checkFields(reply, ['status', 'body', 'text', 'base64', 'type'], file);
  const body = bodyIn(reply, file) ?? { kind: 'json', json: null };
  const status = needed(asNumber(reply.status), file, 'status');
  return { kind: 'whole', status, body, type: typeOf(reply, body, file) };
}

/** Bytes do not say themselves what they are. */
function typeOf(holder: JsonObject, body: FixtureBody | undefined, file: string): string | undefined {
  const type = asString(holder.type);
  return body?.kind === 'bytes' ? needed(type, file, 'type (the content type)') : type;
}

/** One value, or those of a list, each with its place. */
function listed(value: unknown, file: string): readonly (readonly [value: unknown, at: string])[] {
  if (!Array.isArray(value)) return [[value, file]];
  if (value.length === 0) throw new Error(`${file}: the list is empty.`);
  return value.map((item: unknown, index) => [item, `${file} [${index}]`]);
}

function objectIn(file: string): JsonObject {
  return needed(asObject(jsonIn(file)), file, 'an object');
}

function jsonIn(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (cause) {
    throw new Error(`${file}: ${cause instanceof Error ? cause.message : 'cannot be read'}`, { cause });
  }
}

function stringsOf(value: Json | undefined): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(asObject(value) ?? {}).map(([name, text]) => [name.toLowerCase(), String(text)]),
  );
}

function needed<T>(value: T | undefined, file: string, field: string): T {
  if (value === undefined) throw new Error(`${file}: ${field} is missing.`);
  return value;
}
