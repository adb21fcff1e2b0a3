import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { toFile } from 'openai';
import type { JsonObject } from 'portcullis/sdk';
import { openSpools } from '../core/uploads/spool-server.ts';
import { type ConfigFragment, saved, startGateway } from '../support/gateway.ts';
import { type Peer, type PeerRequest, startPeer } from '../support/peer.ts';
import { noUnhandledRejections } from '../support/rejections.ts';

noUnhandledRejections();

/** Beyond what is kept in memory. */
const largeFile = randomBytes(3_000_000);
const smallFile = Buffer.from('{"custom_id":"1"}\n\r\n--b\r\n--b--\r\n');
const sizes = [
  ['in memory', smallFile],
  ['on disk', largeFile],
] as const;

const fileReply = { id: 'file-1', object: 'file', bytes: 1, created_at: 1, filename: 'a', purpose: 'batch' };

interface Part {
  readonly value: string | Buffer;
  readonly filename?: string;
  readonly type?: string;
}

/** The form that came to the peer, read by the platform. */
async function formOf({ bytes, headers }: PeerRequest): Promise<Readonly<Record<string, readonly Part[]>>> {
  const response = new Response(Buffer.from(bytes), { headers: { 'content-type': headers['content-type'] ?? '' } });
  const parts: Record<string, Part[]> = {};
  for (const [name, value] of (await response.formData()).entries()) {
    const part =
      typeof value === 'string'
        ? { value }
        : { value: Buffer.from(await value.bytes()), filename: value.name, type: value.type };
    parts[name] = [...(parts[name] ?? []), part];
  }
  return parts;
}

async function world(
  t: TestContext,
  config?: (peers: readonly Peer[]) => JsonObject,
  server?: ConfigFragment['server'],
) {
  const peers = [await startPeer(t), await startPeer(t)];
  const [first, second] = peers.map((peer) => saved('openai', `${peer.origin}/v1`));
  assert.ok(first !== undefined && second !== undefined && peers[0] !== undefined && peers[1] !== undefined);
  const gateway = await startGateway(t, {
    providers: { first, second },
    configs: { main: config?.(peers) ?? { provider: '@first' } },
    defaultConfig: 'main',
    ...(server === undefined ? {} : { server }),
  });
  return { gateway, peer: peers[0], other: peers[1] };
}

/** A form as some client writes it: not as the gateway would. */
function rawForm(file: Buffer, fields: readonly string[] = ['model', '@first/whisper-1']) {
  const field = `--b o=u\r\nContent-Disposition: form-data; name=${fields[0]}\r\n\r\n${fields[1]}\r\n`;
  const head = '--b o=u\r\nX-Mine: 1\r\nContent-Disposition: form-data; name="file"; filename="a.wav"\r\n\r\n';
  return {
    body: Buffer.concat([Buffer.from(`preamble\r\n${field}${head}`), file, Buffer.from('\r\n--b o=u--\r\nepilogue')]),
    headers: { 'content-type': 'multipart/form-data; boundary="b o=u"' },
  };
}

