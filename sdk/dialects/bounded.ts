import { type ErrorCode, GatewayError } from '../errors.ts';
import type { GenerationDialect, ReplyContext, StreamDecoder, StreamEncoder } from './dialect.ts';
import { unreadable } from './stream-faults.ts';

/**
 * The dialect, safe from JSON that is nested so deeply that walking or writing it overflows the stack: `bad_request` for a
 * request, `upstream_invalid` for a reply, a `fault` in a stream.
 */
export function bounded<Name extends string>(dialect: GenerationDialect<Name>): GenerationDialect<Name> {
  return {
    ...dialect,
    decodeCall: (body, context) => refusing('bad_request', () => dialect.decodeCall(body, context)),
    encodeCall: (call, context) => refusing('bad_request', () => dialect.encodeCall(call, context)),
    decodeReply: (body, context) => refusing('upstream_invalid', () => dialect.decodeReply(body, context)),
    encodeReply: (completion, context) => refusing('upstream_invalid', () => dialect.encodeReply(completion, context)),
    decodeStream: (context) => boundedDecoder(dialect.decodeStream(context)),
    encodeStream: (context) => boundedEncoder(dialect, context),
  };
}

function refusing<T>(code: ErrorCode, step: () => T): T {
  try {
    return step();
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
    throw new GatewayError(code, 'The JSON is nested too deeply to be translated.', { cause });
  }
}

function boundedDecoder(decoder: StreamDecoder): StreamDecoder {
  let closed = false;
  return {
    meter: decoder.meter,
    push(frame) {
      if (closed) return [];
      try {
        return decoder.push(frame);
      } catch (cause) {
        if (!(cause instanceof RangeError)) throw cause;
        closed = true;
        return [{ type: 'fault', fault: unreadable }];
      }
    },
    end: () => (closed ? [] : decoder.end()),
  };
}

function boundedEncoder(dialect: GenerationDialect, context: ReplyContext): StreamEncoder {
  const encoder = dialect.encodeStream(context);
  let closed = false;
  return {
    push(delta) {
      if (closed) return '';
      try {
        return encoder.push(delta);
      } catch (cause) {
        if (!(cause instanceof RangeError)) throw cause;
        closed = true;
        return dialect.encodeStreamFault(unreadable);
      }
    },
  };
}
