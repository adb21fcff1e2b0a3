import { Readable } from 'node:stream';
import { GatewayError, type ReplySink, type ReplyStream, type StreamedBody } from 'portcullis/sdk';
import type { Dispatcher } from 'undici';
import type { Cancellation } from './cancellation.ts';
import { Deadlines, type Expiry } from './deadlines.ts';
import type { Pools } from './pools.ts';
import { transportError } from './transport-errors.ts';

/** Milliseconds; 0 switches a limit off. Connecting has its own limit, in the pool. */
export interface Timeouts {
  /** From the start of the attempt to the reply's head. */
  readonly firstByteMs: number;
  /** Between two chunks of a reply. */
  readonly gapMs: number;
  /** The whole attempt. */
  readonly totalMs: number;
  /** What the request or its config asks for: to the head of a stream, to the end of any other reply. */
  readonly requestMs: number;
}

export type WireBody = string | Uint8Array | StreamedBody;

export interface WireRequest {
  /** Whom we call, for messages. */
  readonly upstream: string;
  readonly origin: string;
  /** Path with query. */
  readonly path: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: WireBody | undefined;
  readonly timeouts: Timeouts;
  /** Since when the timeouts count, by `performance.now()`. Default: now. */
  readonly startedAt?: number | undefined;
  readonly maxReplyBytes: number;
  /** Whether the body is collected before the promise resolves; else it is handed over as a stream. */
  collects(status: number, contentType: string): boolean;
  readonly cancellation: Cancellation;
}

export type WireHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

export type WireReply =
  | { readonly status: number; readonly headers: WireHeaders; readonly bytes: Buffer; readonly stream?: undefined }
  | { readonly status: number; readonly headers: WireHeaders; readonly bytes?: undefined; readonly stream: WireStream };

/** A reply body that can be looked at before it is piped. */
export interface WireStream extends ReplyStream {
  /** Shows the chunks to `seen` as they come, and keeps them, until it returns true or the body ends. */
  until(seen: (chunk: Uint8Array) => boolean): Promise<void>;
}

/** Sends one request; never follows a redirect, never retries. Rejects with a GatewayError. */
export function transmit(pools: Pools, request: WireRequest): Promise<WireReply> {
  return new Promise((resolve, reject) => {
    const reception = new Reception(request, resolve, reject);
    if (reception.over) return;
    try {
      pools.get(request.origin).dispatch(
        {
          path: request.path,
          method: request.method as Dispatcher.HttpMethod,
          headers: headersOf(request),
          body: reception.body,
        },
        reception,
      );
    } catch (error) {
      reception.fail(transportError(error, request.upstream));
    }
  });
}

/** A body that flows has a length that its provider should know: stores of objects refuse chunks without one. */
function headersOf({ headers, body }: WireRequest): Record<string, string> {
  return isStreamed(body) ? { ...headers, 'content-length': String(body.size) } : (headers as Record<string, string>);
}

export function isStreamed(body: WireBody | undefined): body is StreamedBody {
  return typeof body === 'object' && 'open' in body;
}

const pauseAboveBytes = 256 * 1024;

class Reception implements Dispatcher.DispatchHandler, WireStream {
  over = false;
  readonly #request: WireRequest;
  readonly #resolve: (reply: WireReply) => void;
  readonly #reject: (error: GatewayError) => void;
  #forgetCancel = () => {};
  #controller: Dispatcher.DispatchController | undefined;
  readonly #deadlines: Deadlines;
  #status = 0;
  #headers: WireHeaders = {};
  #collecting = false;
  #chunks: Uint8Array[] = [];
  #queued = 0;
  #received = 0;
  #ended = false;
  #error: GatewayError | undefined;
  #sink: ReplySink | undefined;
  #seen: { look: (chunk: Uint8Array) => boolean; done: () => void; failed: (error: GatewayError) => void } | undefined;