describe('files of a client', () => {
  for (const [where, content] of sizes) {
    it(`are uploaded by the SDK, ${where}`, async (t) => {
      const { gateway, peer } = await world(t);
      peer.always({ body: fileReply });
      const created = await gateway
        .openai()
        .files.create({ file: await toFile(content, 'lines.jsonl', { type: 'application/jsonl' }), purpose: 'batch' });
      assert.equal(created.id, 'file-1');
      const request = await peer.request(0);
      assert.equal(request.url, '/v1/files');
      assert.equal(Number(request.headers['content-length']), request.bytes.length);
      const form = await formOf(request);
      assert.deepEqual(form.purpose, [{ value: 'batch' }]);
      assert.deepEqual(form.file, [{ value: content, filename: 'lines.jsonl', type: 'application/jsonl' }]);
    });

    it(`arrive byte for byte with their boundary where nothing changes, ${where}`, async (t) => {
      const { gateway, peer } = await world(t);
      peer.always({ body: fileReply });
      const { body, headers } = rawForm(content, ['purpose', 'batch']);
      const reply = await gateway.request('POST', '/v1/files', { body, headers });
      assert.equal(reply.status, 200, reply.text);
      const request = await peer.request(0);
      assert.ok(request.bytes.equals(body));
      assert.equal(request.headers['content-type'], headers['content-type']);
    });

    it(`stay what they are where a field becomes another, ${where}`, async (t) => {
      const { gateway, peer } = await world(t);
      peer.always({ body: { text: 'Hi' } });
      const { body, headers } = rawForm(content);
      const reply = await gateway.request('POST', '/v1/audio/transcriptions', { body, headers });
      assert.equal(reply.status, 200, reply.text);
      const request = await peer.request(0);
      assert.notEqual(request.headers['content-type'], headers['content-type']);
      assert.deepEqual(await formOf(request), {
        model: [{ value: 'whisper-1' }],
        file: [{ value: content, filename: 'a.wav', type: 'application/octet-stream' }],
      });
    });

    it(`go to the next target when the first fails, ${where}`, async (t) => {
      const { gateway, peer, other } = await world(t, () => ({
        strategy: { mode: 'fallback' },
        targets: [
          { provider: '@first', retry: { attempts: 1 } },
          { provider: '@second', override_params: { model: 'other-1' } },
        ],
      }));
      peer.always({ status: 500, body: { error: { message: 'no' } } });
      other.always({ body: { text: 'Hi' } });
      const { body, headers } = rawForm(content, ['model', 'whisper-1']);
      const reply = await gateway.request('POST', '/v1/audio/transcriptions', { body, headers });
      assert.equal(reply.status, 200, reply.text);
      assert.equal(peer.requests.length, 2);
      for (const request of peer.requests) assert.ok(request.bytes.equals(body));
      const form = await formOf(await other.request(0));
      assert.deepEqual(form.model, [{ value: 'other-1' }]);
      assert.deepEqual(form.file?.[0]?.value, content);
    });
  }

  it('are uploaded by the SDK as a stream', async (t) => {
    const { gateway, peer } = await world(t);
    peer.always({ body: fileReply });
    const pieces = Array.from({ length: 30 }, () => randomBytes(100_000));
    const stream = new Response(ReadableStream.from(pieces));
    await gateway.openai().files.create({ file: await toFile(stream, 'a.bin'), purpose: 'user_data' });
    const form = await formOf(await peer.request(0));
    assert.deepEqual(form.file?.[0]?.value, Buffer.concat(pieces));
  });

  it('are transcribed for the SDK', async (t) => {
    const { gateway, peer } = await world(t);
    peer.always({ body: { text: 'Hi' } });
    const { text } = await gateway.openai().audio.transcriptions.create({
      model: '@first/whisper-1',
      file: await toFile(largeFile, 'a.wav', { type: 'audio/wav' }),
      timestamp_granularities: ['word', 'segment'],
      response_format: 'verbose_json',
      temperature: 0.5,
    });
    assert.equal(text, 'Hi');
    assert.deepEqual(await formOf(await peer.request(0)), {
      model: [{ value: 'whisper-1' }],
      file: [{ value: largeFile, filename: 'a.wav', type: 'audio/wav' }],
      'timestamp_granularities[]': [{ value: 'word' }, { value: 'segment' }],
      response_format: [{ value: 'verbose_json' }],
      temperature: [{ value: '0.5' }],
    });
  });

  it('are two pictures that the SDK edits, with parameters of the config', async (t) => {
    const { gateway, peer } = await world(t, () => ({
      provider: '@first',
      override_params: { n: 2, user: 'config', partial_images: null },
    }));
    peer.always({ body: { created: 1, data: [{ b64_json: 'AA==' }] } });
    const edited = await gateway.openai().images.edit({
      model: 'gpt-image-1',
      image: [
        await toFile(largeFile, 'one.png', { type: 'image/png' }),
        await toFile(smallFile, 'two.png', { type: 'image/png' }),
      ],
      prompt: 'naïve ✓',
      n: 1,
    });
    assert.equal(edited.data?.[0]?.b64_json, 'AA==');
    assert.deepEqual(await formOf(await peer.request(0)), {
      model: [{ value: 'gpt-image-1' }],
      'image[]': [
        { value: largeFile, filename: 'one.png', type: 'image/png' },
        { value: smallFile, filename: 'two.png', type: 'image/png' },
      ],
      prompt: [{ value: 'naïve ✓' }],
      n: [{ value: '2' }],
      user: [{ value: 'config' }],
    });
  });

  it('come back byte for byte', async (t) => {
    const { gateway, peer } = await world(t);
    peer.always({ body: largeFile, headers: { 'content-type': 'application/x-some' } });
    const content = await gateway.openai().files.content('file-1');
    assert.equal(content.headers.get('content-type'), 'application/x-some');
    assert.ok(Buffer.from(await content.arrayBuffer()).equals(largeFile));
    assert.equal((await peer.request(0)).url, '/v1/files/file-1/content');
  });

  it('leave nothing open, whatever became of them', async (t) => {
    const { gateway, peer } = await world(t);
    const before = await openSpools();
    const { body, headers } = rawForm(largeFile);
    for (const status of [200, 400, 500]) {
      peer.next({ status, body: { text: 'Hi', error: { message: 'no' } } });
      await gateway.request('POST', '/v1/audio/transcriptions', { body, headers });
    }
    await gateway.request('POST', '/v1/audio/transcriptions', { body: body.subarray(0, -20), headers });
    await gateway.request('POST', '/v1/proxy/anything', { body: largeFile, headers: { 'content-type': 'a/b' } });
    for (let waited = 0; (await openSpools()) > before && waited < 2000; waited += 20) await pause(20);
    assert.equal(await openSpools(), before);
  });
});

