import assert from 'node:assert/strict';
import fc from 'fast-check';
import { createFramer, type Frame, type FramerLimits, type Framing } from '../../../sdk/framing/framing.ts';

export function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/** Everything one framer returns for the chunks, `end` included. */
export function framesOf(framing: Framing, chunks: readonly Uint8Array[], limits?: FramerLimits): Frame[] {
  const framer = createFramer(framing, limits);
  return [...chunks.flatMap((chunk) => framer.push(chunk)), ...framer.end()];
}

export function framesOfText(framing: Framing, text: string, limits?: FramerLimits): Frame[] {
  return framesOf(framing, [bytesOf(text)], limits);
}

/** Copies of the parts, so that a test may overwrite them. */
export function cut(bytes: Uint8Array, sizes: readonly number[]): Uint8Array[] {
  const chunks: Uint8Array[] = [];
  let at = 0;
  for (let turn = 0; at < bytes.length; turn += 1) {
    const size = sizes.length === 0 ? bytes.length : (sizes[turn % sizes.length] ?? 1);
    chunks.push(bytes.slice(at, at + size));
    at += size;
  }
  return chunks;
}

/** Like `framesOf`, but overwrites each chunk once it is pushed, as a reused receive buffer would be. */
export function framesOfReusedBuffers(framing: Framing, chunks: readonly Uint8Array[]): Frame[] {
  const framer = createFramer(framing);
  const frames = chunks.flatMap((chunk) => {
    const complete = framer.push(chunk);
    chunk.fill(0x7b);
    return complete;
  });
  return [...frames, ...framer.end()];
}

/** Sizes of the chunks, repeated over the stream; `[1]` is one byte at a time, 0 an empty chunk between others. */
export const chunkSizes: fc.Arbitrary<number[]> = fc.oneof(
  fc.constant<number[]>([1]),
  fc.constant<number[]>([0, 1]),
  fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 12 }),
);

/** Any text UTF-8 can carry: ASCII, control characters, byte order marks and astral characters, no lone surrogates. */
export const text: fc.Arbitrary<string> = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.string({
    unit: fc.constantFrom('a', ' ', ':', '\0', '\uFEFF', 'é', '漢', '😀', '"', '\\', '[', '}'),
    maxLength: 30,
  }),
);

export function assertSameForAnyChunks(framing: Framing, bytes: Uint8Array, sizes: number[], expected: Frame[]): void {
  assert.deepEqual(framesOf(framing, [bytes]), expected);
  assert.deepEqual(framesOf(framing, cut(bytes, sizes)), expected);
  assert.deepEqual(framesOfReusedBuffers(framing, cut(bytes, sizes)), expected);
}
