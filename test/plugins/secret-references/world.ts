import { createServer, type IncomingMessage, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type FetchReply, GatewayError, type Json, type JsonObject } from 'portcullis/sdk';
import type { Reach } from '../../../plugins/secret-references/backends/reach.ts';

/** A call as a fake server got it. */
export interface Seen {
  readonly method: string;
  readonly host: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface Answer {
  readonly status?: number;
  readonly body: Json | string;
}

/** What is outside of the gateway: servers by the names that they are called by, a clock and the operator's variables. */
export class World {
  now = Date.UTC(2026, 10, 21, 12);
  readonly env: Record<string, string> = {};
  readonly calls: Seen[] = [];
  readonly blocked = new Set<string>();
  readonly #ports = new Map<string, number>();
  readonly #servers: Server[] = [];

  readonly reach: Reach = {
    now: () => this.now,
    env: (name) => this.env[name],
    fetch: (url, { method = 'GET', headers = {}, body }) => this.#fetch(new URL(url), method, headers, body),
  };

  /** A server that answers for a host. */
  async serve(host: string, answer: (seen: Seen) => Answer | Promise<Answer>): Promise<void> {
    const server = createServer(async (incoming, reply) => {
      const seen = await seenOf(incoming);
      this.calls.push(seen);
      const { status = 200, body } = await answer(seen);
      reply.writeHead(status).end(typeof body === 'string' ? body : JSON.stringify(body));
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    this.#servers.push(server);
    this.#ports.set(host, (server.address() as AddressInfo).port);
  }

  /** How often a path was called. */
  count(path: string): number {
    return this.calls.filter((seen) => seen.path === path).length;
  }

  close(): void {
    for (const server of this.#servers) {
      server.close();
      server.closeAllConnections();
    }
  }

  #fetch(
    url: URL,
    method: string,
    headers: Readonly<Record<string, string>>,
    body: string | Uint8Array | undefined,
  ): Promise<FetchReply> {
    if (this.blocked.has(url.host)) return Promise.reject(new GatewayError('url_blocked', 'The URL is blocked.'));
    const port = this.#ports.get(url.host);
    if (port === undefined) return Promise.reject(new GatewayError('upstream_unreachable', 'Nobody is there.'));
    return new Promise((done, failed) => {
      const outgoing = request(
        { host: '127.0.0.1', port, method, path: url.pathname + url.search, headers: { ...headers, host: url.host } },
        async (reply) => {
          const chunks: Buffer[] = [];
          for await (const chunk of reply) chunks.push(chunk as Buffer);
          done({ status: reply.statusCode ?? 0, headers: {}, body: Buffer.concat(chunks) });
        },
      );
      outgoing.on('error', failed);
      outgoing.end(body);
    });
  }
}

async function seenOf(incoming: IncomingMessage): Promise<Seen> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const url = new URL(incoming.url ?? '/', `http://${incoming.headers.host}`);
  return {
    method: incoming.method ?? '',
    host: incoming.headers.host ?? '',
    path: url.pathname,
    query: url.searchParams,
    headers: incoming.headers as Readonly<Record<string, string>>,
    body: Buffer.concat(chunks).toString('utf8'),
  };
}

/** A place in a manager. */
export function place(auth: JsonObject, path: string) {
  return { auth, path };
}
