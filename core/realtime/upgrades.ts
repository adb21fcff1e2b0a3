import { type IncomingMessage, type Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { GatewayError, type Outcome } from 'portcullis/sdk';
import { WebSocket, WebSocketServer } from 'ws';
import { errorReply } from '../http/errors.ts';
import type { HandlerOptions, Lease } from '../http/handle.ts';
import { refuseForeignPages } from '../http/local-callers.ts';
import { replyHeaders, respond, sendableHeaders } from '../http/respond.ts';
import { authorise } from '../pipeline/authorise.ts';
import { Exchange } from '../pipeline/exchange.ts';
import { abandon } from '../pipeline/judge.ts';
import { identify, runExchange } from '../pipeline/run.ts';
import type { Runtime } from '../pipeline/runtime.ts';
import { settle } from '../pipeline/settle.ts';
import { asksForWebSocket, checkHandshake, realtimePath } from './handshake.ts';
import { Session } from './session.ts';
import { type Offered, readSubProtocols } from './sub-protocols.ts';
import { type SessionEnd, Turns } from './turns.ts';

const beatMs = 30_000;
/** Of one message of a client. */
const mostMessageBytes = 16 * 1024 * 1024;

export interface Upgrades {
  /** Ends every session, and takes no new one; resolves when all are settled. @param limitMs how long clients are waited for */
  close(limitMs: number): Promise<void>;
}

/** For Node's server: what it takes for an upgrade. Without sessions, everything is a request. */
export function upgradeRule(sessions: boolean): {
  readonly shouldUpgradeCallback: (request: IncomingMessage) => boolean;
} {
  return { shouldUpgradeCallback: sessions ? asksForWebSocket : () => false };
}

/**
 * Serves `GET /v1/realtime`: the request passes the pipeline as any other, and is answered by a WebSocket when its target
 * has answered with one. Until then errors are those of HTTP.
 */
export function serveUpgrades(server: Server, options: HandlerOptions): Upgrades {
  const upgrades = new RealtimeUpgrades(options);
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) =>
    upgrades.take(request, socket, head),
  );
  return upgrades;
}

/** One handshake on its way. */
interface Handshake {
  readonly request: IncomingMessage;
  readonly socket: Duplex;
  readonly head: Buffer;
  readonly exchange: Exchange;
  readonly lease: Lease;
}

