import { readFileSync } from 'node:fs';
import type { ReplyContext } from '../../../../sdk/dialects/dialect.ts';
import { gemini } from '../../../../sdk/dialects/gemini/index.ts';
import type { Delta } from '../../../../sdk/dialects/neutral.ts';
import { createFramer, type Frame } from '../../../../sdk/framing/framing.ts';
import type { JsonObject } from '../../../../sdk/json.ts';

export function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null) for (const key of Object.values(value)) frozen(key);
  return Object.freeze(value);
}

export function fixture(name: string): JsonObject {
  return frozen(JSON.parse(fixtureText(name)) as JsonObject);
}

export function fixtureText(name: string): string {
  return readFileSync(new URL(`fixtures/${name}`, import.meta.url), 'utf8');
}

export function context(fields: { strict?: boolean; request?: JsonObject } = {}): ReplyContext & { drops: string[] } {
  const drops: string[] = [];
  let ids = 0;
  return {
    strict: fields.strict ?? true,
    request: fields.request ?? {},
    drops,
    dropped: (field) => drops.push(field),
    newId: (prefix) => `${prefix}${++ids}`,
    nowSeconds: () => 1_700_000_000,
  };
}

export function framesOf(text: string): readonly Frame[] {
  const framer = createFramer('sse');
  return [...framer.push(Buffer.from(text)), ...framer.end()];
}

export function decodeFrames(frames: readonly Frame[]): readonly Delta[] {
  const decoder = gemini.decodeStream(context());
  return frozen([...frames.flatMap((frame) => decoder.push(frozen(frame))), ...decoder.end()]);
}

export function encodeDeltas(deltas: readonly Delta[]): string {
  const encoder = gemini.encodeStream(context());
  return deltas.map((delta) => encoder.push(frozen(delta))).join('');
}
