import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { GatewayError, type Usage } from 'portcullis/sdk';
import type { buildConnector } from 'undici';
import { WebSocket } from 'ws';
import type { Cancellation } from './cancellation.ts';
import type { WireHeaders } from './transport.ts';
import { transportError } from './transport-errors.ts';

export interface SocketRequest {
  /** Whom we call, for messages. */
  readonly upstream: string;
  /** http or https, with query. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly protocols: readonly string[];
  /** To the end of the handshake, in milliseconds; 0: no limit. */
  readonly timeoutMs: number;
  /** Of one message, in bytes. */
  readonly maxPayload: number;
  readonly cancellation: Cancellation;
}

/** What answers in the place of a handshake. */
export interface SocketRefusal {
  readonly status: number;
  readonly headers: WireHeaders;
  readonly bytes: Buffer;
}

const mostRefusalBytes = 64 * 1024;
const noTokens: Usage = Object.freeze({ input: 0, output: 0, total: 0 });

/** What is said in a session counts by itself. */
export function sessionUsage(): Usage {
  return noTokens;
}

/** The shorter of two limits in milliseconds, of which 0 is none. */
export function least(one: number, other: number): number {
  return one === 0 || other === 0 ? one + other : Math.min(one, other);
}

/** Opens a WebSocket through the guard's connector; it is paused. Rejects with a GatewayError when nothing answers. */
export function openSocket(
  connect: buildConnector.connector,
  request: SocketRequest,
): Promise<WebSocket | SocketRefusal> {
  return new Promise((resolve, reject) => {
    const { upstream, timeoutMs, cancellation } = request;
    const socket = started(connect, request);
    let refused: IncomingMessage | undefined;
    let forget = () => {};
    const settle = () => {
      clearTimeout(timer);
      forget();
    };
    const fail = (error: GatewayError) => {
      settle();
      reject(error);
      refused?.destroy();
      socket.terminate();
    };
    const timer =
      timeoutMs === 0
        ? undefined
        : setTimeout(() => {
            const text = `Request exceeded the timeout sent in the request: ${timeoutMs}ms`;
            // A refusal that does not end says enough by its status.
            if (refused === undefined) fail(new GatewayError('request_timeout', text));
            else refused.destroy();
          }, timeoutMs);
    socket.on('error', (error) => fail(faultOf(error, upstream)));
    socket.once('unexpected-response', (_, response) => {
      refused = response;
      void refusalOf(response).then((refusal) => {
        settle();
        socket.terminate();
        resolve(refusal);
      });
    });
    socket.once('open', () => {
      settle();
      // What happens from here on is the session's; until there is one, nobody else listens.
      socket.removeAllListeners('error');
      socket.on('error', () => {});
      socket.pause();
      resolve(socket);
    });
    forget = cancellation.onCancel(() =>
      fail(new GatewayError('client_closed', 'The client left before the session had begun.')),
    );
  });
}

function started(
  connect: buildConnector.connector,
  { url, upstream, headers, protocols, maxPayload }: SocketRequest,
): WebSocket {
  try {
    return new WebSocket(url.replace(/^http/, 'ws'), [...protocols], {
      headers: { ...headers },
      followRedirects: false,
      perMessageDeflate: false,
      maxPayload,
      createConnection: (options: ConnectionOptions, done: Connected) => {
        connect(placeOf(url, options), (error, connected) => done(error ?? null, connected ?? undefined));
      },
    } as ConstructorParameters<typeof WebSocket>[2]);
  } catch (error) {
    const text = `The request to ${upstream} cannot be sent: a header, a setting or the path holds characters that HTTP does not allow.`;
    throw new GatewayError('bad_request', text, { cause: error });
  }
}

/** It has answered as a server of pages would. */
export function noSession(upstream: string, status: number): GatewayError {
  return new GatewayError(
    'upstream_invalid',
    `${upstream} answered the handshake with the status ${status}, and no WebSocket.`,
  );
}

type ConnectionOptions = { readonly servername?: string };
type Connected = (error: Error | null, socket?: Duplex) => void;

function placeOf(url: string, { servername }: ConnectionOptions): buildConnector.Options {
  const { hostname, host, protocol, port } = new URL(url);
  return { hostname, host, protocol, port, ...(servername ? { servername } : {}) };
}

/** What is no fault of the connection is one of the handshake: another digest, no sub-protocol of those offered. */
function faultOf(error: Error, upstream: string): GatewayError {
  const isOfConnection = GatewayError.is(error) || 'code' in error || error.cause !== undefined;
  if (isOfConnection) return transportError(error, upstream);
  const text = `${upstream} answered the handshake with something that is no WebSocket: ${error.message}.`;
  return new GatewayError('upstream_invalid', text, { cause: error });
}

async function refusalOf(response: IncomingMessage): Promise<SocketRefusal> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of response) {
      size += (chunk as Buffer).length;
      if (size > mostRefusalBytes) break;
      chunks.push(chunk as Buffer);
    }
  } catch {
    // The status says enough.
  }
  return { status: response.statusCode ?? 502, headers: response.headers, bytes: Buffer.concat(chunks) };
}
