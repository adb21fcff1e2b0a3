import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import type { LocalReply, LocalRequest } from 'portcullis/sdk';
import { Cancellation } from '../../../core/upstream/cancellation.ts';
import { transmitLocally } from '../../../core/upstream/local.ts';
import type { Timeouts } from '../../../core/upstream/transport.ts';
import { Collector, streamOf, wireTo } from './support.ts';

const none: Timeouts = { firstByteMs: 0, gapMs: 0, totalMs: 0, requestMs: 0 };
const never = () => new Promise<never>(() => {});
// A test that waits for ever ends with the file's last timer: this one keeps the loop alive long enough to be told.
const alive = setInterval(() => {}, 1000);
after(() => clearInterval(alive));

function replyOf(...parts: readonly string[]): LocalReply {
  return {
    status: 200,
    headers: { 'content-type': 'text/plain' },
    body: (async function* () {
      for (const part of parts) yield Buffer.from(part);
    })(),
  };
}

describe('a provider that answers inside the gateway', () => {
  it('gets method, path, headers and bytes', async () => {
    let seen: LocalRequest | undefined;
    await transmitLocally(
      (request) => {
        seen = request;
        return replyOf('x');
      },
      wireTo('', { path: '/a?b', method: 'PUT', body: 'é', headers: { h: '1' } }),
    );
    assert.deepEqual(
      [seen?.method, seen?.path, seen?.headers, Buffer.from(seen?.body ?? []).toString()],
      ['PUT', '/a?b', { h: '1' }, 'é'],
    );
  });

  it('is collected', async () => {
    const reply = await transmitLocally(async () => replyOf('a', 'b'), wireTo(''));
    assert.deepEqual([reply.status, reply.bytes?.toString()], [200, 'ab']);
  });

  it('is streamed, with a look before and pauses in between', async () => {
    const stream = streamOf(await transmitLocally(() => replyOf('a', 'b', 'c'), wireTo('', { collects: () => false })));
    await stream.until((chunk) => Buffer.from(chunk).toString() === 'b');
    const sink = new Collector();
    sink.accepts = () => {
      setImmediate(() => stream.resume());
      return false;
    };
    stream.pipe(sink);
    await sink.done;
    assert.deepEqual([sink.text, sink.ends, sink.error_], ['abc', 1, undefined]);
  });

  it('is not asked for more while the sink does not take it', async () => {
    let made = 0;
    const body = (async function* () {
      for (; made < 100; made += 1) yield Buffer.from('x');
    })();
    const stream = streamOf(
      await transmitLocally(() => ({ status: 200, headers: {}, body }), wireTo('', { collects: () => false })),
    );
    const sink = new Collector();
    sink.accepts = () => false;
    stream.pipe(sink);
    await new Promise((resolve) => setTimeout(resolve, 20));
    assert.equal(sink.chunks.length, 1);
    sink.accepts = () => true;
    stream.resume();
    await sink.done;
    assert.equal(sink.chunks.length, 100);
  });

  for (const [what, serve] of [
    [
      'throws',
      () => {
        throw new Error('boom');
      },
    ],
    ['rejects', () => Promise.reject(new Error('boom'))],
  ] as const) {
    it(`counts as unreachable when it ${what}`, async () => {
      await assert.rejects(transmitLocally(serve, wireTo('')), { code: 'upstream_unreachable' });
    });
  }

  it('counts as broken off when its body throws in the middle', async () => {
    const body = (async function* () {
      yield Buffer.from('a');
      throw new Error('boom');
    })();
    const stream = streamOf(
      await transmitLocally(() => ({ status: 200, headers: {}, body }), wireTo('', { collects: () => false })),
    );
    const sink = new Collector();
    stream.pipe(sink);
    await sink.done;
    assert.deepEqual([sink.text, (sink.error_ as { code?: string }).code, sink.ends], ['a', 'upstream_unreachable', 1]);
  });

  for (const [name, timeouts] of [
    ['firstByteMs', { firstByteMs: 20 }],
    ['totalMs', { totalMs: 20 }],
    ['requestMs', { requestMs: 20, totalMs: 60_000 }],
  ] as const) {
    it(`ends by ${name} when it does not answer, and is told to stop`, async () => {
      let signal: AbortSignal | undefined;
      const sent = transmitLocally(
        (request) => {
          signal = request.signal;
          return never();
        },
        wireTo('', { timeouts: { ...none, ...timeouts } }),
      );
      await assert.rejects(sent, {
        code: 'request_timeout',
        message: 'Request exceeded the timeout sent in the request: 20ms',
      });
      assert.equal(signal?.aborted, true);
    });
  }

  it('ends by gapMs when its stream falls silent', async () => {
    const body = (async function* () {
      yield Buffer.from('a');
      await never();
    })();
    const stream = streamOf(
      await transmitLocally(
        () => ({ status: 200, headers: {}, body }),
        wireTo('', { collects: () => false, timeouts: { ...none, gapMs: 20 } }),
      ),
    );
    const sink = new Collector();
    stream.pipe(sink);
    await sink.done;
    assert.equal((sink.error_ as { code?: string }).code, 'upstream_stalled');
  });

  for (const timeouts of [none, { ...none, totalMs: 60_000 }]) {
    it(`is left at once when the client leaves, ${timeouts.totalMs === 0 ? 'without' : 'with'} any timeout`, async () => {
      const cancellation = new Cancellation();
      const asked = Promise.withResolvers<void>();
      const sent = transmitLocally(
        () => {
          asked.resolve();
          return never();
        },
        wireTo('', { cancellation, timeouts }),
      );
      await asked.promise;
      cancellation.cancel();
      const ended = await Promise.race([
        sent.catch((error: { code: string }) => error.code),
        new Promise((resolve) => setTimeout(resolve, 1000, 'still waiting')),
      ]);
      assert.equal(ended, 'client_closed');
    });
  }

  it('is not asked for a client that has left before', async () => {
    const cancellation = new Cancellation();
    cancellation.cancel();
    let asked = 0;
    await assert.rejects(
      transmitLocally(
        () => {
          asked += 1;
          return replyOf('x');
        },
        wireTo('', { cancellation }),
      ),
      { code: 'client_closed' },
    );
    assert.equal(asked, 0);
  });

  it('does not bring the gateway down when it throws while it is given up', async () => {
    const body: AsyncIterable<Uint8Array> = {
      [Symbol.asyncIterator]: () => ({
        next: async () => ({ done: false, value: Buffer.from('a') }),
        return: () => Promise.reject(new Error('boom')),
      }),
    };
    const unhandled: unknown[] = [];
    const note = (error: unknown) => unhandled.push(error);
    process.on('unhandledRejection', note);
    const stream = streamOf(
      await transmitLocally(() => ({ status: 200, headers: {}, body }), wireTo('', { collects: () => false })),
    );
    stream.abort();
    await new Promise((resolve) => setTimeout(resolve, 10));
    process.off('unhandledRejection', note);
    assert.deepEqual(unhandled, []);
  });
});
