import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  givenSpanId,
  newSpanId,
  readTraceContext,
  traceparentOf,
  w3cTraceId,
} from '../../../core/telemetry/trace-context.ts';

const traceId = '0af7651916cd43dd8448eb211c80319c';
const spanId = 'b7ad6b7169203331';

describe('traceparent', () => {
  it('is read', () => {
    const read = (flags: string) => readTraceContext({ traceparent: `00-${traceId}-${spanId}-${flags}` });
    assert.deepEqual(read('01'), { traceId, parentSpanId: spanId, sampled: true, state: undefined });
    assert.equal(read('00')?.sampled, false);
    assert.equal(read('03')?.sampled, true);
    assert.equal(read('02')?.sampled, false);
  });

  it('may say more in a later version', () => {
    for (const given of [`cc-${traceId}-${spanId}-01`, `cc-${traceId}-${spanId}-01-what-the-future-will-be-like`])
      assert.equal(readTraceContext({ traceparent: given })?.traceId, traceId);
  });

  for (const [what, given] of [
    ['nothing', undefined],
    ['an empty text', ''],
    ['the version ff', `ff-${traceId}-${spanId}-01`],
    ['more than version 00 says', `00-${traceId}-${spanId}-01-more`],
    ['a later version without a dash', `cc-${traceId}-${spanId}-01.more`],
    ['capital letters', `00-${traceId.toUpperCase()}-${spanId}-01`],
    ['a trace of zeros', `00-${'0'.repeat(32)}-${spanId}-01`],
    ['a span of zeros', `00-${traceId}-${'0'.repeat(16)}-01`],
    ['a short trace', `00-${traceId.slice(1)}-${spanId}-01`],
    ['a long span', `00-${traceId}-${spanId}0-01`],
    ['letters that are no digits', `00-${traceId.replace('0', 'g')}-${spanId}-01`],
    ['no flags', `00-${traceId}-${spanId}`],
    ['two of them', `00-${traceId}-${spanId}-01, 00-${traceId}-${spanId}-01`],
  ] as const) {
    it(`is ignored when it is ${what}`, () =>
      assert.equal(readTraceContext(given === undefined ? {} : { traceparent: given }), undefined));
  }

  it('never throws, whatever is given', () =>
    fc.assert(
      fc.property(fc.string(), fc.string(), (traceparent, tracestate) => {
        readTraceContext({ traceparent, tracestate });
      }),
    ));
});

describe('tracestate', () => {
  const stateOf = (tracestate: string) =>
    readTraceContext({ traceparent: `00-${traceId}-${spanId}-01`, tracestate })?.state;
  const many = (count: number) => Array.from({ length: count }, (_, index) => `k${index}=v`).join(',');

  for (const [given, kept] of [
    ['congo=t61rcWkgMzE', 'congo=t61rcWkgMzE'],
    ['rojo=00f067aa0ba902b7, congo=t61rcWkgMzE', 'rojo=00f067aa0ba902b7,congo=t61rcWkgMzE'],
    ['fw529a3039@dt=FfFfFf,,a_-*/z=1 2', 'fw529a3039@dt=FfFfFf,a_-*/z=1 2'],
    [many(32), many(32)],
  ] as const)
    it(`is passed on: ${given.slice(0, 50)}`, () => assert.equal(stateOf(given), kept));

  for (const [what, given] of [
    ['nothing in it', ' , '],
    ['a capital letter in a key', 'Congo=1'],
    ['no value', 'congo='],
    ['no equals sign', 'congo'],
    ['a second equals sign', 'congo=a=b'],
    ['a key twice', 'congo=1,congo=2'],
    ['a letter outside of ASCII', 'congo=é'],
    ['too many members', many(33)],
    ['a value that is too long', `congo=${'v'.repeat(257)}`],
  ] as const) {
    it(`is dropped with ${what}, and the trace is kept`, () => {
      assert.equal(stateOf(given), undefined);
      assert.equal(
        readTraceContext({ traceparent: `00-${traceId}-${spanId}-01`, tracestate: given })?.traceId,
        traceId,
      );
    });
  }
});

describe('what is told to others', () => {
  it('names the trace and the span of the request', () => {
    const told = traceparentOf({ traceId, spanId, sampled: true });
    assert.equal(told, `00-${traceId}-${spanId}-01`);
    assert.equal(traceparentOf({ traceId, spanId, sampled: false }), `00-${traceId}-${spanId}-00`);
  });

  it('is well formed for any text that a caller calls its trace', () =>
    fc.assert(
      fc.property(fc.string({ minLength: 1, maxLength: 128 }), (text) => {
        const told = readTraceContext({ traceparent: traceparentOf({ traceId: text, spanId, sampled: true }) });
        assert.equal(told?.traceId, w3cTraceId(text));
        assert.equal(told?.parentSpanId, spanId);
      }),
    ));

  it('keeps the digits of a UUID, and tells other texts apart', () => {
    assert.equal(w3cTraceId('2B3EF1E2-58aa-4a0d-8a5a-0d6c3f5e8a11'), '2b3ef1e258aa4a0d8a5a0d6c3f5e8a11');
    assert.equal(w3cTraceId(traceId.toUpperCase()), traceId);
    assert.notEqual(w3cTraceId('session 1'), w3cTraceId('session 2'));
    assert.notEqual(w3cTraceId('0'.repeat(32)), '0'.repeat(32));
  });
});

describe('ids of spans', () => {
  it('are 16 hex digits, and none comes twice', () => {
    const ids = Array.from({ length: 5000 }, newSpanId);
    for (const id of ids) assert.match(id, /^[0-9a-f]{16}$/);
    assert.equal(new Set(ids).size, ids.length);
  });

  it('are taken from a caller where they are such', () => {
    assert.equal(givenSpanId('B7AD6B7169203331'), spanId);
    for (const wrong of [undefined, '', 'step 1', '0'.repeat(16), `${spanId}0`])
      assert.equal(givenSpanId(wrong), undefined);
  });
});
