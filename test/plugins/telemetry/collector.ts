import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { type SeenSpan, spansOfJson, spansOfProtobuf } from './otlp.ts';

type Ending = number | 'frozen' | 'reset' | { readonly status: number; readonly retryAfter: string };

export interface Collector {
  readonly origin: string;
  readonly posts: readonly { readonly path: string; readonly headers: IncomingHttpHeaders }[];
  readonly spans: readonly SeenSpan[];
  /** Statuses of the coming posts, one each; then 200 again. `frozen`: no answer, ever; `reset`: the connection ends instead. */
  next(...statuses: readonly Ending[]): void;
  /** Resolves once so many spans are here. */
  seen(count: number): Promise<readonly SeenSpan[]>;
}

/** A collector of OTLP over HTTP on a port of its own. */
export async function startCollector(t: Pick<TestContext, 'after'>): Promise<Collector> {
  const posts: { path: string; headers: IncomingHttpHeaders }[] = [];
  const spans: SeenSpan[] = [];
  const queue: Ending[] = [];
  let changed = () => {};
  const server = createServer(async (request, reply) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const sent = Buffer.concat(chunks);
    const body = request.headers['content-encoding'] === 'gzip' ? gunzipSync(sent) : sent;
    posts.push({ path: request.url ?? '', headers: request.headers });
    const ending = queue.shift() ?? 200;
    if (ending === 'frozen') return;
    if (ending === 'reset') {
      request.socket.destroy();
      return;
    }
    const { status, retryAfter } = typeof ending === 'number' ? { status: ending, retryAfter: undefined } : ending;
    const isJson = request.headers['content-type'] === 'application/json';
    if (status === 200) spans.push(...(isJson ? spansOfJson(body.toString()) : spansOfProtobuf(body)));
    if (retryAfter !== undefined) reply.setHeader('retry-after', retryAfter);
    reply.writeHead(status, { 'content-type': request.headers['content-type'] ?? '' }).end(isJson ? '{}' : '');
    changed();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    posts,
    spans,
    next: (...statuses) => void queue.push(...statuses),
    seen: async (count) => {
      while (spans.length < count) {
        await new Promise<void>((resolve) => {
          changed = resolve;
        });
      }
      return spans;
    },
  };
}
