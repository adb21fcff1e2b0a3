import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { describe, it } from 'node:test';
import { MessageReader, writeMessage } from '../../../core/sandbox/wire.ts';

const said: readonly (readonly [message: object, text: string])[] = [
  [{ type: 'ready' }, ''],
  [{ type: 'done', id: 1 }, '{"value":1}\n'],
  [{ type: 'done', id: 2 }, 'é\u0000ÿ'.repeat(20_000)],
  [{ type: 'done', id: 3 }, `half of a pair: \ud83d, and a whole one: 😀${'—'.repeat(40_000)}`],
  [{ type: 'failed', message: 'Ω\n' }, 'plain'],
  [{ type: 'stop' }, ''],
];

function written(messages: typeof said): Buffer {
  const chunks: Buffer[] = [];
  const stream = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      chunks.push(chunk);
      done();
    },
  });
  for (const [message, text] of messages) writeMessage(stream, message, text);
  return Buffer.concat(chunks);
}

/** What is read of bytes that come in pieces of one size, all of them through the same memory. */
function readIn(bytes: Buffer, size: number): unknown[] {
  const read: unknown[] = [];
  const reader = new MessageReader<object>(Number.POSITIVE_INFINITY, (message, text) => read.push([message, text]));
  const memory = Buffer.alloc(size);
  for (let at = 0; at < bytes.length; at += size) {
    const length = bytes.copy(memory, 0, at);
    reader.read(memory.subarray(0, length));
  }
  return read;
}

describe('messages of the sandbox', () => {
  it('come as they were sent, in whatever pieces', () => {
    const bytes = written(said);
    for (const size of [1, 2, 3, 5, 7, 64, 4096, 65_536, bytes.length]) assert.deepEqual(readIn(bytes, size), said);
  });

  it('are refused when they are too long, before they have come', () => {
    const reader = new MessageReader<object>(100, () => assert.fail());
    const bytes = written([[{ type: 'done', id: 1 }, 'a'.repeat(100)]]);
    assert.throws(() => reader.read(bytes.subarray(0, 10)), /100 are accepted/);
  });
});
