import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { asNumber, asObject, asString, type Json, type JsonObject } from '../json.ts';

/** What a client sends to the gateway: `NAME.call.json`. */
export interface FixtureCall {
  /** Default POST with a body, GET without. */
  readonly method: string;
  /** Path and query: `/v1/chat/completions`. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Settings of the provider, snake_case, as in a config. */
  readonly settings: JsonObject;
  readonly body: JsonObject | undefined;
}

/** What must reach the provider: `NAME.request.json`. */
export interface FixtureRequest {
  readonly method: string;
  /** The provider's real URL with query. */
  readonly url: string;
  /** Headers that must be there, lower-case names; others may be there too. */
  readonly headers: Readonly<Record<string, string>>;
  /** Absent: the request has no body. */
  readonly body: Json | undefined;
}

/** What the provider answers: `NAME.upstream.json`, or the bytes of `NAME.stream.txt`. */
export interface FixtureAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: Uint8Array;
  /** Streams are replayed a second time, cut at other places. */
  readonly stream: boolean;
}

/** One event of a streamed reply. */
export interface FixtureEvent {
  readonly event?: string;
  /** The parsed data, or its text where it is no JSON: `[DONE]`. */
  readonly data: Json;
}

/** What the client gets: `NAME.reply.json`, or the events of `NAME.deltas.json`. */
export type FixtureReply =
  | { readonly kind: 'whole'; readonly status: number; readonly body: Json }
  | { readonly kind: 'stream'; readonly events: readonly FixtureEvent[] };

export interface FixtureCase {
  readonly name: string;
  readonly call: FixtureCall;
  readonly request: FixtureRequest;
  readonly answer: FixtureAnswer;
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
  return {
    name,
    call: callOf(file('call.json')),
    request: requestOf(file('request.json')),
    answer: answerOf(oneOf(file('upstream.json'), file('stream.txt'))),
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
  const body = asObject(call.body);
  return {
    method: asString(call.method) ?? (body === undefined ? 'GET' : 'POST'),
    path: needed(asString(call.path), file, 'path'),
    headers: stringsOf(call.headers),
    settings: asObject(call.settings) ?? {},
    body,
  };
}

function requestOf(file: string): FixtureRequest {
  const request = objectIn(file);
  return {
    method: needed(asString(request.method), file, 'method'),
    url: needed(asString(request.url), file, 'url'),
    headers: stringsOf(request.headers),
    body: request.body,
  };
}

function answerOf(file: string): FixtureAnswer {
  if (file.endsWith('.txt')) {
    const headers = { 'content-type': 'text/event-stream; charset=utf-8' };
    return { status: 200, headers, bytes: readFileSync(file), stream: true };
  }
  const answer = objectIn(file);
  const body = typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body ?? null);
  return {
    status: needed(asNumber(answer.status), file, 'status'),
    headers: { 'content-type': 'application/json', ...stringsOf(answer.headers) },
    bytes: Buffer.from(body),
    stream: false,
  };
}

function replyOf(file: string): FixtureReply {
  if (file.endsWith('.deltas.json')) {
    const events = jsonIn(file);
    if (!Array.isArray(events)) throw new Error(`${file}: must be a list of events.`);
    return { kind: 'stream', events: events as readonly FixtureEvent[] };
  }
  const reply = objectIn(file);
  return { kind: 'whole', status: needed(asNumber(reply.status), file, 'status'), body: reply.body ?? null };
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
