import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { crc32 } from 'node:zlib';
import { EventStreamCodec, Int64, type MessageHeaders } from '@smithy/eventstream-codec';
import fc from 'fast-check';
import { createFramer, type Frame, FramingError } from '../../../sdk/framing/framing.ts';
import { assertSameForAnyChunks, bytesOf, chunkSizes, cut, framesOf, text } from './chunking.ts';

const codec = new EventStreamCodec(
  (input) => (typeof input === 'string' ? input : Buffer.from(input).toString('utf8')),
  (input) => bytesOf(input),
);

function string(value: string): { type: 'string'; value: string } {
  return { type: 'string', value };
}

function message(headers: MessageHeaders, payload: string): Uint8Array {
  return codec.encode({ headers, body: bytesOf(payload) });
}

/** A message with any header bytes and right checksums, for what a sound encoder would not write. */
function rawMessage(headers: readonly number[], lengths: { total?: number; headers?: number } = {}): Uint8Array {
  const bytes = Buffer.alloc(16 + headers.length);
  bytes.writeUInt32BE(lengths.total ?? bytes.length, 0);
  bytes.writeUInt32BE(lengths.headers ?? headers.length, 4);
  bytes.writeUInt32BE(crc32(bytes.subarray(0, 8)), 8);
  bytes.set(headers, 12);
  bytes.writeUInt32BE(crc32(bytes.subarray(0, -4)), bytes.length - 4);
  return bytes;
}

const EVERY_TYPE: MessageHeaders = {
  yes: { type: 'boolean', value: true },
  no: { type: 'boolean', value: false },
  byte: { type: 'byte', value: -1 },
  short: { type: 'short', value: -300 },
  integer: { type: 'integer', value: 7_000_000 },
  long: { type: 'long', value: Int64.fromNumber(-5_000_000_000) },
  binary: { type: 'binary', value: bytesOf('\x0b:event-type\x07\x00\x01x') },
  empty: { type: 'binary', value: new Uint8Array() },
  string: string('é😀'),
  timestamp: { type: 'timestamp', value: new Date(1_700_000_000_000) },
  uuid: { type: 'uuid', value: '8a2e6c1e-0b1f-4c55-9f0a-2d7c7f6f0a11' },
};

const CASES: { name: string; headers: MessageHeaders; payload: string; frame: Frame }[] = [
  {
    name: 'names an event by :event-type',
    headers: {
      ':message-type': string('event'),
      ':event-type': string('delta'),
      ':content-type': string('text/plain'),
    },
    payload: '{"a":"é😀"}',
    frame: { data: '{"a":"é😀"}', event: 'delta', kind: 'event' },
  },
  {
    name: 'names an exception by :exception-type',
    headers: { ':exception-type': string('throttlingException'), ':message-type': string('exception') },
    payload: '{"message":"slow down"}',
    frame: { data: '{"message":"slow down"}', event: 'throttlingException', kind: 'exception' },
  },
  {
    name: 'names an error by :error-code, and reads what it says of itself',
    headers: {
      ':message-type': string('error'),
      ':error-code': string('InternalError'),
      ':error-message': string('x'),
    },
    payload: '',
    frame: { data: 'x', event: 'InternalError', kind: 'exception' },
  },
  {
    name: 'takes a message without headers as an event',
    headers: {},
    payload: 'x',
    frame: { data: 'x', kind: 'event' },
  },
  {
    name: 'steps over every header type',
    headers: {
      ...EVERY_TYPE,
      ':event-type': string('delta'),
      ...Object.fromEntries(Object.entries(EVERY_TYPE).map(([k, v]) => [`${k}2`, v])),
    },
    payload: 'x',
    frame: { data: 'x', event: 'delta', kind: 'event' },
  },
  {
    name: 'ignores a name that is not a string',
    headers: { ':event-type': { type: 'integer', value: 1 }, ':message-type': { type: 'boolean', value: true } },
    payload: 'x',
    frame: { data: 'x', kind: 'event' },
  },
  {
    name: 'takes an unknown message type as an event',
    headers: { ':message-type': string('constructor'), ':event-type': string('a') },
    payload: '',
    frame: { data: '', event: 'a', kind: 'event' },
  },
];

const ONE = message({ ':message-type': string('event'), ':event-type': string('delta') }, '{"a":1}');

function flipped(at: number): Uint8Array {
  const bytes = ONE.slice();
  bytes[at] = (bytes[at] ?? 0) ^ 0x01;
  return bytes;
}

