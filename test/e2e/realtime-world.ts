import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { type AddressInfo, connect, type Socket as NetSocket } from 'node:net';
import type { TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { asObject, asString, type JsonObject, parseJson } from 'portcullis/sdk';
import { WebSocket, WebSocketServer } from 'ws';

type Owner = Pick<TestContext, 'after'>;

/** What the peer does with a handshake: a status refuses it. */
export type Handshake =
  | 'accept'
  | 'hang'
  | 'drop'
  | {
      readonly status: number;
      readonly length?: number;
      readonly body?: string;
      readonly headers?: Readonly<Record<string, string>>;
    };

export interface RealtimePeer {
  /** For `custom_host`. */
  readonly url: string;
  readonly port: number;
  readonly seen: { readonly url: string; readonly headers: IncomingHttpHeaders }[];
  /** In the order in which they were opened. */
  readonly sessions: WebSocket[];
  /** Texts that clients have sent. */
  readonly heard: string[];
  /** What is done with the handshakes to come; the last one stays. */
  readonly handshakes: Handshake[];
  /** What is done with each message. */
  answer: (session: WebSocket, data: Buffer, binary: boolean) => void;
  session(index?: number): Promise<WebSocket>;
}

/** A provider of sessions, which echoes what it hears unless a test says otherwise. */
export async function realtimePeer(t: Owner): Promise<RealtimePeer> {
  const sockets = new WebSocketServer({ noServer: true, perMessageDeflate: false });
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end('<p>A page.</p>');
  });
  const raw = new Set<NetSocket>();
  const peer: RealtimePeer = {
    url: '',
    port: 0,
    seen: [],
    sessions: [],
    heard: [],
    handshakes: ['accept'],
    answer: (session, data, binary) => session.send(data, { binary }),
    session: async (index = 0) => {
      await until(() => peer.sessions[index] !== undefined);
      return peer.sessions[index] as WebSocket;
    },
  };
  server.on('upgrade', (request, socket, head) => {
    raw.add(socket as NetSocket);
    socket.on('error', () => {});
    peer.seen.push({ url: request.url ?? '', headers: request.headers });
    const act = (peer.handshakes.length > 1 ? peer.handshakes.shift() : peer.handshakes[0]) ?? 'accept';
    if (act === 'hang') return;
    if (act === 'drop') return socket.destroy();
    if (act !== 'accept') return refuse(socket as NetSocket, act);
    sockets.handleUpgrade(request, socket, head, (session) => {
      peer.sessions.push(session);
      session.on('error', () => {});
      session.on('message', (data, binary) => {
        if (!binary) peer.heard.push(String(data).slice(0, 1000));
        peer.answer(session, data as Buffer, binary);
      });
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    for (const socket of raw) socket.destroy();
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return Object.assign(peer, { url: `http://127.0.0.1:${port}/v1`, port });
}

function refuse(
  socket: NetSocket,
  { status, headers = {}, body = '', length = body.length }: Exclude<Handshake, string>,
): void {
  const lines = Object.entries({ 'content-type': 'application/json', ...headers }).map(
    ([name, value]) => `${name}: ${value}`,
  );
  socket.write(`HTTP/1.1 ${status} Refused\r\n${lines.join('\r\n')}\r\ncontent-length: ${length}\r\n\r\n${body}`);
  if (length === body.length) socket.end();
}

/** Answers `response.create` with a whole answer that has used so much, and nothing else. */
export function answering(input: number, output: number): RealtimePeer['answer'] {
  let count = 0;
  return (session, data) => {
    if (eventOf(data).type !== 'response.create') return;
    count += 1;
    const id = `resp_${count}`;
    say(session, { type: 'response.created', response: { id, status: 'in_progress' } });
    say(session, { type: 'response.output_text.delta', response_id: id, delta: 'Hi' });
    say(session, done(id, { usage: usage(input, output) }));
  };
}

export function done(id: string, response: JsonObject = {}): JsonObject {
  return { type: 'response.done', response: { id, object: 'realtime.response', status: 'completed', ...response } };
}

export function usage(input: number, output: number): JsonObject {
  return { total_tokens: input + output, input_tokens: input, output_tokens: output };
}

export function say(session: WebSocket, event: JsonObject): void {
  session.send(JSON.stringify(event));
}

export function eventOf(data: Buffer | string): JsonObject {
  return asObject(parseJson(String(data))) ?? {};
}

/** A client of the gateway, and everything that it was told. */
export interface RealtimeClient {
  readonly socket: WebSocket;
  readonly told: JsonObject[];
  readonly headers: IncomingHttpHeaders;
  send(event: JsonObject): void;
  /** Waits for the first event of that type that nobody has waited for yet. */
  next(type: string): Promise<JsonObject>;
  closed: Promise<{ readonly code: number; readonly reason: string }>;
}

export async function openClient(
  t: Owner,
  url: string,
  headers: Readonly<Record<string, string>> = {},
  { query = '?model=gpt-realtime', protocols = [] as readonly string[] } = {},
): Promise<RealtimeClient> {
  const socket = new WebSocket(`${url.replace(/^http/, 'ws')}/v1/realtime${query}`, [...protocols], {
    headers: { ...headers },
  });
  t.after(() => socket.terminate());
  const told: JsonObject[] = [];
  const used = new Set<JsonObject>();
  socket.on('message', (data, binary) => {
    if (!binary) told.push(eventOf(data as Buffer));
  });
  const closed = once(socket, 'close').then(([code, reason]) => ({ code: Number(code), reason: String(reason) }));
  let answered: IncomingHttpHeaders = {};
  socket.on('upgrade', (response) => {
    answered = response.headers;
  });
  await once(socket, 'open');
  const found = (type: string) => told.find((event) => event.type === type && !used.has(event));
  return {
    socket,
    told,
    headers: answered,
    closed,
    send: (event) => say(socket, event),
    next: async (type) => {
      await until(
        () => found(type) !== undefined,
        () => `${type} should come: ${JSON.stringify(told).slice(0, 2000)}`,
      );
      const event = found(type) as JsonObject;
      used.add(event);
      return event;
    },
  };
}

export interface Refusal {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly json: JsonObject;
  readonly message: string;
}

/** The answer of HTTP that a handshake got in the place of a WebSocket. */
export async function refusedHandshake(
  url: string,
  headers: Readonly<Record<string, string>> = {},
  { query = '?model=gpt-realtime', protocols = [] as readonly string[], path = '/v1/realtime' } = {},
): Promise<Refusal> {
  const socket = new WebSocket(`${url.replace(/^http/, 'ws')}${path}${query}`, [...protocols], {
    headers: { ...headers },
  });
  socket.on('error', () => {});
  const [, response] = await Promise.race([
    once(socket, 'unexpected-response'),
    once(socket, 'open').then(() => assert.fail('the session was opened')),
  ]);
  let text = '';
  for await (const chunk of response) text += String(chunk);
  const json = eventOf(text);
  return {
    status: response.statusCode,
    headers: response.headers,
    json,
    message: asString(asObject(json.error)?.message) ?? text,
  };
}

/** One request in plain bytes; resolves with the head and body of its answer. */
export async function rawRequest(url: string, text: string): Promise<string> {
  const { port } = new URL(url);
  const socket = connect(Number(port), '127.0.0.1');
  socket.write(text);
  let answer = '';
  socket.on('data', (chunk) => {
    answer += String(chunk);
  });
  socket.on('error', () => {});
  await Promise.race([once(socket, 'close'), once(socket, 'end'), sleep(3_000)]);
  socket.destroy();
  return answer;
}

export async function until(holds: () => boolean, fault = () => 'it should have happened'): Promise<void> {
  for (let tries = 0; !holds(); tries += 1) {
    assert.ok(tries < 1_000, fault());
    await sleep(10);
  }
}
