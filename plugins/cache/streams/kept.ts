import type { ReplySink, ReplyStream } from 'portcullis/sdk';
import type { Room } from './room.ts';

export interface KeptOptions {
  readonly source: ReplyStream;
  readonly room: Room;
  /** A longer stream is not kept. */
  readonly maxBytes: number;
  /** Gets the whole stream once its source has ended; never for one that broke off, was given up or is too long. */
  readonly ended: (bytes: Buffer) => void;
}

/** A stream that is forwarded as it comes, and kept beside that. */
export class KeptStream implements ReplyStream {
  readonly #options: KeptOptions;
  /** Undefined: it is not kept any more. */
  #chunks: (Uint8Array | string)[] | undefined = [];
  #bytes = 0;

  constructor(options: KeptOptions) {
    this.#options = options;
  }

  pipe(sink: ReplySink): void {
    const { source, ended } = this.#options;
    source.pipe({
      data: (chunk) => {
        this.#keep(chunk);
        return sink.data(chunk);
      },
      end: () => {
        const chunks = this.#chunks;
        this.#drop();
        sink.end();
        if (chunks !== undefined) ended(Buffer.concat(chunks.map(bytesOf)));
      },
      error: (error) => {
        this.#drop();
        sink.error(error);
      },
    });
  }

  resume(): void {
    this.#options.source.resume();
  }

  abort(): void {
    this.#drop();
    this.#options.source.abort();
  }

  #keep(chunk: Uint8Array | string): void {
    if (this.#chunks === undefined) return;
    const bytes = typeof chunk === 'string' ? Buffer.byteLength(chunk) : chunk.byteLength;
    if (this.#bytes + bytes > this.#options.maxBytes || !this.#options.room.take(bytes)) {
      this.#drop();
      return;
    }
    this.#bytes += bytes;
    this.#chunks.push(chunk);
  }

  #drop(): void {
    this.#chunks = undefined;
    this.#options.room.give(this.#bytes);
    this.#bytes = 0;
  }
}

function bytesOf(chunk: Uint8Array | string): Uint8Array {
  return typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
}
