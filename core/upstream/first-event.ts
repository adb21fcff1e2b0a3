import {
  asObject,
  createFramer,
  FramingError,
  GatewayError,
  type GenerationDialect,
  type JsonObject,
  type ProviderFault,
  parseJson,
} from 'portcullis/sdk';
import type { WireStream } from './transport.ts';

export type First =
  | { readonly kind: 'event' }
  | { readonly kind: 'none' }
  | { readonly kind: 'fault'; readonly fault: ProviderFault };

/** The first event decides: an overload inside a 200 must still be retried. */
export async function firstEvent(
  stream: WireStream,
  dialect: GenerationDialect,
  framing: GenerationDialect['framing'] | undefined,
  repair: ((json: JsonObject) => JsonObject) | undefined,
): Promise<First> {
  const framer = createFramer(framing ?? dialect.framing);
  let first: First = { kind: 'none' };
  const judge = (data: string, exception: boolean): First => {
    const json = asObject(parseJson(data));
    const fault = json === undefined ? undefined : dialect.faultOf(repair?.(json) ?? json, exception ? 502 : 200);
    return fault === undefined ? { kind: 'event' } : { kind: 'fault', fault };
  };
  try {
    let broken: unknown;
    await stream.until((chunk) => {
      try {
        const frame = framer.push(chunk)[0];
        if (frame !== undefined) first = judge(frame.data, frame.kind === 'exception');
        return frame !== undefined;
      } catch (error) {
        // Thrown from here it would be the transport's error, and count as a lost connection.
        broken = error;
        return true;
      }
    });
    if (broken !== undefined) throw broken;
    const last = first.kind === 'none' ? framer.end()[0] : undefined;
    return last === undefined ? first : judge(last.data, last.kind === 'exception');
  } catch (error) {
    stream.abort();
    if (!(error instanceof FramingError)) throw error;
    throw new GatewayError('upstream_invalid', 'The provider sent a stream that is not in its own format.', {
      cause: error,
    });
  }
}
