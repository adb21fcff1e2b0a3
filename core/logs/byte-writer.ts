/** Bytes that are put one behind the other into a buffer of their own, which grows as it must. */
export class ByteWriter {
  #bytes: Buffer;
  #length = 0;

  constructor(capacity: number) {
    this.#bytes = Buffer.allocUnsafeSlow(capacity);
  }

  get length(): number {
    return this.#length;
  }

  /** The buffer that `part` shows, to be handed over once nothing more is put in. */
  get buffer(): ArrayBuffer {
    return this.#bytes.buffer as ArrayBuffer;
  }

  /** Puts a text in as UTF-8. Gives how many bytes it took. */
  text(text: string): number {
    // No code unit takes more than three bytes.
    this.#reserve(text.length * 3);
    const written = this.#bytes.write(text, this.#length);
    this.#length += written;
    return written;
  }

  /** Puts bytes in. Gives how many there were. */
  copy(bytes: Uint8Array): number {
    this.#reserve(bytes.byteLength);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.byteLength;
    return bytes.byteLength;
  }

  /** What was put in between two lengths. */
  part(from: number, to: number): Uint8Array {
    return new Uint8Array(this.buffer, from, to - from);
  }

  #reserve(more: number): void {
    const needed = this.#length + more;
    if (needed <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, 2 * this.#bytes.length));
    larger.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = larger;
  }
}
