import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Capture } from '../../../core/ledger/capture.ts';

const textOf = (capture: Capture) => Buffer.from(capture.bytes().bytes).toString('utf8');

describe('a capture', () => {
  it('keeps chunks and texts in their order', () => {
    const capture = new Capture();
    capture.add(Buffer.from('one '));
    capture.add('twö ');
    capture.add(new Uint8Array([0x33]));
    assert.deepEqual([textOf(capture), capture.bytes().truncated, capture.passed], ['one twö 3', false, 10]);
  });

  it('keeps a chunk as it is, without a copy', () => {
    const capture = new Capture();
    const chunk = Buffer.from('one');
    capture.add(chunk);
    assert.equal(capture.bytes().bytes.buffer, chunk.buffer);
  });

  it('keeps no more than its limit, and knows how much has passed', () => {
    const capture = new Capture(5);
    for (const chunk of ['abc', 'def', 'ghi']) capture.add(chunk);
    assert.deepEqual([textOf(capture), capture.bytes().truncated, capture.passed], ['abcde', true, 9]);
    assert.equal(capture.takesMore, false);
  });

  it('forgets, and takes nothing in any more', () => {
    const capture = new Capture();
    capture.add('secret');
    capture.drop();
    capture.add('more');
    assert.deepEqual([textOf(capture), capture.bytes().truncated], ['', true]);
  });

  it('is empty when nothing has passed', () => {
    const { bytes, truncated } = new Capture().bytes();
    assert.deepEqual([bytes.byteLength, truncated], [0, false]);
  });
});