describe('an upload that is not whole', () => {
  const { body, headers } = rawForm(largeFile, ['model', 'whisper-1']);
  const path = '/v1/audio/transcriptions';

  async function nextWorks({ gateway, peer }: Awaited<ReturnType<typeof world>>): Promise<void> {
    assert.equal(peer.requests.length, 0);
    peer.always({ body: { text: 'Hi' } });
    const reply = await gateway.request('POST', path, { body, headers });
    assert.deepEqual([reply.status, reply.json, peer.requests.length], [200, { text: 'Hi' }, 1]);
  }

  const cuts: readonly (readonly [what: string, cut: Buffer, says: RegExp])[] = [
    ['of its last boundary', body.subarray(0, body.length - 20), /truncated/],
    ['within a file', body.subarray(0, 2_000_000), /truncated/],
    ['within a header', body.subarray(0, 40), /truncated/],
    ['of everything', Buffer.alloc(0), /truncated/],
  ];
  for (const [what, cut, says] of cuts) {
    it(`is answered 400 where it is short ${what}, and goes nowhere`, async (t) => {
      const all = await world(t);
      const reply = await all.gateway.request('POST', path, { body: cut, headers });
      assert.equal(reply.status, 400, reply.text);
      assert.match(reply.text, says);
      await nextWorks(all);
    });
  }

  const head = (bytes: number) =>
    `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: ${headers['content-type']}\r\ncontent-length: ${bytes}\r\n\r\n`;

  it('is answered 400 where the client stops sending and waits', async (t) => {
    const all = await world(t);
    const { port } = new URL(all.gateway.url);
    const socket = connect({ port: Number(port), host: '127.0.0.1', allowHalfOpen: true });
    socket.write(head(body.length));
    socket.end(body.subarray(0, 2_000_000));
    let answer = '';
    for await (const piece of socket) answer += String(piece);
    assert.match(answer, /^HTTP\/1\.1 400 /);
    await nextWorks(all);
  });

  it('goes nowhere when the client leaves in the middle', async (t) => {
    const all = await world(t);
    const before = await openSpools();
    const { port } = new URL(all.gateway.url);
    const socket = connect(Number(port), '127.0.0.1').on('error', () => {});
    socket.write(head(body.length));
    await new Promise<void>((resolve) => socket.write(body.subarray(0, 2_000_000), () => resolve()));
    await pause(50);
    socket.resetAndDestroy();
    await nextWorks(all);
    for (let waited = 0; (await openSpools()) > before && waited < 2000; waited += 20) await pause(20);
    assert.equal(await openSpools(), before);
  });
});

describe('an upload that is refused', () => {
  it('is larger than the operator allows', async (t) => {
    const { gateway, peer } = await world(t, undefined, { maxUploadBytes: 2_000_000 });
    const { body, headers } = rawForm(largeFile);
    const reply = await gateway.request('POST', '/v1/audio/transcriptions', { body, headers });
    assert.equal(reply.status, 413, reply.text);
    assert.equal(peer.requests.length, 0);
  });

  const refusals: readonly (readonly [what: string, body: string, type: string, status: number, says: RegExp])[] = [
    ['has no boundary', 'x', 'multipart/form-data', 400, /boundary/],
    ['is JSON', '{}', 'application/json', 415, /multipart/],
    [
      'has no file',
      '--b\r\ncontent-disposition: form-data; name="model"\r\n\r\nm\r\n--b--',
      'multipart/form-data; boundary=b',
      400,
      /file/,
    ],
    [
      'has parts without names',
      '--b\r\ncontent-disposition: form-data; filename="a"\r\n\r\nm\r\n--b--',
      'multipart/form-data; boundary=b',
      400,
      /no name/,
    ],
  ];
  for (const [what, body, type, status, says] of refusals) {
    it(`${what}: ${status}`, async (t) => {
      const { gateway, peer } = await world(t);
      const reply = await gateway.request('POST', '/v1/audio/transcriptions', {
        body,
        headers: { 'content-type': type },
      });
      assert.equal(reply.status, status, reply.text);
      assert.match(reply.text, says);
      assert.equal(peer.requests.length, 0);
    });
  }
});
