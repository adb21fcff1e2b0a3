import { type IncomingMessage, type Server, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { GatewayError, type Outcome } from 'portcullis/sdk';
import { type WebSocket, WebSocketServer } from 'ws';
import { errorReply } from '../http/errors.ts';
import type { HandlerOptions } from '../http/handle.ts';
import { refuseForeignPages } from '../http/local-callers.ts';
import { authorise } from '../pipeline/authorise.ts';
import { Exchange } from '../pipeline/exchange.ts';
import { identify, runExchange } from '../pipeline/run.ts';
import type { Runtime } from '../pipeline/runtime.ts';
import { settle } from '../pipeline/settle.ts';
import { Session } from './session.ts';
import { readSubProtocols } from './sub-protocols.ts';
import { Turns } from './turns.ts';

const path = '/v1/realtime';

export interface Upgrades {
  /** Ends every session. */
  close(): void;
}

/**
 * Serves `GET /v1/realtime`: the request passes the pipeline as any other, and is answered by a WebSocket when its target
 * has answered with one. Until then errors are those of HTTP.
 */
export function serveUpgrades(server: Server, options: HandlerOptions): Upgrades {
  const sessions = new Set<Session>();
  const sockets = new WebSocketServer({ noServer: true, perMessageDeflate: false, maxPayload: 16 * 1024 * 1024 });
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on('error', () => socket.destroy());
    void serve(request, socket, head).catch(() => socket.destroy());
  });

  async function serve(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const { runtime, release } = options.acquire();
    const { headerVendors } = runtime.config.server;
    const offered = readSubProtocols(request.headers['sec-websocket-protocol'], headerVendors);
    const exchange = exchangeOf(request, offered.headers, runtime, options.newId());
    exchange.socketProtocols = offered.others;
    const left = () => exchange.cancellation.cancel();
    socket.once('close', left);
    const outcome = await outcomeOf(request, exchange, runtime, options.accepting());
    socket.off('close', left);
    const over = (ending: 'sent' | 'left') => void settle(runtime, exchange, outcome, ending).finally(release);
    const upstream = outcome.session as WebSocket | undefined;
    exchange.clock.replied();
    if (upstream === undefined || socket.destroyed) {
      upstream?.terminate();
      refuse(socket, exchange, outcome);
      over(socket.destroyed ? 'left' : 'sent');
      return;
    }
    answeredProtocol(request, upstream.protocol);
    sockets.handleUpgrade(request, socket, head, (client) => {
      const turns = new Turns(runtime, exchange, outcome, options.newId);
      const session = new Session({
        client,
        upstream,
        turns,
        done: (ending) => {
          sessions.delete(session);
          over(ending);
        },
      });
      sessions.add(session);
    });
  }

  return {
    close() {
      for (const session of sessions) session.abort();
      sockets.close();
    },
  };
}

/** The client is told the sub-protocol that the provider has chosen, and never one that holds a key. */
function answeredProtocol(request: IncomingMessage, protocol: string): void {
  if (protocol === '') delete request.headers['sec-websocket-protocol'];
  else request.headers['sec-websocket-protocol'] = protocol;
}

function exchangeOf(
  request: IncomingMessage,
  offered: Readonly<Record<string, string>>,
  runtime: Runtime,
  id: string,
): Exchange {
  const url = new URL(request.url ?? '/', 'http://gateway');
  const exchange = new Exchange({
    id,
    method: 'GET',
    path: url.pathname,
    query: url.search,
    endpoint: 'realtime',
    dialect: undefined,
    params: {},
    headers: { ...offered, ...(request.headers as Record<string, string>) },
    vendors: runtime.config.server.headerVendors,
    startedAt: runtime.now(),
  });
  const model = url.searchParams.get('model');
  if (model !== null) exchange.body = { model };
  return exchange;
}

async function outcomeOf(
  request: IncomingMessage,
  exchange: Exchange,
  runtime: Runtime,
  accepting: boolean,
): Promise<Outcome> {
  try {
    if (!accepting) throw new GatewayError('not_ready', 'The gateway is shutting down.');
    if (exchange.path !== path)
      throw new GatewayError('not_found', `There is no WebSocket at this path: ${path} is one.`);
    if (runtime.open) refuseForeignPages(request.headers, runtime.config.server.cors);
    await identify(runtime, exchange);
    authorise(exchange);
    return await runExchange(runtime, exchange, undefined);
  } catch (error) {
    return errorReply(error, exchange.id, undefined, runtime.log);
  }
}

/** An answer of HTTP in the place of a WebSocket. */
function refuse(socket: Duplex, exchange: Exchange, { status, headers, body }: Outcome): void {
  if (socket.destroyed) return;
  const bytes = body.kind === 'bytes' ? body.bytes : new Uint8Array();
  if (body.kind === 'stream') body.stream.abort();
  const code = status >= 400 ? status : 502;
  const type = String(headers['content-type'] ?? 'application/json');
  const lines = [
    `HTTP/1.1 ${code} ${STATUS_CODES[code] ?? 'Refused'}`,
    `content-type: ${type}`,
    `content-length: ${bytes.byteLength}`,
    `x-${exchange.vendor}-request-id: ${exchange.id}`,
    'connection: close',
  ];
  socket.end(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`), bytes]));
}