  constructor(request: WireRequest, resolve: (reply: WireReply) => void, reject: (error: GatewayError) => void) {
    this.#request = request;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#deadlines = new Deadlines(
      request.timeouts,
      (expiry) => this.fail(expiryError(expiry, request.upstream)),
      request.startedAt,
    );
    this.#forgetCancel = request.cancellation.onCancel(() => {
      this.fail(new GatewayError('client_closed', 'The client left before the reply was complete.'));
    });
  }

  get body(): string | Uint8Array | Readable | null {
    const { body } = this.#request;
    return isStreamed(body) ? Readable.from(this.#uploaded(body), { objectMode: false }) : (body ?? null);
  }

  /** The provider's time to answer begins when it has got all of it. */
  async *#uploaded(body: StreamedBody): AsyncGenerator<Uint8Array> {
    this.#deadlines.uploading();
    yield* body.open();
    this.#deadlines.uploaded();
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.over) controller.abort(new Error('given up'));
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: WireHeaders): void {
    if (status < 200 || this.over) return;
    this.#status = status;
    this.#headers = headers;
    const type = headers['content-type'];
    this.#collecting = this.#request.collects(status, typeof type === 'string' ? type : '');
    this.#deadlines.head(!this.#collecting);
    if (this.#collecting) return;
    this.#resolve({ status, headers, stream: this });
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.over) return;
    this.#received += chunk.length;
    if (this.#received > this.#request.maxReplyBytes) {
      const text = `${this.#request.upstream} sent more than the ${this.#request.maxReplyBytes} bytes that are accepted.`;
      this.fail(new GatewayError('upstream_invalid', text));
      return;
    }
    this.#deadlines.chunk();
    if (this.#collecting) {
      this.#chunks.push(chunk);
      return;
    }
    if (this.#sink !== undefined) {
      if (!this.#sink.data(chunk)) this.#pause();
      return;
    }
    this.#chunks.push(chunk);
    this.#queued += chunk.length;
    const seen = this.#seen;
    if (seen?.look(chunk)) {
      this.#seen = undefined;
      seen.done();
    } else if (seen === undefined && this.#queued > pauseAboveBytes) {
      this.#pause();
    }
  }

  onResponseEnd(): void {
    if (this.over) return;
    this.#ended = true;
    this.#finish();
    if (this.#collecting) {
      const bytes = this.#chunks.length === 1 ? (this.#chunks[0] as Buffer) : Buffer.concat(this.#chunks);
      this.#resolve({ status: this.#status, headers: this.#headers, bytes });
    } else if (this.#sink !== undefined) {
      this.#sink.end();
    } else {
      this.#seen?.done();
    }
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.fail(transportError(error, this.#request.upstream, this.#status !== 0));
  }

  /** Ends the exchange with an error, wherever it stands. */
  fail(error: GatewayError): void {
    if (this.over) return;
    this.#error = error;
    this.#finish();
    this.#controller?.abort(error);
    this.#reject(error);
    this.#seen?.failed(error);
    this.#sink?.error(error);
  }

  until(look: (chunk: Uint8Array) => boolean): Promise<void> {
    if (this.#error !== undefined) return Promise.reject(this.#error);
    if (this.#chunks.some(look) || this.#ended) return Promise.resolve();
    return new Promise((done, failed) => {
      this.#seen = { look, done, failed };
    });
  }

  pipe(sink: ReplySink): void {
    this.#sink = sink;
    const queued = this.#chunks;
    this.#chunks = [];
    let flowing = true;
    for (const chunk of queued) flowing = sink.data(chunk) && flowing;
    if (this.#error !== undefined) sink.error(this.#error);
    else if (this.#ended) sink.end();
    else if (flowing) this.resume();
    else this.#pause();
  }

  resume(): void {
    if (this.over) return;
    this.#controller?.resume();
    this.#deadlines.resume();
  }

  abort(): void {
    this.fail(new GatewayError('client_closed', 'The reply was given up.'));
  }

  #pause(): void {
    this.#deadlines.pause();
    this.#controller?.pause();
  }

  #finish(): void {
    this.over = true;
    this.#deadlines.clear();
    this.#forgetCancel();
  }
}

function expiryError({ kind, limitMs }: Expiry, upstream: string): GatewayError {
  return kind === 'gap'
    ? new GatewayError('upstream_stalled', `${upstream} sent nothing for ${limitMs} ms.`)
    : new GatewayError('request_timeout', `Request exceeded the timeout sent in the request: ${limitMs}ms`);
}
