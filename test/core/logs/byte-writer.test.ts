import assert from 'node:assert/strict';
import { it } from 'node:test';
import { ByteWriter } from '../../../core/logs/byte-writer.ts';

it('bytes and texts stand one behind the other, however often the memory has grown', () => {
  const bytes = Uint8Array.from({ length: 70_000 }, (_, index) => index % 251);
  const writer = new ByteWriter(4);
  assert.equal(writer.text('größer'), 8);
  assert.equal(writer.copy(new Uint8Array(0)), 0);
  assert.equal(writer.copy(bytes), bytes.length);
  writer.line('end');
  const written = Buffer.from(writer.written());
  assert.equal(written.length, writer.length);
  assert.equal(written.toString('utf8', 0, 8), 'größer');
  assert.ok(written.subarray(8, 8 + bytes.length).equals(bytes));
  assert.equal(written.toString('utf8', 8 + bytes.length), 'end\n');
});

it('a part of a larger memory, and what another writer has written, are copied as they are', () => {
  const first = new ByteWriter(8);
  first.copy(Buffer.from('0123456789').subarray(3, 6));
  const second = new ByteWriter(1);
  second.copy(first.written());
  second.copy(first.written());
  assert.equal(Buffer.from(second.written()).toString(), '345345');
  second.clear();
  second.text('x');
  assert.equal(Buffer.from(second.written()).toString(), 'x');
});
