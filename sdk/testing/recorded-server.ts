import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import type { FixtureAnswer } from './fixtures.ts';

/** A request as it came over the wire. */
export interface RecordedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

export interface RecordedServer {
  /** Without a slash at the end. */
  readonly url: string;
  readonly requests: readonly RecordedRequest[];
  /** Begins anew, with other answers. */
  replay(answers: readonly FixtureAnswer[], options?: RecordedServerOptions): void;
  close(): Promise<void>;
}

export interface RecordedServerOptions {
  /** Where to cut the answer: the sizes of its chunks, used in turn. Absent: in one piece. */
  readonly chunkSizes?: readonly number[];
  /** Called when a request has arrived whole. */
  readonly onRequest?: () => void;
}

/**
 * A provider on 127.0.0.1 that gives the n-th answer to the n-th request and keeps what it was asked. A request beyond the
 * last answer is kept too, and gets status 500.
 */
export async function startRecordedServer(
  answers: readonly FixtureAnswer[],
  options: RecordedServerOptions = {},
): Promise<RecordedServer> {
  let playing = { answers, options, requests: [] as RecordedRequest[] };
  const server = createServer(async (incoming, reply) => {
    const { requests, options, answers } = playing;
    const count = requests.push(await recorded(incoming));
    options.onRequest?.();
    const answer = answers[count - 1] ?? unexpected;
    reply.writeHead(answer.status, answer.headers);
    await send(reply, answer.bytes, options.chunkSizes ?? []);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    get requests() {
      return playing.requests;
    },
    replay: (answers, options = {}) => {
      playing = { answers, options, requests: [] };
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const unexpected: FixtureAnswer = {
  status: 500,
  headers: { 'content-type': 'application/json' },
  bytes: Buffer.from('{"error":{"message":"No answer is recorded for this request."}}'),
};

async function recorded(incoming: IncomingMessage): Promise<RecordedRequest> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of incoming) chunks.push(chunk);
  const headers = Object.entries(incoming.headers).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.join(', ') : (value ?? ''),
  ]);
  return {
    method: incoming.method ?? '',
    path: incoming.url ?? '',
    headers: Object.fromEntries(headers),
    body: Buffer.concat(chunks),
  };
}

async function send(reply: ServerResponse, bytes: Uint8Array, sizes: readonly number[]): Promise<void> {
  reply.socket?.setNoDelay(true);
  let at = 0;
  for (let index = 0; at < bytes.length; index += 1) {
    const size = sizes[index % sizes.length] ?? bytes.length;
    reply.write(bytes.subarray(at, at + size));
    at += size;
    await turn();
  }
  reply.end();
}
