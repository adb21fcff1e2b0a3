import {
  asObject,
  asString,
  createFramer,
  type Frame,
  type Framing,
  FramingError,
  GatewayError,
  type GenerationDialect,
  type ProviderFault,
  parseJson,
} from 'portcullis/sdk';
import { plainText } from './failed-reply.ts';
import type { Repair } from './repair.ts';
import type { WireStream } from './transport.ts';

export type First =
  | { readonly kind: 'event' }
  /** The stream ends before it has said anything of an answer. */
  | { readonly kind: 'none' }
  | { readonly kind: 'fault'; readonly fault: ProviderFault };

/** What an event says of its stream; undefined: that it is alive. */
export type Judge = (frame: Frame) => First | undefined;

/** So long a stream of keep-alives alone is waited for: they keep a connection alive that the client may lose meanwhile. */
const longestMs = 15_000;

/**
 * The first event decides: an overload inside a 200 must still be retried. `late`: it has been waited for long enough.
 * @param now in milliseconds
 */
export async function firstEvent(
  stream: WireStream,
  framing: Framing,
  judge: Judge,
  now: () => number = () => performance.now(),
): Promise<First | { readonly kind: 'late' }> {
  const framer = createFramer(framing);
  const startedAt = now();
  let first: First | { readonly kind: 'late' } | undefined;
  try {
    let broken: unknown;
    await stream.until((chunk) => {
      try {
        first = firstOf(framer.push(chunk), judge);
        if (first === undefined && now() - startedAt > longestMs) first = { kind: 'late' };
        return first !== undefined;
      } catch (error) {
        // Thrown from here it would be the transport's error, and count as a lost connection.
        broken = error;
        return true;
      }
    });
    if (broken !== undefined) throw broken;
    return first ?? firstOf(framer.end(), judge) ?? { kind: 'none' };
  } catch (error) {
    stream.abort();
    if (!(error instanceof FramingError)) throw error;
    throw new GatewayError('upstream_invalid', notInFormat, { cause: error });
  }
}

/** What the first of some events that says more than that its stream is alive says. */
export function firstOf(frames: readonly Frame[], judge: Judge): First | undefined {
  for (const frame of frames) {
    const found = judge(frame);
    if (found !== undefined) return found;
  }
  return undefined;
}

export function judgeOf(dialect: GenerationDialect, repair: Repair | undefined): Judge {
  return (frame) => {
    const { data, event, kind } = frame;
    const exception = dialect.exceptionIn?.(frame);
    if (exception !== undefined) return { kind: 'fault', fault: exception };
    // Some servers keep a connection alive by events without data.
    if (data.trim() === '' && kind !== 'exception') return undefined;
    if (data.trim() === '[DONE]') return { kind: 'none' };
    const json = asObject(parseJson(data));
    if (json === undefined) {
      if (event === 'error' || kind === 'exception') return { kind: 'fault', fault: told(data) };
      throw new GatewayError('upstream_invalid', notInFormat);
    }
    const repaired = repair?.(json) ?? json;
    const read = dialect.eventIn?.(repaired) ?? repaired;
    const fault =
      event === 'error'
        ? (dialect.faultOf(read, 200) ?? dialect.faultOf(read, 502) ?? told(''))
        : dialect.faultOf(read, kind === 'exception' ? 502 : 200);
    if (fault !== undefined) return { kind: 'fault', fault };
    switch (dialect.bareEvents?.get(asString(read.type) ?? event ?? '')) {
      case 'alive':
        return undefined;
      case 'end':
        return { kind: 'none' };
      case undefined:
        return { kind: 'event' };
    }
  };
}

const notInFormat = 'The provider sent a stream that is not in its own format.';

function told(text: string): ProviderFault {
  return { status: 502, message: plainText(text) || 'The provider reported an error without a message.' };
}
