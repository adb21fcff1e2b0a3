const SMALLEST = 1024;
const KEPT_CAPACITY = 64 * 1024;

/** The start of a frame whose end has not arrived: one growing buffer, so that tiny chunks cost their bytes only. */
export interface HeldBytes {
  readonly length: number;
  append(source: Buffer, start: number, end: number): void;
  /** Everything held so far, valid until the next `append`. */
  peek(): Buffer;
  /** Everything held, and holds nothing any more; valid until the next `append`. */
  take(): Buffer;
}

/** `maxBytes` bounds the spare room; refusing too many bytes is the caller's work, who knows the frame. */
export function createHeldBytes(maxBytes: number): HeldBytes {
  let buffer = Buffer.alloc(0);
  let length = 0;
  const peek = (): Buffer => buffer.subarray(0, length);
  return {
    get length() {
      return length;
    },
    append(source, start, end) {
      const needed = length + end - start;
      if (needed > buffer.length) {
        const larger = Buffer.allocUnsafe(Math.max(needed, Math.min(Math.max(buffer.length * 2, SMALLEST), maxBytes)));
        buffer.copy(larger, 0, 0, length);
        buffer = larger;
      }
      source.copy(buffer, length, start, end);
      length = needed;
    },
    peek,
    take() {
      const all = peek();
      length = 0;
      // One large frame must not pin its size for the rest of the stream.
      if (buffer.length > KEPT_CAPACITY) buffer = Buffer.alloc(0);
      return all;
    },
  };
}

/** The same bytes seen as a Buffer, without a copy. */
export function asBuffer(chunk: Uint8Array): Buffer {
  return Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
}
