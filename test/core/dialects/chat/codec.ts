import type { ReplyContext, StreamDecoder, StreamEncoder } from '../../../../sdk/dialects/dialect.ts';
import type { Delta } from '../../../../sdk/dialects/neutral.ts';
import { createFramer, type Frame } from '../../../../sdk/framing/framing.ts';
import type { JsonObject } from '../../../../sdk/json.ts';

export interface Watched extends ReplyContext {
  readonly lost: string[];
}

/** A context with counted ids, a still clock, and a record of what was dropped. */
export function context(strict = false, request: JsonObject = { model: 'asked' }): Watched {
  const lost: string[] = [];
  const ids = new Map<string, number>();
  return {
    strict,
    request,
    lost,
    dropped: (field) => void lost.push(field),
    newId(prefix) {
      ids.set(prefix, (ids.get(prefix) ?? 0) + 1);
      return `${prefix}${ids.get(prefix)}`;
    },
    nowSeconds: () => 1700000000,
  };
}

/** Freezes a value through and through. */
export function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const member of Object.values(value)) frozen(member);
  }
  return value;
}

export function decodeFrames(decoder: StreamDecoder, frames: readonly Frame[]): readonly Delta[] {
  return [...frames.flatMap((frame) => decoder.push(frozen(frame))), ...decoder.end()];
}

/** Deltas of a stream whose bytes arrive in chunks of the given sizes, by turns. */
export function decodeBytes(
  decoder: StreamDecoder,
  bytes: Buffer,
  sizes: readonly number[] = [bytes.length],
): readonly Delta[] {
  const framer = createFramer('sse');
  const frames: Frame[] = [];
  for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
    const size = sizes[turn % sizes.length] ?? 1;
    frames.push(...framer.push(bytes.subarray(at, at + size)));
    at += size;
  }
  frames.push(...framer.end());
  return decodeFrames(decoder, frames);
}

export function chunkFrame(chunk: JsonObject): Frame {
  return { data: JSON.stringify(chunk) };
}

/** A frame of a chunk with one choice. */
export function choiceFrame(delta: JsonObject, more: JsonObject = {}): Frame {
  return chunkFrame({ id: 'c1', model: 'm', created: 1, choices: [{ index: 0, delta, ...more }] });
}

export const done: Frame = { data: '[DONE]' };

export function encodeAll(encoder: StreamEncoder, deltas: readonly Delta[]): string {
  return deltas.map((delta) => encoder.push(frozen(delta))).join('');
}

/** The JSON of the events of a stream; `[DONE]` as that string. */
export function events(text: string): readonly (JsonObject | string)[] {
  return text
    .split('\n\n')
    .filter(Boolean)
    .map((block) => block.replace(/^data: /, ''))
    .map((data) => (data === '[DONE]' ? data : (JSON.parse(data) as JsonObject)));
}
