const lineBreak = 0x0a;

/** Bytes that are put one behind the other into memory that all threads see, and that grows as it must. */
export class ByteWriter {
  #bytes: Buffer<SharedArrayBuffer>;
  #length = 0;

  constructor(capacity: number) {
    this.#bytes = Buffer.from(new SharedArrayBuffer(capacity));
  }

  get length(): number {
    return this.#length;
  }

  get capacity(): number {
    return this.#bytes.length;
  }

  /** Puts a text in as UTF-8. Gives how many bytes it took. */
  text(text: string): number {
    // No code unit takes more than three bytes.
    if (this.#length + text.length * 3 > this.#bytes.length) this.#reserve(Buffer.byteLength(text));
    const written = this.#bytes.write(text, this.#length);
    this.#length += written;
    return written;
  }

  /** Puts a text in that has no line breaks, and ends its line. */
  line(text: string): void {
    this.text(text);
    this.#reserve(1);
    this.#bytes[this.#length++] = lineBreak;
  }

  /** Puts bytes in. Gives how many there were. */
  copy(bytes: Uint8Array): number {
    this.#reserve(bytes.byteLength);
    put(bytes, this.#bytes, this.#length);
    this.#length += bytes.byteLength;
    return bytes.byteLength;
  }

  /** What was put in; a thread that gets it reads the same memory. */
  written(): Uint8Array {
    return new Uint8Array(this.#bytes.buffer, 0, this.#length);
  }

  /** Begins again, in the same memory. */
  clear(): void {
    this.#length = 0;
  }

  #reserve(more: number): void {
    const needed = this.#length + more;
    if (needed <= this.#bytes.length) return;
    const larger = Buffer.from(new SharedArrayBuffer(Math.max(needed, 2 * this.#bytes.length)));
    put(this.#bytes.subarray(0, this.#length), larger, 0);
    this.#bytes = larger;
  }
}

/** `set` copies byte by byte into memory that threads share; `fill`, with as much as it is to fill, at an eighth of the cost. */
function put(bytes: Uint8Array, target: Buffer, at: number): void {
  if (bytes.byteLength > 0) target.fill(bytes, at, at + bytes.byteLength);
}
