import assert from 'node:assert/strict';
import { readdir, readlink } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import { GatewayError, type StreamedBody } from 'portcullis/sdk';
import { type Spooled, type SpoolLimits, spool } from '../../../core/uploads/index.ts';

/** A server that spools whatever it gets. */
export interface SpoolServer {
  readonly port: number;
  /** Settles with the next request, which these limits hold for. */
  next(limits?: Partial<SpoolLimits>): Promise<Spooled>;
  /** Sends bytes and gives what the server made of them. */
  spooled(bytes: Uint8Array | ReadableStream<Uint8Array>, limits?: Partial<SpoolLimits>): Promise<Spooled>;
}

export async function startSpoolServer(t: Pick<TestContext, 'after'>): Promise<SpoolServer> {
  let limits: SpoolLimits = { maxBytes: Number.MAX_SAFE_INTEGER };
  let waiting: PromiseWithResolvers<Spooled> = Promise.withResolvers();
  const server = createServer((request, reply) => {
    const { resolve, reject } = waiting;
    spool(request, limits).then(
      (spooled) => {
        reply.end(String(spooled.size));
        resolve(spooled);
      },
      (error: unknown) => {
        const { status, headers, code } = GatewayError.is(error) ? error : new GatewayError('internal', String(error));
        if (!reply.destroyed) reply.writeHead(status, headers).end(code);
        reject(error);
      },
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const next = (given: Partial<SpoolLimits> = {}) => {
    limits = { maxBytes: Number.MAX_SAFE_INTEGER, ...given };
    waiting = Promise.withResolvers();
    return waiting.promise;
  };
  return {
    port,
    next,
    spooled: async (bytes, given) => {
      const result = next(given);
      const stream = bytes instanceof Uint8Array ? { body: Buffer.from(bytes) } : { body: bytes, duplex: 'half' };
      const reply = fetch(`http://127.0.0.1:${port}`, { method: 'POST', ...stream } as RequestInit);
      // Of a refusal the client may see the end of the connection alone.
      await Promise.allSettled([result, reply.then((answer) => answer.text())]);
      return result;
    },
  };
}

export function contentOf(body: StreamedBody): Promise<Buffer> {
  return gathered(body.open());
}

export async function gathered(pieces: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const all: Uint8Array[] = [];
  for await (const piece of pieces) all.push(piece);
  return Buffer.concat(all);
}

/** A body in memory that comes in pieces of a size. */
export function spooledOf(bytes: Uint8Array, pieceBytes = bytes.length): Spooled {
  return {
    size: bytes.length,
    bytes,
    async *open() {
      for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes);
    },
    release: async () => {},
  };
}

/** The files of spools that this process has open; they have no names any more. */
export async function openSpools(): Promise<number> {
  assert.equal(process.platform, 'linux');
  const links = (await readdir('/proc/self/fd')).map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => ''));
  return (await Promise.all(links)).filter((path) => /portcullis-[\w-]+ \(deleted\)$/.test(path)).length;
}
