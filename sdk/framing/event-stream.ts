import { crc32 } from 'node:zlib';
import { type Frame, type Framer, FramingError, refuseOver } from './frame.ts';
import { asBuffer, createHeldBytes } from './held-bytes.ts';

const PRELUDE_BYTES = 12;
const CRC_BYTES = 4;
const OVERHEAD_BYTES = PRELUDE_BYTES + CRC_BYTES;

// Bytes of a header value by its type: true, false, byte, short, integer, long, byte array, string, timestamp, uuid.
const VALUE_BYTES = [0, 0, 1, 2, 4, 8, 'prefixed', 'prefixed', 8, 16] as const;
const STRING_TYPE = 7;

const NAME_HEADERS: ReadonlyMap<string, string> = new Map([
  ['event', ':event-type'],
  ['exception', ':exception-type'],
  ['error', ':error-code'],
]);

/** Frames of the Amazon Event Stream Specification (Smithy 2.0, `application/vnd.amazon.eventstream`). */
export function eventStreamFramer(maxFrameBytes: number): Framer {
  const held = createHeldBytes(maxFrameBytes);
  // The length of the message being held, or of its prelude while that is incomplete.
  let wanted = PRELUDE_BYTES;

  return {
    push(chunk) {
      const bytes = asBuffer(chunk);
      const frames: Frame[] = [];
      let at = 0;
      while (at < bytes.length) {
        if (held.length === 0 && bytes.length - at >= PRELUDE_BYTES) {
          wanted = messageBytes(bytes, at, maxFrameBytes);
          if (bytes.length - at >= wanted) {
            frames.push(decodeMessage(bytes.subarray(at, at + wanted)));
            at += wanted;
            wanted = PRELUDE_BYTES;
            continue;
          }
        }
        const stop = Math.min(bytes.length, at + wanted - held.length);
        held.append(bytes, at, stop);
        at = stop;
        if (held.length < wanted) break;
        if (wanted === PRELUDE_BYTES) {
          wanted = messageBytes(held.peek(), 0, maxFrameBytes);
          continue;
        }
        frames.push(decodeMessage(held.take()));
        wanted = PRELUDE_BYTES;
      }
      return frames;
    },
    end() {
      if (held.length > 0) throw malformed('it ended inside a message');
      return [];
    },
  };
}

// The bounds are trusted only once the prelude's own checksum holds.
function messageBytes(bytes: Buffer, at: number, maxFrameBytes: number): number {
  if (crc32(bytes.subarray(at, at + 8)) !== bytes.readUInt32BE(at + 8)) throw malformed('a prelude checksum is wrong');
  const total = bytes.readUInt32BE(at);
  if (total < OVERHEAD_BYTES) throw malformed('a message is shorter than its own prelude');
  if (bytes.readUInt32BE(at + 4) > total - OVERHEAD_BYTES) throw malformed('headers are longer than their message');
  refuseOver('event-stream', maxFrameBytes, total);
  return total;
}

function decodeMessage(message: Buffer): Frame {
  const payloadEnd = message.length - CRC_BYTES;
  if (crc32(message.subarray(0, payloadEnd)) !== message.readUInt32BE(payloadEnd)) {
    throw malformed('a message checksum is wrong');
  }
  const headersEnd = PRELUDE_BYTES + message.readUInt32BE(4);
  const headers = readStringHeaders(message.subarray(PRELUDE_BYTES, headersEnd));
  const messageType = headers.get(':message-type') ?? 'event';
  const event = headers.get(NAME_HEADERS.get(messageType) ?? ':event-type');
  const kind = messageType === 'exception' || messageType === 'error' ? 'exception' : 'event';
  // An error that the service has no shape for says all that it says in headers.
  const data = message.toString('utf8', headersEnd, payloadEnd) || (headers.get(':error-message') ?? '');
  return event === undefined ? { data, kind } : { data, event, kind };
}

function readStringHeaders(headers: Buffer): ReadonlyMap<string, string> {
  const strings = new Map<string, string>();
  let at = 0;
  const advance = (bytes: number): number => {
    const start = at;
    at += bytes;
    if (at > headers.length) throw malformed('a header runs past the headers');
    return start;
  };
  while (at < headers.length) {
    const nameBytes = headers.readUInt8(advance(1));
    if (nameBytes === 0) throw malformed('a header has no name');
    const nameAt = advance(nameBytes);
    const type = headers.readUInt8(advance(1));
    const size = VALUE_BYTES[type];
    if (size === undefined) throw malformed('a header has an unknown type');
    const valueAt = advance(size === 'prefixed' ? headers.readUInt16BE(advance(2)) : size);
    if (type !== STRING_TYPE) continue;
    strings.set(headers.toString('utf8', nameAt, nameAt + nameBytes), headers.toString('utf8', valueAt, at));
  }
  return strings;
}

function malformed(what: string): FramingError {
  return new FramingError('event-stream', `The event-stream stream is malformed: ${what}.`);
}
