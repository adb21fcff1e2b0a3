/** How much of a stream is kept unless somebody says otherwise. */
export const captureBytes = 1024 * 1024;

export interface Captured {
  readonly bytes: Uint8Array;
  /** More has passed than was kept. */
  readonly truncated: boolean;
}

/** Keeps the beginning of a stream: the chunks themselves, which are put together only when somebody asks. */
export class Capture {
  readonly #limit: number;
  #chunks: (Uint8Array | string)[] = [];
  #kept = 0;
  #passed = 0;

  /** `limit`: most bytes that are kept. */
  constructor(limit = captureBytes) {
    this.#limit = limit;
  }

  /** Bytes that have passed, kept or not. */
  get passed(): number {
    return this.#passed;
  }

  /** Whether it still takes something in: whoever has to put a chunk together first may spare the work. */
  get takesMore(): boolean {
    return this.#kept < this.#limit;
  }

  /** The chunk is kept as it is, so nobody may write into it afterwards. */
  add(chunk: Uint8Array | string): void {
    const length = typeof chunk === 'string' ? Buffer.byteLength(chunk) : chunk.byteLength;
    this.#passed += length;
    if (this.#kept >= this.#limit) return;
    this.#chunks.push(chunk);
    this.#kept += length;
  }

  bytes(): Captured {
    const parts = this.#chunks.map((chunk) => (typeof chunk === 'string' ? Buffer.from(chunk) : chunk));
    const [only] = parts;
    const all = parts.length === 1 && only !== undefined ? only : Buffer.concat(parts);
    const bytes = all.byteLength > this.#limit ? all.subarray(0, this.#limit) : all;
    return { bytes, truncated: this.#passed > bytes.byteLength };
  }

  /** Forgets what it has kept, and keeps nothing more. */
  drop(): void {
    this.#chunks = [];
    this.#kept = this.#limit;
  }
}
