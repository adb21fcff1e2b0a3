import type { GenerationDialect, ReplyContext, StreamDecoder } from '../../../sdk/dialects/dialect.ts';
import { dialects } from '../../../sdk/dialects/index.ts';
import type { Delta } from '../../../sdk/dialects/neutral.ts';
import { createFramer, type Frame } from '../../../sdk/framing/framing.ts';
import type { JsonObject } from '../../../sdk/json.ts';

export const generation = [
  dialects.chat,
  dialects.completions,
  dialects.messages,
  dialects.responses,
  dialects.gemini,
  dialects.converse,
] as const satisfies readonly GenerationDialect[];

/** The formats that clients talk and that hold a conversation. */
export const conversational = generation.filter(
  (dialect) => dialect.name !== 'completions' && dialect.name !== 'converse',
);

export interface Watched extends ReplyContext {
  readonly lost: string[];
}

/** A context with counted ids, a still clock, and a record of what was dropped. */
export function contextOf(strict: boolean, request: JsonObject = { model: 'asked' }): Watched {
  const lost: string[] = [];
  let ids = 0;
  return {
    strict,
    request: frozen(request),
    lost,
    dropped: (field) => void lost.push(field),
    newId: (prefix) => `${prefix}${++ids}`,
    nowSeconds: () => 1_700_000_000,
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

/** Frames of bytes that arrive in chunks of the given sizes, by turns. */
export function framesOf(bytes: Uint8Array, sizes: readonly number[] = []): readonly Frame[] {
  const framer = createFramer('sse');
  const frames: Frame[] = [];
  for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
    const size = sizes[turn % sizes.length] ?? bytes.length;
    frames.push(...framer.push(bytes.subarray(at, at + size)));
    at += size;
  }
  return [...frames, ...framer.end()];
}

export function framesOfText(text: string): readonly Frame[] {
  return framesOf(new TextEncoder().encode(text));
}

export function decodeFrames(decoder: StreamDecoder, frames: readonly Frame[]): readonly Delta[] {
  return [...frames.flatMap((frame) => decoder.push(frozen(frame))), ...decoder.end()];
}

/** The wire text of a stream of steps. */
export function encodeDeltas(dialect: GenerationDialect, deltas: readonly Delta[], context: ReplyContext): string {
  const encoder = dialect.encodeStream(context);
  return deltas.map((delta) => encoder.push(frozen(delta))).join('');
}