const REFUSED: { name: string; bytes: Uint8Array; why: RegExp }[] = [
  { name: 'a wrong total length', bytes: flipped(3), why: /prelude checksum/ },
  { name: 'a wrong headers length', bytes: flipped(7), why: /prelude checksum/ },
  { name: 'a wrong prelude checksum', bytes: flipped(9), why: /prelude checksum/ },
  { name: 'a wrong header byte', bytes: flipped(20), why: /message checksum/ },
  { name: 'a wrong payload byte', bytes: flipped(ONE.length - 6), why: /message checksum/ },
  { name: 'a wrong message checksum', bytes: flipped(ONE.length - 1), why: /message checksum/ },
  { name: 'a message shorter than its overhead', bytes: rawMessage([], { total: 15 }), why: /shorter/ },
  { name: 'headers longer than the message', bytes: rawMessage([], { headers: 1 }), why: /headers are longer/ },
  { name: 'a message over the limit', bytes: rawMessage([], { total: 0xffff_ffff }), why: /larger than/ },
  { name: 'a header without a name', bytes: rawMessage([0, 0]), why: /no name/ },
  { name: 'a header name past the headers', bytes: rawMessage([5, 0x61]), why: /runs past/ },
  { name: 'a header without a type', bytes: rawMessage([1, 0x61]), why: /runs past/ },
  { name: 'an unknown header type', bytes: rawMessage([1, 0x61, 10]), why: /unknown type/ },
  { name: 'a header value past the headers', bytes: rawMessage([1, 0x61, 7, 0, 5, 0x61]), why: /runs past/ },
  { name: 'a header value without a length', bytes: rawMessage([1, 0x61, 7, 0]), why: /runs past/ },
  { name: 'a uuid past the headers', bytes: rawMessage([1, 0x61, 9, 1, 2, 3]), why: /runs past/ },
];

const name = text.filter((value) => value !== '' && Buffer.byteLength(value) < 256 && !value.startsWith(':'));
const otherHeader = fc.tuple(name, fc.constantFrom(...Object.values(EVERY_TYPE)));
const anyMessage = fc.record({
  type: fc.constantFrom('event', 'exception', 'error'),
  event: text,
  payload: fc.oneof(text, fc.json()),
  others: fc.array(otherHeader, { maxLength: 4 }),
});
const NAMES: Record<string, string> = { event: ':event-type', exception: ':exception-type', error: ':error-code' };

describe('event-stream framing', () => {
  for (const { name: title, headers, payload, frame } of CASES) {
    it(title, () => {
      const one = message(headers, payload);
      assertSameForAnyChunks('event-stream', Buffer.concat([one, one]), [1], [frame, frame]);
    });
  }

  for (const { name: title, bytes, why } of REFUSED) {
    it(`refuses ${title}`, () => {
      for (const size of [1, 13, 1000]) {
        const refuse = () => framesOf('event-stream', cut(bytes, [size]));
        assert.throws(refuse, (error) => error instanceof FramingError && why.test(error.message));
      }
    });
  }

  it('refuses a stream cut anywhere inside a message', () => {
    for (let length = 1; length < ONE.length; length += 1) {
      const framer = createFramer('event-stream');
      assert.deepEqual(framer.push(ONE.subarray(0, length)), []);
      assert.throws(() => framer.end(), /ended inside a message/);
    }
  });

  it('refuses any single changed byte', () => {
    for (let at = 0; at < ONE.length; at += 1) {
      assert.throws(() => framesOf('event-stream', [flipped(at)]), FramingError, `byte ${at}`);
    }
  });

  it('refuses a message over the limit as soon as its length is known', () => {
    const framer = createFramer('event-stream', { maxFrameBytes: ONE.length - 1 });
    assert.deepEqual(framer.push(ONE.subarray(0, 11)), []);
    assert.throws(() => framer.push(ONE.subarray(11, 12)), FramingError);
    assert.equal(framesOf('event-stream', [ONE, ONE], { maxFrameBytes: ONE.length }).length, 2);
  });

  it('yields the same frames for any chunks', () => {
    fc.assert(
      fc.property(fc.array(anyMessage, { maxLength: 6 }), chunkSizes, (messages, sizes) => {
        const bytes = messages.map(({ type, event, payload, others }) => {
          const named = { ':message-type': string(type), [NAMES[type] ?? '']: string(event) };
          return message({ ...Object.fromEntries(others), ...named }, payload);
        });
        const frames = messages.map(({ type, event, payload }): Frame => {
          return { data: payload, event, kind: type === 'event' ? 'event' : 'exception' };
        });
        assertSameForAnyChunks('event-stream', Buffer.concat(bytes), sizes, frames);
      }),
    );
  });
});
