import {
  asObject,
  createFramer,
  type Dialect,
  type Framing,
  type GenerationDialect,
  type JsonObject,
  type MaybePromise,
  parseJson,
} from 'portcullis/sdk';
import type { Capture } from './capture.ts';
import { readingContext, type Said, saidInReply, saidInStep } from './said-texts.ts';

/** How the bytes of a stream are read. */
export interface StreamReading {
  readonly dialect: GenerationDialect;
  readonly framing: Framing;
  readonly repair: ((json: JsonObject) => JsonObject) | undefined;
}

/** So much is read at once: the event loop must not stall. */
const sliceBytes = 64 * 1024;

const silence: Said = { texts: [], tokens: 0 };

/** What a stream has said, as far as it was kept, and how many times as much has passed. */
export async function saidInStream(
  capture: Capture,
  reading: StreamReading,
): Promise<{ readonly said: Said; readonly times: number }> {
  const { bytes } = capture.bytes();
  const { dialect, framing, repair } = reading;
  const framer = createFramer(framing);
  const decoder = dialect.decodeStream(readingContext);
  const texts: string[] = [];
  try {
    for (let at = 0; at < bytes.byteLength; at += sliceBytes) {
      if (at > 0) await new Promise((resolve) => setImmediate(resolve));
      for (const frame of framer.push(bytes.subarray(at, at + sliceBytes))) {
        const json = repair === undefined ? undefined : asObject(parseJson(frame.data));
        const repaired = json === undefined ? frame : { ...frame, data: JSON.stringify(repair?.(json)) };
        for (const delta of decoder.push(repaired)) {
          const text = saidInStep(delta);
          if (text !== undefined) texts.push(text);
        }
      }
    }
  } catch {
    // What came before the fault has been said.
  }
  const times = bytes.byteLength === 0 ? 1 : capture.passed / bytes.byteLength;
  return { said: { texts: [texts.join('')], tokens: 0 }, times };
}

/** What a whole reply says; nothing where it is no reply of its format. */
export function saidInBytes(bytes: Uint8Array, dialect: Dialect): MaybePromise<Said> {
  const json = asObject(parseJson(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')));
  if (json === undefined || dialect.kind !== 'generation') return silence;
  try {
    return saidInReply(dialect.decodeReply(json, readingContext));
  } catch {
    return silence;
  }
}