class RealtimeUpgrades implements Upgrades {
  readonly #options: HandlerOptions;
  readonly #sessions = new Set<Session>();
  readonly #handshakes = new Set<Exchange>();
  /** Everything that has not been settled. */
  readonly #unsettled = new Set<Promise<void>>();
  readonly #headers = new WeakMap<IncomingMessage, readonly string[]>();
  readonly #beat: NodeJS.Timeout;
  readonly #sockets = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    maxPayload: mostMessageBytes,
  });
  #closing = false;

  constructor(options: HandlerOptions) {
    this.#options = options;
    this.#beat = setInterval(() => {
      for (const session of this.#sessions) session.beat();
    }, beatMs);
    this.#beat.unref();
    this.#sockets.on('headers', (lines, request) => lines.push(...(this.#headers.get(request) ?? [])));
  }

  take(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const { acquire, newId } = this.#options;
    socket.on('error', () => socket.destroy());
    const lease = acquire();
    const { runtime } = lease;
    const { exchange, fault } = entered(request, runtime, newId());
    this.#handshakes.add(exchange);
    void this.#serve({ request, socket, head, exchange, lease }, fault)
      .catch((error: unknown) => {
        runtime.log.error('session_failed', { request: exchange.id, error: messageOf(error) });
        socket.destroy();
      })
      .finally(() => this.#handshakes.delete(exchange));
  }

  async close(limitMs: number): Promise<void> {
    this.#closing = true;
    clearInterval(this.#beat);
    for (const { cancellation } of this.#handshakes) cancellation.cancel();
    for (const session of this.#sessions) session.abort();
    const { clients } = this.#sockets;
    const force = setTimeout(() => {
      for (const session of this.#sessions) session.terminate();
      for (const client of clients) client.terminate();
    }, limitMs);
    while (this.#handshakes.size + this.#sessions.size + this.#unsettled.size + clients.size > 0) {
      await Promise.all(this.#unsettled);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    clearTimeout(force);
  }

  async #serve(handshake: Handshake, fault: unknown): Promise<void> {
    const { request, socket, head, exchange, lease } = handshake;
    const left = () => exchange.cancellation.cancel();
    socket.once('end', left);
    socket.once('close', left);
    const answered = await this.#outcomeOf(handshake, fault);
    socket.off('end', left);
    socket.off('close', left);
    const { outcome, upstream } = this.#sessionIn(answered, handshake);
    exchange.clock.replied();
    if (upstream === undefined) {
      refuse(request, socket, exchange, outcome);
      this.#settle(lease, exchange, outcome, socket.readable ? 'sent' : 'left');
      return;
    }
    this.#headers.set(request, headerLines(exchange, outcome));
    // The client is told the sub-protocol that the provider has chosen, and never one that holds a key.
    if (upstream.protocol === '') delete request.headers['sec-websocket-protocol'];
    else request.headers['sec-websocket-protocol'] = upstream.protocol;
    this.#sockets.handleUpgrade(request, socket, head, (client) => this.#begin(client, upstream, outcome, handshake));
  }

  async #outcomeOf({ request, exchange, lease: { runtime } }: Handshake, fault: unknown): Promise<Outcome> {
    try {
      if (!this.#options.accepting()) throw shuttingDown();
      if (fault !== undefined) throw fault;
      if (runtime.open) refuseForeignPages(request.headers, runtime.config.server.cors);
      await identify(runtime, exchange);
      authorise(exchange);
      return await runExchange(runtime, exchange, undefined);
    } catch (error) {
      return errorReply(this.#closing ? shuttingDown() : error, exchange.id, undefined, runtime.log);
    }
  }

  /** The WebSocket of an outcome, if there still is somebody for it. */
  #sessionIn(outcome: Outcome, { socket, exchange, lease: { runtime } }: Handshake) {
    const { session } = outcome;
    const refusal = (error: GatewayError) => ({
      outcome: errorReply(error, exchange.id, undefined, runtime.log),
      upstream: undefined,
    });
    if (!(session instanceof WebSocket)) {
      if (outcome.status >= 400) return { outcome, upstream: undefined };
      abandon(outcome);
      return refusal(
        new GatewayError('upstream_invalid', 'A WebSocket was asked for, and something else has answered.'),
      );
    }
    if (!this.#closing && socket.readable && socket.writable) return { outcome, upstream: session };
    abandon(outcome);
    if (this.#closing) return refusal(shuttingDown());
    return refusal(new GatewayError('client_closed', 'The client left before the session had begun.'));
  }

  #begin(client: WebSocket, upstream: WebSocket, outcome: Outcome, { exchange, lease }: Handshake): void {
    const { newId } = this.#options;
    const { runtime } = lease;
    const turns = new Turns({ runtime, exchange, outcome, newId });
    const session: Session = new Session({
      client,
      upstream,
      turns,
      newId,
      failed: (error) => runtime.log.error('session_failed', { request: exchange.id, error: messageOf(error) }),
      done: (end) => {
        this.#settle(lease, exchange, outcome, end);
        queueMicrotask(() => this.#sessions.delete(session));
      },
    });
    this.#sessions.add(session);
  }

  #settle({ runtime, release }: Lease, exchange: Exchange, outcome: Outcome, end: SessionEnd): void {
    const told: Outcome = end === 'broken' ? { ...outcome, status: 502, error: 'upstream_error' } : outcome;
    const settling: Promise<void> = settle(runtime, exchange, told, end === 'left' ? 'left' : 'sent')
      .catch((error: unknown) => runtime.log.error('settle_failed', { request: exchange.id, error: messageOf(error) }))
      .finally(() => {
        release();
        this.#unsettled.delete(settling);
      });
    this.#unsettled.add(settling);
  }
}

function entered(request: IncomingMessage, runtime: Runtime, id: string) {
  let offered: Offered = { headers: {}, others: [] };
  let fault: unknown;
  try {
    const { pathname } = new URL(request.url ?? '/', 'http://gateway');
    if (pathname !== realtimePath) {
      throw new GatewayError('not_found', `There is no WebSocket at this path: ${realtimePath} is one.`);
    }
    checkHandshake(request);
    offered = readSubProtocols(request.headers['sec-websocket-protocol'], runtime.config.server.headerVendors);
  } catch (error) {
    fault = GatewayError.is(error) ? error : new GatewayError('bad_request', 'The request line holds no path.');
  }
  return { exchange: exchangeOf(request, offered, runtime, id), fault };
}

function exchangeOf(request: IncomingMessage, offered: Offered, runtime: Runtime, id: string): Exchange {
  const [path = '/', query = ''] = (request.url ?? '/').split(/(?=\?)/, 2);
  // What it offers may hold keys.
  const { 'sec-websocket-protocol': _, ...headers } = request.headers as Record<string, string>;
  const exchange = new Exchange({
    id,
    method: request.method ?? 'GET',
    path,
    query,
    endpoint: 'realtime',
    dialect: undefined,
    params: {},
    headers: { ...offered.headers, ...headers },
    vendors: runtime.config.server.headerVendors,
    startedAt: runtime.now(),
  });
  exchange.socketProtocols = offered.others;
  const wanted = new URLSearchParams(query);
  const model = wanted.get('model') ?? wanted.get('deployment');
  if (model !== null) exchange.body = { model };
  return exchange;
}

/** An answer of HTTP in the place of a WebSocket. */
function refuse(request: IncomingMessage, socket: Duplex, exchange: Exchange, outcome: Outcome): void {
  if (socket.destroyed) return;
  const response = new ServerResponse(request);
  response.shouldKeepAlive = false;
  response.assignSocket(socket as Socket);
  response.once('finish', () => (socket as Socket).destroySoon());
  respond(response, exchange, outcome, () => {});
}

function headerLines(exchange: Exchange, outcome: Outcome): readonly string[] {
  return Object.entries(sendableHeaders(replyHeaders(exchange, outcome))).map(([name, value]) => `${name}: ${value}`);
}

function shuttingDown(): GatewayError {
  return new GatewayError('not_ready', 'The gateway is shutting down.', { headers: { 'retry-after': '5' } });
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : 'not an error';
}
