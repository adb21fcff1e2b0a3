import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdirSync, readlinkSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { describe, it } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { diskFault } from '../../core/uploads/disk-bytes.ts';
import { room } from '../../core/uploads/room.ts';
import { openSpools } from '../core/uploads/spool-server.ts';
import { type ConfigFragment, saved, startGateway } from '../support/gateway.ts';
import { startPeer } from '../support/peer.ts';
import { noUnhandledRejections } from '../support/rejections.ts';

noUnhandledRejections();

const mebibyte = 1024 * 1024;
const reply = { id: 'file-1', object: 'file', bytes: 1, created_at: 1, filename: 'a', purpose: 'batch' };

async function world(t: Parameters<typeof startPeer>[0], fragment: ConfigFragment = {}) {
  const peer = await startPeer(t);
  peer.always({ body: reply });
  const gateway = await startGateway(t, {
    providers: { first: saved('openai', `${peer.origin}/v1`) },
    configs: { main: { provider: '@first' } },
    defaultConfig: 'main',
    ...fragment,
  });
  const port = Number(new URL(gateway.url).port);
  return { gateway, peer, port };
}

function form(size: number, extra = ''): Buffer {
  const head = `--b\r\ncontent-disposition: form-data; name="purpose"\r\n\r\nbatch\r\n${extra}--b\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), Buffer.alloc(size, 'x'), Buffer.from('\r\n--b--\r\n')]);
}

const formType = { 'content-type': 'multipart/form-data; boundary=b' };

const headOf = (length: number, more = '') =>
  `POST /v1/files HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: multipart/form-data; boundary=b\r\ncontent-length: ${length}\r\n${more}\r\n`;

/** An upload that begins and does not end. */
async function begun(port: number, bytes: Buffer, declared = bytes.length + 1, more = ''): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  await new Promise((done) => socket.once('connect', done));
  socket.write(headOf(declared, more));
  await new Promise((done) => socket.write(bytes, done));
  return socket;
}

async function until(holds: () => boolean, what: string): Promise<void> {
  for (let turn = 0; turn < 1000; turn += 1) {
    if (holds()) return;
    await wait(10);
  }
  assert.fail(what);
}

const descriptors = () =>
  readdirSync('/proc/self/fd').filter((name) => {
    try {
      return readlinkSync(`/proc/self/fd/${name}`).includes('portcullis-');
    } catch {
      return false;
    }
  }).length;

describe('the room for uploads', () => {
  const server = { maxUploadBytes: 2 * mebibyte };

  it('is refused beyond its bound, and is there again afterwards', async (t) => {
    const { gateway, port } = await world(t, { server });
    const body = form(mebibyte * 1.9);
    const half = body.subarray(0, mebibyte * 1.8);
    const sockets = await Promise.all(Array.from({ length: 4 }, () => begun(port, half, body.length)));
    await until(() => room.used >= half.length * 4, 'The bytes have not come.');
    const refused = await gateway.request('POST', '/v1/files', { body, headers: formType });
    assert.equal(refused.status, 503, refused.text);
    assert.equal(refused.headers.get('retry-after'), '5');
    assert.match(refused.text, /try again later/);
    for (const socket of sockets) socket.destroy();
    await until(() => room.used === 0, 'The room was not given back.');
    const taken = await gateway.request('POST', '/v1/files', { body, headers: formType });
    assert.equal(taken.status, 200, taken.text);
    await until(() => room.used === 0, 'The room was not given back.');
  });

  it('of which one caller gets no more than half leaves the rest to others', async (t) => {
    const key = (name: string) => ({ name, sha256: createHash('sha256').update(name).digest('hex') });
    const { gateway, port } = await world(t, { server, keys: [key('one'), key('two')] });
    const body = form(mebibyte * 1.9);
    const half = body.subarray(0, mebibyte * 1.8);
    const sockets = await Promise.all(
      Array.from({ length: 4 }, () => begun(port, half, body.length, 'x-gw-api-key: one\r\n')),
    );
    await until(() => room.used >= half.length * 4, 'The bytes have not come.');
    const send = (name: string) =>
      gateway.request('POST', '/v1/files', { body, headers: { ...formType, 'x-gw-api-key': name } });
    assert.equal((await send('one')).status, 503);
    assert.equal((await send('two')).status, 200);
    for (const socket of sockets) socket.destroy();
    await until(() => room.used === 0, 'The room was not given back.');
  });

  it('is not for callers whom nobody knows, whatever they send', async (t) => {
    const keys = [{ name: 'k', sha256: createHash('sha256').update('k').digest('hex') }];
    const { port } = await world(t, { keys });
    const socket = await begun(port, form(3 * mebibyte));
    const answer = await new Promise<string>((done) => socket.once('data', (data) => done(String(data))));
    assert.match(answer, /^HTTP\/1\.1 401 /);
    assert.deepEqual([room.used, await openSpools()], [0, 0]);
    socket.destroy();
  });

  it('is given back by a client that falls silent', async (t) => {
    const { port } = await world(t, { server: { timeouts: { gapMs: 1500 } } });
    const socket = await begun(port, form(2 * mebibyte).subarray(0, mebibyte * 1.5));
    const came = until(() => room.used > 0, 'The bytes have not come.');
    if (!socket.closed) await new Promise((done) => socket.once('close', done));
    await came;
    await until(() => room.used === 0 && descriptors() === 0, 'The silent client holds what it has sent.');
  });

  it('says so when the disk is full, and lets other faults be', () => {
    const full = diskFault(Object.assign(new Error('write'), { code: 'ENOSPC' })) as {
      status: number;
      message: string;
    };
    assert.equal(full.status, 507);
    assert.doesNotMatch(full.message, /ENOSPC/);
    const other = Object.assign(new Error('write'), { code: 'EIO' });
    assert.equal(diskFault(other), other);
  });
});

describe('many uploads of every kind', () => {
  it('leave no file, no room and no connection behind', { timeout: 60_000 }, async (t) => {
    const { gateway, peer, port } = await world(t, { server: { maxUploadBytes: 3 * mebibyte } });
    const large = form(1.2 * mebibyte);
    const request = (body: Buffer, headers = formType) =>
      gateway.request('POST', '/v1/files', { body, headers }).then(({ status }) => status);
    const gone = async (bytes: Buffer) => {
      const socket = await begun(port, bytes, large.length);
      await wait(2);
      socket.destroy();
      return 0;
    };
    const kinds: readonly (readonly [() => Promise<number>, number])[] = [
      [() => request(form(10)), 200],
      [() => request(large), 200],
      [() => request(large.subarray(0, large.length - 4)), 400],
      [() => request(form(10), { 'content-type': 'multipart/form-data' }), 400],
      [() => request(form(3 * mebibyte)), 413],
      [() => gone(large.subarray(0, 100)), 0],
      [() => gone(large.subarray(0, large.length - 1)), 0],
      [() => gone(large), 0],
      [() => request(form(5), { ...formType, 'x-gw-config': '{"provider":"nobody"}' } as typeof formType), 400],
      [() => request(Buffer.from('--b--\r\n')), 400],
    ];
    for (let round = 0; round < 100; round += 1) {
      // 413 may reach a client that still sends as a reset.
      const statuses = await Promise.all(kinds.map(([send]) => send().catch(() => 413)));
      assert.deepEqual(
        statuses,
        kinds.map(([, status]) => status),
        `round ${round}`,
      );
    }
    await until(() => room.used === 0 && descriptors() === 0, 'Something is held.');
    assert.ok(peer.requests.length >= 200);
    assert.ok((await peer.sockets()) < 50);
  });
});

describe('odd fields of a form', () => {
  const field = (name: string, value: string) =>
    `--b\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
  for (const name of ['__proto__', 'constructor', 'prototype', '__proto__[model]', 'a[b][c]', 'toString']) {
    it(`named ${name} are fields like any other`, async (t) => {
      const { gateway, peer } = await world(t);
      const answered = await gateway.request('POST', '/v1/files', {
        body: form(5, field(name, 'polluted')),
        headers: formType,
      });
      assert.equal(answered.status, 200, answered.text);
      assert.ok(peer.requests[0]?.bytes.includes(`name="${name}"`));
      assert.equal(({} as Record<string, unknown>).polluted, undefined);
      assert.equal(({} as Record<string, unknown>).model, undefined);
    });
  }

  it('that name the model twice do not choose between two providers', async (t) => {
    const { gateway, peer } = await world(t);
    const twice = field('model', '@first/a') + field('model', '@second/b');
    const answered = await gateway.request('POST', '/v1/audio/transcriptions', {
      body: form(5, twice),
      headers: formType,
    });
    assert.equal(answered.status, 400, answered.text);
    assert.equal(peer.requests.length, 0);
  });
});
