import { GatewayError, type LocalRequest, type Provider, type ReplySink } from 'portcullis/sdk';
import { isStreamed, type WireReply, type WireRequest, type WireStream } from './transport.ts';
import { transportError } from './transport-errors.ts';

type Serve = NonNullable<Provider['serve']>;

/** Asks a provider that answers inside the gateway; keeps the same deadlines as a call over the network. */
export async function transmitLocally(serve: Serve, wire: WireRequest): Promise<WireReply> {
  const abort = new AbortController();
  const forget = wire.cancellation.onCancel(() => abort.abort());
  const deadline = deadlineOf(wire, abort);
  try {
    abort.signal.throwIfAborted();
    const request: LocalRequest = {
      method: wire.method,
      path: wire.path,
      headers: wire.headers,
      body: await bytesOf(wire.body),
      signal: abort.signal,
    };
    const reply = await deadline.race(Promise.resolve(serve(request)));
    const chunks = reply.body[Symbol.asyncIterator]();
    if (!wire.collects(reply.status, reply.headers['content-type'] ?? '')) {
      return { status: reply.status, headers: reply.headers, stream: new LocalStream(chunks, abort, wire, forget) };
    }
    const collected: Uint8Array[] = [];
    for (;;) {
      const next = await deadline.race(chunks.next());
      if (next.done === true) break;
      collected.push(next.value);
    }
    forget();
    return { status: reply.status, headers: reply.headers, bytes: Buffer.concat(collected) };
  } catch (error) {
    forget();
    abort.abort();
    if (wire.cancellation.cancelled)
      throw new GatewayError('client_closed', 'The client left before the reply was complete.', { cause: error });
    throw transportError(error, wire.upstream);
  } finally {
    deadline.clear();
  }
}

async function bytesOf(body: WireRequest['body']): Promise<Uint8Array> {
  if (!isStreamed(body)) return typeof body === 'string' ? Buffer.from(body) : (body ?? new Uint8Array());
  const chunks: Uint8Array[] = [];
  for await (const chunk of body.open()) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function deadlineOf(wire: WireRequest, abort: AbortController) {
  const limits = [wire.timeouts.firstByteMs, wire.timeouts.totalMs, wire.timeouts.requestMs].filter(
    (limit) => limit > 0,
  );
  const limit = Math.min(...limits);
  const spentMs = wire.startedAt === undefined ? 0 : performance.now() - wire.startedAt;
  let timer: NodeJS.Timeout | undefined;
  const expired = new Promise<never>((_, reject) => {
    const text = `Request exceeded the timeout sent in the request: ${limit}ms`;
    if (limits.length > 0)
      timer = setTimeout(() => reject(new GatewayError('request_timeout', text)), Math.max(1, limit - spentMs));
    abort.signal.addEventListener('abort', () =>
      reject(new GatewayError('client_closed', 'The client left before the reply was complete.')),
    );
  });
  expired.catch(() => {});
  return {
    race: <T>(work: Promise<T>): Promise<T> => Promise.race([work, expired]),
    clear: () => clearTimeout(timer),
  };
}

class LocalStream implements WireStream {
  readonly #chunks: AsyncIterator<Uint8Array>;
  readonly #abort: AbortController;
  readonly #wire: WireRequest;
  readonly #forget: () => void;
  readonly #held: Uint8Array[] = [];
  #wake: (() => void) | undefined;

  constructor(chunks: AsyncIterator<Uint8Array>, abort: AbortController, wire: WireRequest, forget: () => void) {
    this.#chunks = chunks;
    this.#abort = abort;
    this.#wire = wire;
    this.#forget = forget;
  }

  async until(seen: (chunk: Uint8Array) => boolean): Promise<void> {
    for (;;) {
      const next = await this.#next();
      if (next === undefined) return;
      this.#held.push(next);
      if (seen(next)) return;
    }
  }

  pipe(sink: ReplySink): void {
    void this.#flow(sink);
  }

  resume(): void {
    this.#wake?.();
  }

  abort(): void {
    this.#forget();
    this.#abort.abort();
    this.#wake?.();
    // What a provider throws while it is given up concerns nobody any more.
    this.#chunks.return?.().catch(() => {});
  }

  async #flow(sink: ReplySink): Promise<void> {
    try {
      for (const chunk of this.#held.splice(0)) if (!sink.data(chunk)) await this.#resumed();
      for (;;) {
        const next = await this.#next();
        if (next === undefined || this.#abort.signal.aborted) break;
        if (!sink.data(next)) await this.#resumed();
      }
      this.#forget();
      sink.end();
    } catch (error) {
      this.abort();
      sink.error(error as Error);
    }
  }

  async #next(): Promise<Uint8Array | undefined> {
    const { gapMs } = this.#wire.timeouts;
    let timer: NodeJS.Timeout | undefined;
    const stalled = new Promise<never>((_, reject) => {
      const fail = () =>
        reject(new GatewayError('upstream_stalled', `${this.#wire.upstream} sent nothing for ${gapMs} ms.`));
      if (gapMs > 0) timer = setTimeout(fail, gapMs);
    });
    try {
      const next = await Promise.race([this.#chunks.next(), stalled]);
      return next.done === true ? undefined : next.value;
    } catch (error) {
      throw transportError(error, this.#wire.upstream);
    } finally {
      clearTimeout(timer);
    }
  }

  #resumed(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = () => {
        this.#wake = undefined;
        resolve();
      };
      if (this.#abort.signal.aborted) this.#wake();
    });
  }
}
