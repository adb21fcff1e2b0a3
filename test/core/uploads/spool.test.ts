import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { after, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { contentOf, gathered, openSpools, type SpoolServer, startSpoolServer } from './spool-server.ts';

const closing: (() => unknown)[] = [];
let server: SpoolServer;
before(async () => {
  server = await startSpoolServer({ after: (close) => closing.push(close as () => unknown) });
});
after(() => {
  for (const close of closing) close();
});

const mebibyte = 1_048_576;

describe('a spooled body', () => {
  const sizes = [0, 1, 65_535, 65_536, 65_537, mebibyte - 1, mebibyte, mebibyte + 1, 3_333_333];
  for (const size of sizes) {
    it(`of ${size} bytes is what was sent, ${size > mebibyte ? 'on disk' : 'in memory'}`, async () => {
      const sent = randomBytes(size);
      const spooled = await server.spooled(sent);
      try {
        assert.equal(spooled.size, size);
        assert.ok((await contentOf(spooled)).equals(sent));
        assert.equal(spooled.bytes === undefined, size > mebibyte);
        if (spooled.bytes !== undefined) assert.ok(sent.equals(spooled.bytes));
      } finally {
        await spooled.release();
      }
    });
  }

  it('goes to disk from the size that is asked for', async () => {
    const [small, large] = [await server.spooled(Buffer.alloc(10), { memoryBytes: 10 }), undefined];
    assert.equal(small.bytes?.length, 10);
    const spilled = await server.spooled(Buffer.alloc(11), { memoryBytes: 10 });
    assert.equal(spilled.bytes, large);
    await spilled.release();
  });

  it('comes without a length too', async () => {
    const piece = randomBytes(100_000);
    const stream = ReadableStream.from(Array.from({ length: 30 }, () => piece));
    const spooled = await server.spooled(stream);
    assert.equal(spooled.size, 3_000_000);
    assert.ok((await contentOf(spooled)).equals(Buffer.concat(Array.from({ length: 30 }, () => piece))));
    await spooled.release();
  });

  for (const [where, memoryBytes] of [
    ['memory', mebibyte],
    ['disk', 0],
  ] as const) {
    it(`can be read from ${where} several times at once, at different speeds`, async () => {
      const sent = randomBytes(500_000);
      const spooled = await server.spooled(sent, { memoryBytes });
      const readers = [0, 1, 2, 3].map(async (delay) => {
        const pieces: Uint8Array[] = [];
        for await (const piece of spooled.open()) {
          pieces.push(piece);
          await pause(delay);
        }
        return Buffer.concat(pieces);
      });
      for (const read of await Promise.all(readers)) assert.ok(read.equals(sent));
      await spooled.release();
    });

    it(`can be left in the middle, from ${where}, and read again`, async () => {
      const sent = randomBytes(500_000);
      const spooled = await server.spooled(sent, { memoryBytes });
      for await (const _ of spooled.open()) break;
      assert.ok((await contentOf(spooled)).equals(sent));
      await spooled.release();
    });

    it(`cannot be read from ${where} once it is released, which may be said twice`, async () => {
      const spooled = await server.spooled(randomBytes(500_000), { memoryBytes });
      await Promise.all([spooled.release(), spooled.release()]);
      await spooled.release();
      await assert.rejects(contentOf(spooled), /released/);
      assert.equal(spooled.bytes, undefined);
    });
  }

  it('ends with an error for whoever reads it while it is released', async () => {
    const spooled = await server.spooled(randomBytes(500_000), { memoryBytes: 0 });
    const reading = spooled.open()[Symbol.asyncIterator]();
    await reading.next();
    const pending = reading.next();
    await spooled.release();
    await pending.catch(() => {});
    await assert.rejects(async () => {
      while ((await reading.next()).done !== true);
      throw new Error('it ended as if it were whole');
    }, /released/);
  });
});

describe('the file of a spooled body', () => {
  const named = async () =>
    (await readdir(tmpdir())).filter((name) => name.startsWith('portcullis-') && name.length === 47);

  it('has no name, and one descriptor until it is released', async () => {
    const before = await openSpools();
    const spooled = await server.spooled(Buffer.alloc(2 * mebibyte));
    assert.equal(await openSpools(), before + 1);
    assert.deepEqual(await named(), []);
    await Promise.all([contentOf(spooled), contentOf(spooled)]);
    assert.equal(await openSpools(), before + 1);
    await spooled.release();
    assert.equal(await openSpools(), before);
  });

  it('is not made for what fits into memory', async () => {
    const before = await openSpools();
    await server.spooled(Buffer.alloc(mebibyte));
    assert.equal(await openSpools(), before);
  });
});

describe('a body that is refused', () => {
  it('is too long by its length: nothing of it is read', async () => {
    await assert.rejects(server.spooled(Buffer.alloc(1000), { maxBytes: 999 }), {
      code: 'payload_too_large',
      status: 413,
      headers: { connection: 'close' },
    });
  });

  it('is not too long at the bound', async () => {
    const spooled = await server.spooled(Buffer.alloc(1000), { maxBytes: 1000 });
    assert.equal(spooled.size, 1000);
  });

  it('turns out to be too long while it comes, and leaves no file', async () => {
    const before = await openSpools();
    const stream = ReadableStream.from(Array.from({ length: 50 }, () => Buffer.alloc(100_000)));
    await assert.rejects(server.spooled(stream, { maxBytes: 3_000_000 }), { code: 'payload_too_large' });
    assert.equal(await openSpools(), before);
  });

  it('gets its refusal although more of it is on its way', async () => {
    const socket = connect(server.port, '127.0.0.1');
    const failed = assert.rejects(server.next({ maxBytes: 3_000_000 }), { code: 'payload_too_large' });
    socket.write(`POST / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n`);
    const chunk = `10000\r\n${'x'.repeat(65_536)}\r\n`;
    for (let sent = 0; sent <= 3_000_000; sent += 65_536) socket.write(chunk);
    const answer = await gathered(socket);
    await failed;
    assert.match(String(answer), /^HTTP\/1\.1 413 /);
  });

  for (const encoding of ['gzip', 'br', 'gzip, identity']) {
    it(`is encoded: ${encoding}`, async () => {
      const failed = assert.rejects(server.next(), { code: 'unsupported_media_type', param: 'content-encoding' });
      await fetch(`http://127.0.0.1:${server.port}`, {
        method: 'POST',
        headers: { 'content-encoding': encoding },
        body: 'a',
      });
      await failed;
    });
  }

  it('is not refused for being said to be itself', async () => {
    const spooled = server.next();
    await fetch(`http://127.0.0.1:${server.port}`, {
      method: 'POST',
      headers: { 'content-encoding': 'identity' },
      body: 'a',
    });
    assert.equal((await spooled).size, 1);
  });
});

describe('a body that does not come whole', () => {
  const head = 'POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 5000000\r\n\r\n';
  const places: readonly (readonly [what: string, bytes: number])[] = [
    ['before its first byte', 0],
    ['in memory', 1000],
    ['on disk', 2_000_000],
    ['before its last byte', 4_999_999],
  ];
  for (const [what, bytes] of places) {
    it(`because the client leaves ${what}: nothing is left of it`, async () => {
      const before = await openSpools();
      const socket = connect(server.port, '127.0.0.1');
      const failed = assert.rejects(server.next(), { code: 'client_closed' });
      socket.on('error', () => {}).write(head);
      await new Promise<void>((resolve) => socket.write(Buffer.alloc(bytes), () => resolve()));
      await pause(20);
      socket.resetAndDestroy();
      await failed;
      assert.equal(await openSpools(), before);
    });

    it(`because the client stops sending ${what}, and waits: it is answered 400`, async () => {
      const before = await openSpools();
      const socket = connect({ port: server.port, host: '127.0.0.1', allowHalfOpen: true });
      const failed = assert.rejects(server.next(), { code: 'client_closed' });
      socket.write(head);
      socket.end(Buffer.alloc(bytes));
      const answer = await gathered(socket);
      assert.match(String(answer), /^HTTP\/1\.1 400 /);
      await failed;
      assert.equal(await openSpools(), before);
    });
  }

  it('because its chunks are malformed', async () => {
    const socket = connect(server.port, '127.0.0.1');
    const failed = assert.rejects(server.next(), { code: 'bad_request', message: /truncated/ });
    socket.write('POST / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n5\r\nabcde\r\nzz\r\n');
    const answer = await gathered(socket);
    await failed;
    assert.match(String(answer), /^HTTP\/1\.1 400 /);
  });
});
