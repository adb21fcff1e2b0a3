import {
  asObject,
  asString,
  createFramer,
  type Frame,
  FramingError,
  GatewayError,
  type GenerationDialect,
  type JsonObject,
  type ProviderFault,
  parseJson,
} from 'portcullis/sdk';
import { plainText } from './failed-reply.ts';
import type { WireStream } from './transport.ts';

export type First =
  | { readonly kind: 'event' }
  /** The stream ends before it has said anything of an answer. */
  | { readonly kind: 'none' }
  | { readonly kind: 'fault'; readonly fault: ProviderFault };

/** So long a stream of keep-alives alone is waited for: they keep a connection alive that the client may lose meanwhile. */
const longestMs = 15_000;

/**
 * The first event decides: an overload inside a 200 must still be retried.
 * @param now in milliseconds
 */
export async function firstEvent(
  stream: WireStream,
  dialect: GenerationDialect,
  framing: GenerationDialect['framing'] | undefined,
  repair: ((json: JsonObject) => JsonObject) | undefined,
  now: () => number = () => performance.now(),
): Promise<First> {
  const framer = createFramer(framing ?? dialect.framing);
  const startedAt = now();
  let first: First | undefined;
  const judge = (frame: Frame): First | undefined => {
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
    const read = repair?.(json) ?? json;
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
  const firstOf = (frames: readonly Frame[]): First | undefined => {
    for (const frame of frames) {
      const found = judge(frame);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  try {
    let broken: unknown;
    await stream.until((chunk) => {
      try {
        first = firstOf(framer.push(chunk));
        if (first === undefined && now() - startedAt > longestMs) first = { kind: 'event' };
        return first !== undefined;
      } catch (error) {
        // Thrown from here it would be the transport's error, and count as a lost connection.
        broken = error;
        return true;
      }
    });
    if (broken !== undefined) throw broken;
    return first ?? firstOf(framer.end()) ?? { kind: 'none' };
  } catch (error) {
    stream.abort();
    if (!(error instanceof FramingError)) throw error;
    throw new GatewayError('upstream_invalid', notInFormat, { cause: error });
  }
}

const notInFormat = 'The provider sent a stream that is not in its own format.';

function told(text: string): ProviderFault {
  return { status: 502, message: plainText(text) || 'The provider reported an error without a message.' };
}
