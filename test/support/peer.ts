import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import { asObject, asString, type JsonObject, parseJson } from 'portcullis/sdk';
import {
  recordedReply,
  recordedStream,
  type Scenario,
  scenarioOf,
  type WireDialect,
  withAskedUsage,
} from './recordings.ts';
import { refuseChat } from './refusals/chat.ts';
import { refuseGemini } from './refusals/gemini.ts';
import { refuseMessages } from './refusals/messages.ts';
import type { Refuse } from './refusals/refusal.ts';
import { refuseResponses } from './refusals/responses.ts';
import { wireError } from './wire-errors.ts';

/** One request that reached a peer. */
export interface PeerRequest {
  readonly method: string;
  /** Path with query. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
  /** `{}` where the body is no JSON object. */
  readonly body: JsonObject;
  /** The wire format of its path; undefined for every other path. */
  readonly dialect: WireDialect | undefined;
  /** Resolves when the connection closed before the reply was complete. */
  readonly abandoned: Promise<void>;
}

/** What a peer does with one request instead of serving the recording. */
export interface Act {
  /** Waits for this before the head is sent; `never`: says nothing until the caller gives up. */
  readonly before?: Promise<unknown> | 'never';
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  /** A whole body in place of a recording. */
  readonly body?: string | Uint8Array | JsonObject;
  /** Events in place of a recorded stream, whatever was asked for. */
  readonly events?: readonly string[];
  /** Another recording than the request asks for. */
  readonly scenario?: Scenario;
  /** Sends so many events only, then does what `ending` says; default all. */
  readonly upTo?: number;
  /** After the events: end properly, cut the socket, or say nothing more until `release` resolves or the caller gives up. */
  readonly ending?: 'end' | 'cut' | 'stall';
  readonly release?: Promise<unknown>;
  /** Events that follow a stall. */
  readonly rest?: readonly string[];
  /** Changes the bytes of a stream: frame them with CRLF, put comments between the events. */
  readonly crlf?: boolean;
  readonly comments?: boolean;
  /** Writes in pieces of so many bytes, one by one; 0: one write an event. */
  readonly pieceBytes?: number;
}

export interface Peer {
  readonly origin: string;
  readonly port: number;
  readonly requests: PeerRequest[];
  /** What to do with the coming requests, one each; afterwards recordings are served again. */
  next(...acts: readonly Act[]): void;
  /** What to do with every request for which nothing is queued. */
  always(act: Act | ((request: PeerRequest) => Act)): void;
  /** Resolves with the request of this number (from 0) once it is here. */
  request(index: number): Promise<PeerRequest>;
  /** Number of open sockets. */
  sockets(): Promise<number>;
}

const paths: readonly (readonly [RegExp, WireDialect, Refuse])[] = [
  [/\/chat\/completions$/, 'chat', refuseChat],
  [/\/messages$/, 'messages', refuseMessages(false)],
  [/\/messages\/count_tokens$/, 'messages', refuseMessages(true)],
  [/\/responses$/, 'responses', refuseResponses],
  [/\/models\/[^/]+:(?:generateContent|streamGenerateContent)$/, 'gemini', refuseGemini],
];

/** Starts a provider on 127.0.0.1 that answers from recordings and refuses what the real one would refuse. */
export async function startPeer(t: Pick<TestContext, 'after'>): Promise<Peer> {
  const requests: PeerRequest[] = [];
  const queue: Act[] = [];
  const waiting = new Map<number, (request: PeerRequest) => void>();
  let standing: Act | ((request: PeerRequest) => Act) = {};

  const server = createServer({ keepAliveTimeout: 60_000 }, (incoming, response) => {
    serve(incoming, response).catch(() => response.destroy());
  });
  async function serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const abandoned = new Promise<void>((resolve) => {
      response.on('close', () => {
        if (!response.writableFinished) resolve();
      });
    });
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const bytes = Buffer.concat(chunks);
    const url = incoming.url ?? '';
    const path = url.split('?')[0] ?? '';
    const [, dialect, refuse] = incoming.method === 'POST' ? (paths.find(([pattern]) => pattern.test(path)) ?? []) : [];
    const request: PeerRequest = {
      method: incoming.method ?? '',
      url,
      headers: incoming.headers,
      bytes,
      body: asObject(parseJson(bytes.toString('utf8'))) ?? {},
      dialect,
      abandoned,
    };
    const act = queue.shift() ?? (typeof standing === 'function' ? standing(request) : standing);
    const index = requests.push(request) - 1;
    waiting.get(index)?.(request);
    await (act.before === 'never' ? abandoned : act.before);
    if (response.destroyed) return;

    const refusal =
      dialect === undefined || act.status !== undefined ? undefined : refuse?.(request.body, request.headers);
    if (refusal !== undefined && dialect !== undefined) {
      json(response, refusal.status, {}, wireError(dialect, refusal.status, refusal.message, refusal.param));
      return;
    }
    await perform(act, request, path, response);
  }
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(async () => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    port,
    requests,
    next: (...acts) => {
      queue.push(...acts);
    },
    always: (act) => {
      standing = act;
    },
    request: (index) => {
      const known = requests[index];
      if (known !== undefined) return Promise.resolve(known);
      return new Promise((resolve) => waiting.set(index, resolve));
    },
    sockets: () =>
      new Promise((resolve, reject) =>
        server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
      ),
  };
}

