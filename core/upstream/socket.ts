import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { GatewayError } from 'portcullis/sdk';
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
  /** To the end of the handshake, in milliseconds. */
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

/** Opens a WebSocket through the guard's connector. Rejects with a GatewayError when nothing answers. */
export function openSocket(
  connect: buildConnector.connector,
  { upstream, url, headers, protocols, timeoutMs, maxPayload, cancellation }: SocketRequest,
): Promise<WebSocket | SocketRefusal> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(url.replace(/^http/, 'ws'), [...protocols], {
      headers: { ...headers },
      handshakeTimeout: timeoutMs,
      followRedirects: false,
      perMessageDeflate: false,
      maxPayload,
      createConnection: (options: ConnectionOptions, done: Connected) => {
        connect(placeOf(url, options), (error, connected) => done(error ?? null, connected ?? undefined));
      },
    } as ConstructorParameters<typeof WebSocket>[2]);
    const forget = cancellation.onCancel(() => {
      reject(new GatewayError('client_closed', 'The client left before the session had begun.'));
      socket.terminate();
    });
    socket.once('open', () => {
      forget();
      // What happens from here on is the session's.
      socket.removeAllListeners('error');
      socket.pause();
      resolve(socket);
    });
    socket.once('unexpected-response', (request, response) => {
      forget();
      void refusalOf(response).then((refusal) => {
        request.destroy();
        resolve(refusal);
      });
    });
    socket.on('error', (error) => {
      forget();
      reject(transportError(error, upstream));
    });
  });
}

type ConnectionOptions = { readonly servername?: string };
type Connected = (error: Error | null, socket?: Duplex) => void;

function placeOf(url: string, { servername }: ConnectionOptions): buildConnector.Options {
  const { hostname, host, protocol, port } = new URL(url);
  return { hostname, host, protocol, port, ...(servername === undefined ? {} : { servername }) };
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
