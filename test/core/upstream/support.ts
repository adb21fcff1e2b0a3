import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createSocketServer, type Socket } from 'node:net';
import type { ReplySink } from 'portcullis/sdk';
import { Cancellation } from '../../../core/upstream/cancellation.ts';
import { Pools } from '../../../core/upstream/pools.ts';
import type { WireReply, WireRequest } from '../../../core/upstream/transport.ts';
import { createUrlGuard } from '../../../core/upstream/url-guard/guard.ts';

const closers: (() => unknown)[] = [];

/** For `after`: closes every server and pool of the file. */
export async function closeAll(): Promise<void> {
  await Promise.all(closers.splice(0).map((close) => close()));
}

export function testPools(connectMs = 5000): Pools {
  const pools = new Pools(createUrlGuard({ trustedHosts: ['127.0.0.1'] }).connector({ timeout: connectMs }));
  closers.unshift(() => pools.close());
  return pools;
}

export async function upstreamServer(listener: RequestListener) {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, reply) => {
    requests.push(request);
    listener(request, reply);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closers.push(() => {
    server.closeAllConnections();
    return new Promise((done) => server.close(done));
  });
  return { server, requests, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

/** A server below HTTP, for replies that no HTTP server would send. */
export async function rawServer(onConnection: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createSocketServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    onConnection(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closers.push(() => {
    for (const socket of sockets) socket.destroy();
    return new Promise((done) => server.close(done));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

export function wireTo(origin: string, fields: Partial<WireRequest> = {}): WireRequest {
  return {
    upstream: 'some',
    origin,
    path: '/v1',
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}',
    timeouts: { firstByteMs: 0, gapMs: 0, totalMs: 0, requestMs: 0 },
    maxReplyBytes: 1024 * 1024 * 64,
    collects: () => true,
    cancellation: new Cancellation(),
    ...fields,
  };
}

/** Collects what a stream gives; `done` resolves with its end or its error. */
export class Collector implements ReplySink {
  readonly chunks: Buffer[] = [];
  error_: Error | undefined;
  ends = 0;
  accepts: (chunk: Buffer) => boolean = () => true;
  readonly #done = Promise.withResolvers<void>();
  readonly done = this.#done.promise;

  get text(): string {
    return Buffer.concat(this.chunks).toString('utf8');
  }

  data(chunk: Uint8Array | string): boolean {
    const bytes = Buffer.from(chunk as string);
    this.chunks.push(bytes);
    return this.accepts(bytes);
  }

  end(): void {
    this.ends += 1;
    this.#done.resolve();
  }

  error(error: Error): void {
    this.error_ = error;
    this.ends += 1;
    this.#done.resolve();
  }
}

export function streamOf(reply: WireReply) {
  if (reply.stream === undefined) throw new Error('The reply was collected.');
  return reply.stream;
}

/** Resolves when the other side closes the connection of a reply. */
export function closed(reply: ServerResponse): Promise<unknown> {
  return once(reply, 'close');
}
