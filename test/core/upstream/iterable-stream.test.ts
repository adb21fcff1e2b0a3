import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import type { ReplySink, ReplyStream } from 'portcullis/sdk';
import { chunksOf, streamOf } from '../../../core/upstream/iterable-stream.ts';
import { noUnhandledRejections } from '../../support/rejections.ts';
import { Collector } from './support.ts';

noUnhandledRejections();

/** A stream that does what the test says. */
class Source implements ReplyStream {
  sink: ReplySink | undefined;
  aborted = 0;
  resumed = 0;
  pipe(sink: ReplySink): void {
    this.sink = sink;
  }
  resume(): void {
    this.resumed += 1;
  }
  abort(): void {
    this.aborted += 1;
  }
}

const piece = Buffer.from('x');

async function* pieces(count: number): AsyncGenerator<Uint8Array> {
  for (let index = 0; index < count; index += 1) yield piece;
}

describe('the chunks of a stream', () => {
  it('come in order, to the end', async () => {
    const source = new Source();
    const chunks = chunksOf(source);
    const first = chunks.next();
    source.sink?.data('a');
    source.sink?.data(Buffer.from('b'));
    source.sink?.end();
    assert.equal(String((await first).value), 'a');
    assert.equal(String((await chunks.next()).value), 'b');
    assert.equal((await chunks.next()).done, true);
    assert.equal(source.aborted, 0);
  });

  it('hold the source back when nobody takes them, and let it go on afterwards', async () => {
    const source = new Source();
    const chunks = chunksOf(source);
    const first = chunks.next();
    const taken = Array.from({ length: 20 }, () => source.sink?.data(piece));
    assert.deepEqual(taken.slice(14), [true, false, false, false, false, false]);
    await first;
    assert.equal(source.resumed, 0);
    for (let index = 1; index < 20; index += 1) await chunks.next();
    const waiting = chunks.next();
    await turn();
    assert.equal(source.resumed, 1);
    source.sink?.end();
    await waiting;
  });

  it('end with the error of the source', async () => {
    const source = new Source();
    const first = chunksOf(source).next();
    source.sink?.error(new Error('reset'));
    await assert.rejects(first, /reset/);
  });

  it('give the source up when they are left early', async () => {
    const source = new Source();
    const chunks = chunksOf(source);
    const first = chunks.next();
    source.sink?.data(piece);
    await first;
    await chunks.return(undefined);
    assert.equal(source.aborted, 1);
  });
});

describe('an iterable as a stream', () => {
  it('flows to its end', async () => {
    const collector = new Collector();
    streamOf(pieces(3)).pipe(collector);
    await collector.done;
    assert.deepEqual([collector.text, collector.error_, collector.ends], ['xxx', undefined, 1]);
  });

  it('waits while its sink is full', async () => {
    const collector = new Collector();
    collector.accepts = () => false;
    const stream = streamOf(pieces(3));
    stream.pipe(collector);
    await turn();
    assert.equal(collector.text, 'x');
    stream.resume();
    await turn();
    assert.equal(collector.text, 'xx');
    stream.abort();
  });

  it('tells what went wrong', async () => {
    const collector = new Collector();
    let freed = 0;
    const broken = async function* (): AsyncGenerator<Uint8Array> {
      yield piece;
      throw new TypeError('odd');
    };
    streamOf(broken(), () => {
      freed += 1;
    }).pipe(collector);
    await collector.done;
    assert.match(String(collector.error_), /odd/);
    assert.equal(freed, 1);
  });

  it('frees what it holds although it was never begun', () => {
    let freed = 0;
    streamOf(pieces(1), () => {
      freed += 1;
    }).abort();
    assert.equal(freed, 1);
  });

  it('says nothing more once it is given up, whatever its source throws', async () => {
    const collector = new Collector();
    const held = Promise.withResolvers<void>();
    const source = async function* (): AsyncGenerator<Uint8Array> {
      yield piece;
      await held.promise;
      yield piece;
    };
    const stream = streamOf(source());
    stream.pipe(collector);
    await turn();
    stream.abort();
    held.reject(new Error('too late'));
    await turn();
    await turn();
    assert.deepEqual([collector.text, collector.ends], ['x', 0]);
  });
});
