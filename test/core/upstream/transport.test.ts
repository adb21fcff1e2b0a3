import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { after, describe, it, type TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { Cancellation } from '../../../core/upstream/cancellation.ts';
import { type Timeouts, transmit, type WireReply } from '../../../core/upstream/transport.ts';
import { Collector, closeAll, closed, rawServer, streamOf, testPools, upstreamServer, wireTo } from './support.ts';

after(closeAll);

const none: Timeouts = { firstByteMs: 0, gapMs: 0, totalMs: 0, requestMs: 0 };
const streaming = { collects: () => false };

describe('a call to a provider', () => {
  it('sends method, path, headers and body, and collects the reply', async () => {
    let body = '';
    const { origin, requests } = await upstreamServer(async (request, reply) => {
      body = (await request.setEncoding('utf8').toArray()).join('');
      reply.writeHead(201, { 'x-a': 'b', 'set-cookie': ['c=1', 'd=2'] });
      reply.write('{"a":');
      reply.end('1}');
    });
    const reply = await transmit(
      testPools(),
      wireTo(origin, { path: '/v1/x?y=1', method: 'PUT', headers: { 'x-one': '1' }, body: Buffer.from('bytes') }),
    );
    assert.deepEqual(
      [requests[0]?.method, requests[0]?.url, requests[0]?.headers['x-one'], body],
      ['PUT', '/v1/x?y=1', '1', 'bytes'],
    );
    assert.deepEqual(
      [reply.status, reply.bytes?.toString(), reply.headers['x-a'], reply.headers['set-cookie']],
      [201, '{"a":1}', 'b', ['c=1', 'd=2']],
    );
  });

  it('does not follow a redirect', async () => {
    const { origin, requests } = await upstreamServer((_, reply) =>
      reply.writeHead(302, { location: '/elsewhere' }).end(),
    );
    assert.equal((await transmit(testPools(), wireTo(origin))).status, 302);
    assert.equal(requests.length, 1);
  });

  it('uses a connection again', async () => {
    const { origin, server } = await upstreamServer((_, reply) => reply.end('{}'));
    let connections = 0;
    server.on('connection', () => (connections += 1));
    const pools = testPools();
    await transmit(pools, wireTo(origin));
    // undici leaves a connection alone for one turn of the loop, to see whether the server closes it.
    await delay(5);
    await transmit(pools, wireTo(origin));
    assert.equal(connections, 1);
  });

  it('refuses a reply that is larger than is accepted, collected or streamed, and drops its connection', async () => {
    for (const collects of [true, false]) {
      const dropped = Promise.withResolvers<void>();
      const { origin } = await upstreamServer((_, reply) => {
        reply.on('close', () => dropped.resolve());
        reply.write(Buffer.alloc(600, 'x'));
        reply.write(Buffer.alloc(600, 'x'));
      });
      const sink = new Collector();
      const sent = transmit(testPools(), wireTo(origin, { maxReplyBytes: 1000, collects: () => collects }));
      if (collects) await assert.rejects(sent, { code: 'upstream_invalid' });
      else {
        streamOf(await sent).pipe(sink);
        await sink.done;
        assert.equal((sink.error_ as { code?: string }).code, 'upstream_invalid');
      }
      await dropped.promise;
    }
  });

  it('accepts a reply of exactly the size that is accepted', async () => {
    const { origin } = await upstreamServer((_, reply) => reply.end(Buffer.alloc(1000, 'x')));
    assert.equal((await transmit(testPools(), wireTo(origin, { maxReplyBytes: 1000 }))).bytes?.length, 1000);
  });
});

describe('the timeouts of a call', () => {
  /**
   * The limits of calls go by a clock that stands, and is moved on by the milliseconds that it is given. Timers run by
   * themselves: one of no more than so many milliseconds has looked at the clock when this resolves.
   */
  function clockOf(t: TestContext): (ms: number) => Promise<void> {
    let now = performance.now();
    t.mock.method(performance, 'now', () => now);
    return async (ms) => {
      now += ms;
      await delay(ms);
    };
  }

  const limits: readonly [string, Partial<Timeouts>][] = [
    ['firstByteMs', { firstByteMs: 30, totalMs: 60_000, requestMs: 60_000 }],
    ['totalMs', { firstByteMs: 60_000, totalMs: 30 }],
    ['requestMs', { firstByteMs: 60_000, totalMs: 60_000, requestMs: 30 }],
  ];
  for (const [name, timeouts] of limits) {
    it(`ends a call that gets no reply by ${name}`, async (t) => {
      const pass = clockOf(t);
      const { origin } = await upstreamServer(() => {});
      const sent = transmit(testPools(), wireTo(origin, { timeouts: { ...none, ...timeouts } }));
      void pass(30);
      await assert.rejects(sent, {
        code: 'request_timeout',
        status: 408,
        message: 'Request exceeded the timeout sent in the request: 30ms',
      });
    });
  }

  it('count from the moment that the call names: an attempt may have called before', async () => {
    const { origin } = await upstreamServer(() => {});
    const timeouts = { ...none, firstByteMs: 3_600_000 };
    const wire = wireTo(origin, { timeouts, startedAt: performance.now() - 3_600_000 });
    await assert.rejects(transmit(testPools(), wire), { code: 'request_timeout' });
  });

  /** A call whose head has come, and which the test moves on, as well as its clock. */
  async function halfway(t: TestContext, timeouts: Partial<Timeouts>, collects: boolean) {
    const pass = clockOf(t);
    const asked = Promise.withResolvers<ServerResponse>();
    const { origin } = await upstreamServer((_, reply) => {
      reply.write('first ');
      asked.resolve(reply);
    });
    const head = Promise.withResolvers<void>();
    const sent = transmit(
      testPools(),
      wireTo(origin, {
        timeouts: { ...none, ...timeouts },
        collects: () => {
          head.resolve();
          return collects;
        },
      }),
    );
    sent.catch(() => {});
    const reply = await asked.promise;
    await head.promise;
    return { sent, reply, pass };
  }

  /** The stream of such a call, whose first chunk the sink has got. */
  async function flowing(sent: Promise<WireReply>, sink: Collector) {
    const stream = streamOf(await sent);
    await stream.until(() => true);
    stream.pipe(sink);
    return stream;
  }

  it('leaves firstByteMs behind once the head is there, also where the body is collected', async (t) => {
    const { sent, reply, pass } = await halfway(t, { firstByteMs: 100 }, true);
    await pass(250);
    reply.end('last');
    assert.equal((await sent).bytes?.toString(), 'first last');
  });

  it('leaves requestMs behind once a stream has begun', async (t) => {
    const { sent, reply, pass } = await halfway(t, { requestMs: 100 }, false);
    const sink = new Collector();
    await flowing(sent, sink);
    await pass(250);
    reply.end('last');
    await sink.done;
    assert.deepEqual([sink.text, sink.error_], ['first last', undefined]);
  });

  it('keeps requestMs to the end of a collected body', async (t) => {
    const { sent, pass } = await halfway(t, { requestMs: 100 }, true);
    await pass(100);
    await assert.rejects(sent, { code: 'request_timeout' });
  });

  for (const collects of [true, false]) {
    it(`ends a ${collects ? 'collected' : 'streamed'} body that falls silent by gapMs`, async (t) => {
      const { sent, reply, pass } = await halfway(t, { gapMs: 40 }, collects);
      const gone = closed(reply);
      if (collects) {
        await pass(40);
        await assert.rejects(sent, { code: 'upstream_stalled', status: 504 });
      } else {
        const sink = new Collector();
        await flowing(sent, sink);
        await pass(40);
        await sink.done;
        assert.deepEqual(
          [(sink.error_ as { code?: string }).code, sink.text, sink.ends],
          ['upstream_stalled', 'first ', 1],
        );
      }
      await gone;
    });
  }

  it('ends a stream by totalMs although it never falls silent', async (t) => {
    const { sent, reply, pass } = await halfway(t, { gapMs: 30, totalMs: 80 }, false);
    const sink = new Collector();
    await flowing(sent, sink);
    for (const chunk of ['a', 'b', 'c']) {
      await pass(20);
      const got = new Promise<void>((resolve) => {
        sink.accepts = () => {
          resolve();
          return true;
        };
      });
      reply.write(chunk);
      await got;
    }
    assert.equal(sink.ends, 0);
    await pass(20);
    await sink.done;
    assert.deepEqual([(sink.error_ as { code?: string }).code, sink.text], ['request_timeout', 'first abc']);
  });

  it('counts totalMs from the start of the attempt, not from the head of the reply', async (t) => {
    const pass = clockOf(t);
    const asked = Promise.withResolvers<ServerResponse>();
    const { origin } = await upstreamServer((_, reply) => asked.resolve(reply));
    const sent = transmit(testPools(), wireTo(origin, { ...streaming, timeouts: { ...none, totalMs: 250 } }));
    const reply = await asked.promise;
    await pass(150);
    reply.flushHeaders();
    const sink = new Collector();
    streamOf(await sent).pipe(sink);
    await pass(100);
    await sink.done;
    assert.equal((sink.error_ as { code?: string } | undefined)?.code, 'request_timeout');
  });

  it('takes a client that does not read for no silence of the provider', async (t) => {
    const { sent, reply, pass } = await halfway(t, { gapMs: 40 }, false);
    const sink = new Collector();
    sink.accepts = () => false;
    const stream = await flowing(sent, sink);
    await pass(150);
    assert.equal(sink.error_, undefined);
    sink.accepts = () => true;
    stream.resume();
    reply.end('last');
    await sink.done;
    assert.deepEqual([sink.text, sink.error_], ['first last', undefined]);
  });

  it('says so when a connection is not accepted in time', async () => {
    // Bytes of a TLS handshake are read by nobody, so it never ends.
    const origin = (await rawServer(() => {})).replace('http:', 'https:');
    await assert.rejects(transmit(testPools(40), wireTo(origin)), { code: 'upstream_connect_timeout', status: 503 });
  });
});

describe('a call whose client leaves', () => {
  it('is not made when the client has left before', async () => {
    const { origin, requests } = await upstreamServer((_, reply) => reply.end());
    const cancellation = new Cancellation();
    cancellation.cancel();
    await assert.rejects(transmit(testPools(), wireTo(origin, { cancellation })), { code: 'client_closed' });
    assert.equal(requests.length, 0);
  });

  it('is broken off while it waits for the reply', async () => {
    const arrived = Promise.withResolvers<ServerResponse>();
    const { origin } = await upstreamServer((_, reply) => arrived.resolve(reply));
    const cancellation = new Cancellation();
    const sent = transmit(testPools(), wireTo(origin, { cancellation }));
    const gone = arrived.promise.then(closed);
    await arrived.promise;
    cancellation.cancel();
    await assert.rejects(sent, { code: 'client_closed' });
    await gone;
  });

  it('is broken off in the middle of a stream', async () => {
    const arrived = Promise.withResolvers<ServerResponse>();
    const { origin } = await upstreamServer((_, reply) => {
      reply.write('x');
      arrived.resolve(reply);
    });
    const cancellation = new Cancellation();
    const sink = new Collector();
    streamOf(await transmit(testPools(), wireTo(origin, { ...streaming, cancellation }))).pipe(sink);
    const gone = closed(await arrived.promise);
    cancellation.cancel();
    await sink.done;
    assert.equal((sink.error_ as { code?: string }).code, 'client_closed');
    await gone;
  });

  it('frees the connection of a stream that is given up', async () => {
    const arrived = Promise.withResolvers<ServerResponse>();
    const { origin } = await upstreamServer((_, reply) => {
      reply.write('x');
      arrived.resolve(reply);
    });
    const stream = streamOf(await transmit(testPools(), wireTo(origin, streaming)));
    const gone = closed(await arrived.promise);
    stream.abort();
    await gone;
  });
});

describe('a streamed reply', () => {
  const parts = ['one ', 'two ', 'three'];
  const inParts = () =>
    upstreamServer(async (_, reply) => {
      for (const part of parts) {
        reply.write(part);
        await new Promise(setImmediate);
      }
      reply.end();
    });

  it('keeps what arrives before anybody pipes it, the end included', async () => {
    const { origin } = await inParts();
    const stream = streamOf(await transmit(testPools(), wireTo(origin, streaming)));
    await stream.until(() => false);
    const sink = new Collector();
    stream.pipe(sink);
    await sink.done;
    assert.deepEqual([sink.text, sink.ends], ['one two three', 1]);
  });

  it('shows its chunks before it is piped, and pipes them all', async () => {
    const { origin } = await inParts();
    const stream = streamOf(await transmit(testPools(), wireTo(origin, streaming)));
    let seen = '';
    await stream.until((chunk) => {
      seen += Buffer.from(chunk).toString();
      return seen.includes('two');
    });
    const sink = new Collector();
    stream.pipe(sink);
    await sink.done;
    assert.equal(sink.text, 'one two three');
    assert.ok(sink.text.startsWith(seen));
  });

  it('delivers an error that came before it was piped, behind what had arrived', async () => {
    const { origin } = await upstreamServer((_, reply) => {
      reply.write('half');
      setImmediate(() => reply.destroy());
    });
    const stream = streamOf(await transmit(testPools(), wireTo(origin, streaming)));
    await assert.rejects(
      stream.until(() => false),
      { code: 'upstream_unreachable' },
    );
    const sink = new Collector();
    stream.pipe(sink);
    assert.deepEqual(
      [sink.text, (sink.error_ as { code?: string } | undefined)?.code, sink.ends],
      ['half', 'upstream_unreachable', 1],
    );
  });

  it('stops the provider while its sink does not take more', async () => {
    const total = 48 * 1024 * 1024;
    const chunk = Buffer.alloc(64 * 1024, 'x');
    let written = 0;
    const blocked = Promise.withResolvers<void>();
    const { origin } = await upstreamServer(async (_, reply) => {
      while (written < total && !reply.destroyed) {
        written += chunk.length;
        if (reply.write(chunk)) continue;
        // A socket that stays full tells that nobody reads.
        const drained = once(reply, 'drain');
        if ((await Promise.race([drained.then(() => 'drained'), delay(200, 'full')])) === 'full') blocked.resolve();
        await drained;
      }
      reply.end();
    });
    const stream = streamOf(await transmit(testPools(), wireTo(origin, streaming)));
    const sink = new Collector();
    sink.accepts = () => false;
    stream.pipe(sink);
    await blocked.promise;
    assert.ok(written < total, 'the provider could not send all of it');
    sink.accepts = () => true;
    stream.resume();
    await sink.done;
    assert.equal(
      sink.chunks.reduce((sum, each) => sum + each.length, 0),
      total,
    );
  });

  it('holds a bounded amount while nobody has piped it yet', async () => {
    const chunk = Buffer.alloc(64 * 1024, 'x');
    let written = 0;
    const blocked = Promise.withResolvers<void>();
    const { origin } = await upstreamServer(async (_, reply) => {
      while (!reply.destroyed && written < 48 * 1024 * 1024) {
        written += chunk.length;
        if (reply.write(chunk)) continue;
        const drained = once(reply, 'drain');
        if ((await Promise.race([drained.then(() => 'drained'), delay(200, 'full')])) === 'full') {
          blocked.resolve();
          return;
        }
        await drained;
      }
    });
    const stream = streamOf(await transmit(testPools(), wireTo(origin, streaming)));
    await blocked.promise;
    stream.abort();
  });
});

describe('a failure on the way', () => {
  const replies: readonly [string, string, string][] = [
    ['something that is not HTTP', 'SSH-2.0-OpenSSH_9.6\r\n\r\n', 'upstream_invalid'],
    ['a broken status line', 'HTTP/1.1 abc OK\r\n\r\n', 'upstream_invalid'],
    ['a length that is no number', 'HTTP/1.1 200 OK\r\ncontent-length: x\r\n\r\n', 'upstream_invalid'],
    ['less than it announced', 'HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc', 'upstream_unreachable'],
    [
      'a chunked body without its end',
      'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n',
      'upstream_unreachable',
    ],
    ['nothing', '', 'upstream_unreachable'],
  ];
  for (const [what, text, code] of replies) {
    it(`is ${code} when the provider sends ${what} and closes`, async () => {
      const origin = await rawServer((socket) => socket.once('data', () => socket.end(text)));
      await assert.rejects(
        transmit(testPools(), wireTo(origin)),
        (error: Error & { code?: string; status?: number }) => {
          assert.deepEqual([error.code, error.status], [code, 502]);
          assert.doesNotMatch(error.message, /127\.0\.0\.1/);
          return true;
        },
      );
    });
  }

  for (const headers of ['content-length: 4\r\ncontent-length: 2', 'content-length: 4\r\ntransfer-encoding: chunked']) {
    it(`says that the length of the body is told twice: ${headers.replace('\r\n', ', ')}`, async () => {
      const origin = await rawServer((socket) =>
        socket.once('data', () => socket.end(`HTTP/1.1 200 OK\r\n${headers}\r\n\r\n2\r\n{}\r\n0\r\n\r\n`)),
      );
      const message = /^some answered with a head that tells the length of its body twice/;
      await assert.rejects(transmit(testPools(), wireTo(origin)), { code: 'upstream_invalid', message });
    });
  }

  it('says that the connection was refused', async () => {
    const { origin, server } = await upstreamServer(() => {});
    server.close();
    await assert.rejects(transmit(testPools(), wireTo(origin)), {
      code: 'upstream_unreachable',
      message: 'Could not reach some: the connection was refused.',
    });
  });

  it('names the field when the guard refuses the host', async () => {
    await assert.rejects(transmit(testPools(), wireTo('http://10.0.0.1:80')), { code: 'url_blocked' });
  });

  const unsendable: readonly [string, Record<string, string>][] = [
    ['a line break in a header', { authorization: 'Bearer x\r\nx-forged: 1' }],
    ['a header value that is no Latin text', { authorization: 'Bearer \u0113' }],
    ['a header name with a space', { 'x bad': '1' }],
  ];
  for (const [what, headers] of unsendable) {
    it(`is the caller's fault for ${what}, which never reaches the provider`, async () => {
      const { origin, requests } = await upstreamServer((_, reply) => reply.end());
      await assert.rejects(transmit(testPools(), wireTo(origin, { headers })), (error: Error & { code?: string }) => {
        assert.equal(error.code, 'bad_request');
        assert.doesNotMatch(error.message, /Bearer/);
        return true;
      });
      assert.equal(requests.length, 0);
    });
  }
});