async function perform(act: Act, request: PeerRequest, path: string, response: ServerResponse): Promise<void> {
  const { dialect } = request;
  const status = act.status ?? 200;
  if (act.body !== undefined) {
    if (typeof act.body === 'string' || act.body instanceof Uint8Array) {
      response.writeHead(status, { 'content-type': 'application/json', ...headersOf(act) });
      if (act.ending !== 'cut') {
        response.end(act.body);
        return;
      }
      response.write(act.body, () => response.destroy());
      return;
    }
    json(response, status, headersOf(act), act.body);
    return;
  }
  if (act.events !== undefined) return stream(act, act.events, request, response);
  if (dialect === undefined || status >= 300) {
    json(
      response,
      act.status ?? 404,
      headersOf(act),
      wireError(dialect ?? 'chat', act.status ?? 404, `Nothing is recorded for ${request.method} ${path}.`),
    );
    return;
  }
  if (path.endsWith('/count_tokens')) {
    json(response, 200, headersOf(act), { input_tokens: 14 });
    return;
  }
  const scenario = act.scenario ?? scenarioOf(dialect, request.body);
  const streams = dialect === 'gemini' ? path.endsWith(':streamGenerateContent') : request.body.stream === true;
  if (!streams) {
    response.writeHead(status, { 'content-type': 'application/json', ...headersOf(act) });
    response.end(recordedReply(dialect, scenario));
    return;
  }
  const events = withAskedUsage(dialect, request.body, recordedStream(dialect, scenario));
  if (dialect === 'gemini' && !request.url.includes('alt=sse')) {
    const elements = events.map((event) => event.slice('data: '.length).trim());
    json(response, 200, headersOf(act), `[${elements.join(',\r\n')}]`);
    return;
  }
  await stream(act, events, request, response);
}

async function stream(act: Act, all: readonly string[], request: PeerRequest, response: ServerResponse): Promise<void> {
  response.writeHead(act.status ?? 200, { 'content-type': 'text/event-stream; charset=utf-8', ...headersOf(act) });
  response.flushHeaders();
  let text = all
    .slice(0, act.upTo ?? all.length)
    .map((event) => (act.comments === true ? `: keep-alive\n\n${event}:\n` : event));
  if (act.crlf === true) text = text.map((event) => event.replaceAll('\n', '\r\n'));
  for (const event of text) {
    for (const piece of pieces(Buffer.from(event), act.pieceBytes ?? 0)) {
      if (response.destroyed) return;
      await new Promise((resolve) => response.write(piece, resolve));
    }
  }
  if (act.ending === 'cut') response.destroy();
  if (act.ending === 'stall') {
    await (act.release ?? request.abandoned);
    for (const event of act.rest ?? []) response.write(event);
  }
  response.end();
}

/** Each piece is its own write, so that it may become its own packet. */
function pieces(bytes: Buffer, size: number): readonly Buffer[] {
  if (size === 0) return [bytes];
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
    bytes.subarray(index * size, (index + 1) * size),
  );
}

function headersOf(act: Act): Record<string, string | string[]> {
  return Object.fromEntries(
    Object.entries(act.headers ?? {}).map(([name, value]) => [name, asString(value) ?? [...value]]),
  );
}

function json(
  response: ServerResponse,
  status: number,
  headers: Record<string, string | string[]>,
  body: JsonObject | string,
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
}
