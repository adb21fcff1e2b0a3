import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { describe, it } from 'node:test';
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { startGateway } from '../support/gateway.ts';
import { servedOnly } from '../support/pairings.ts';
import { startPeer } from '../support/peer.ts';
import { noUnhandledRejections } from '../support/rejections.ts';

noUnhandledRejections();

const toPeer = { provider: 'openai', wire: 'chat' } as const;
const everyByte = Buffer.from(Array.from({ length: 1024 }, (_, index) => index % 256));

describe('the proxy route', () => {
  for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) {
    it(`passes ${method} with path and query as they are`, async (t) => {
      const peer = await startPeer(t);
      peer.always({ status: 202, body: { done: true } });
      const gateway = await startGateway(t, servedOnly(toPeer, peer));
      const path = '/v1/proxy/threads/thread_1/messages?limit=2&after=a%20b&x=%2F';
      const reply = await gateway.request(
        method,
        path,
        method === 'GET' ? {} : { body: '{"a": 1}', headers: { 'content-type': 'application/json' } },
      );
      assert.equal(reply.status, 202, reply.text);
      assert.deepEqual(reply.json, { done: true });
      const request = peer.requests[0] ?? assert.fail('nothing arrived');
      assert.equal(request.method, method);
      assert.equal(request.url, '/v1/threads/thread_1/messages?limit=2&after=a%20b&x=%2F');
      assert.equal(request.bytes.toString(), method === 'GET' ? '' : '{"a": 1}');
      assert.equal(request.headers.authorization, 'Bearer operator-key');
    });
  }

  it('keeps an encoded path encoded', async (t) => {
    const peer = await startPeer(t);
    peer.always({ body: {} });
    const gateway = await startGateway(t, servedOnly(toPeer, peer));
    await gateway.request('GET', '/v1/proxy/files/a%2Fb%20c');
    assert.equal(peer.requests[0]?.url, '/v1/files/a%2Fb%20c');
  });

  it('leaves binary bodies untouched in both directions', async (t) => {
    const peer = await startPeer(t);
    peer.always({ body: everyByte, headers: { 'content-type': 'audio/mpeg' } });
    const gateway = await startGateway(t, servedOnly(toPeer, peer));
    const response = await fetch(`${gateway.url}/v1/proxy/audio/speech`, {
      method: 'POST',
      body: everyByte,
      headers: { 'content-type': 'application/octet-stream' },
    });
    assert.equal(response.headers.get('content-type'), 'audio/mpeg');
    assert.ok(Buffer.from(await response.arrayBuffer()).equals(everyByte));
    assert.ok(peer.requests[0]?.bytes.equals(everyByte));
    assert.equal(peer.requests[0]?.headers['content-type'], 'application/octet-stream');
  });

  it('masks the key of the operator in an error that repeats it, compressed or not, and leaves all others', async (t) => {
    const peer = await startPeer(t);
    const gateway = await startGateway(t, servedOnly(toPeer, peer));
    const refusal = Buffer.from('{"error": {"message": "Incorrect API key provided: operator-key. \u00e9"}}');
    const replies = [
      { bytes: refusal, encoding: undefined },
      { bytes: gzipSync(refusal), encoding: 'gzip' },
      { bytes: brotliCompressSync(refusal), encoding: 'br' },
    ];
    for (const { bytes, encoding } of replies) {
      const headers = {
        'content-type': 'application/json',
        ...(encoding === undefined ? {} : { 'content-encoding': encoding }),
      };
      peer.always({ status: 401, body: bytes, headers });
      const response = await fetch(`${gateway.url}/v1/proxy/files`);
      assert.equal(response.status, 401);
      assert.equal(await response.text(), refusal.toString().replace('operator-key', '****'));
    }
    const other = gzipSync('{"error": {"message": "No such file"}}');
    peer.always({
      status: 404,
      body: other,
      headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
    });
    const response = await fetch(`${gateway.url}/v1/proxy/files/x`);
    assert.equal(response.headers.get('content-encoding'), 'gzip');
    assert.equal(await response.text(), '{"error": {"message": "No such file"}}');
  });

  it("masks the operator's key in an error that is cut off, in one that is no JSON, and in the place of a redirect", async (t) => {
    const peer = await startPeer(t);
    const gateway = await startGateway(t, servedOnly(toPeer, peer));
    const refusal = `Incorrect API key provided: operator-key. ${'See the documentation. '.repeat(20)}`;
    for (const [encoding, bytes] of [
      ['gzip', gzipSync(refusal)],
      ['br', brotliCompressSync(refusal)],
      ['zstd', zstdCompressSync(refusal)],
      ['deflate', deflateSync(refusal)],
    ] as const) {
      const headers = { 'content-type': 'application/json', 'content-encoding': encoding };
      peer.always({ status: 401, body: bytes.subarray(0, -1), headers });
      const response = await fetch(`${gateway.url}/v1/proxy/files`);
      assert.doesNotMatch(await response.text().catch(() => ''), /operator-key/, encoding);
    }
    peer.always({ status: 401, body: refusal, headers: { 'content-type': 'text/plain' } });
    const plain = await gateway.request('GET', '/v1/proxy/files');
    assert.equal(plain.text, refusal.replace('operator-key', '****'));
    peer.always({ status: 302, body: '', headers: { location: 'https://files.example/1?key=operator-key' } });
    const redirected = await gateway.request('GET', '/v1/proxy/files/1');
    assert.deepEqual(
      [redirected.status, redirected.headers.get('location')],
      [302, 'https://files.example/1?key=****'],
    );
  });

  it('passes a multipart upload as it is', async (t) => {
    const peer = await startPeer(t);
    peer.always({ body: { id: 'file-1' } });
    const gateway = await startGateway(t, servedOnly(toPeer, peer));
    const form = new FormData();
    form.set('file', new Blob([everyByte]), 'data.jsonl');
    form.set('purpose', 'batch');
    const response = await fetch(`${gateway.url}/v1/proxy/files`, { method: 'POST', body: form });
    assert.equal(response.status, 200);
    assert.match(peer.requests[0]?.headers['content-type'] ?? '', /^multipart\/form-data; boundary=/);
    assert.ok(peer.requests[0]?.bytes.includes(everyByte));
  });

  it('passes a compressed reply with its encoding', async (t) => {
    const peer = await startPeer(t);
    peer.always({ body: gzipSync('{"packed":true}'), headers: { 'content-encoding': 'gzip' } });
    const gateway = await startGateway(t, servedOnly(toPeer, peer));
    const reply = await gateway.request('GET', '/v1/proxy/files');
    assert.deepEqual(reply.json, { packed: true });
    assert.equal(reply.headers.get('content-encoding'), 'gzip');
  });

  it('passes statuses and redirects without following them', async (t) => {
    const [peer, elsewhere] = [await startPeer(t), await startPeer(t)];
    peer.next(
      { status: 418, body: { error: { message: 'teapot' } } },
      { status: 307, body: '', headers: { location: `${elsewhere.origin}/x` } },
      { status: 204, body: '' },
    );
    const gateway = await startGateway(t, servedOnly(toPeer, peer));
    const refused = await gateway.request('GET', '/v1/proxy/a');
    const redirected = await gateway.request('GET', '/v1/proxy/b');
    const empty = await gateway.request('DELETE', '/v1/proxy/c');
    assert.deepEqual([refused.status, redirected.status, empty.status], [418, 307, 204]);
    assert.deepEqual(refused.json, { error: { message: 'teapot' } });
    assert.equal(elsewhere.requests.length, 0);
  });

  it('streams events as they are', async (t) => {
    const peer = await startPeer(t);
    const gateway = await startGateway(t, servedOnly(toPeer, peer));
    const reply = await gateway.post('/v1/proxy/chat/completions', {
      model: 'm',
      stream: true,
      messages: [{ role: 'user', content: 'x' }],
    });
    assert.match(reply.text, /^data: .*chatcmpl-123/);
    assert.match(reply.text, /data: \[DONE\]\n\n$/);
  });

  it("cannot leave the provider's base path", async (t) => {
    const peer = await startPeer(t);
    peer.always({ body: {} });
    const gateway = await startGateway(t, servedOnly(toPeer, peer));
    const paths = [
      '..%2f..%2fadmin',
      '%2e%2e/%2e%2e/admin',
      '../../admin',
      '..\\..\\admin',
      '@evil.example.com/',
      '/evil.example.com/x',
    ];
    const statuses = await Promise.all(paths.map((path) => rawStatus(gateway.url, `/v1/proxy/${path}`)));
    assert.ok(
      statuses.every((status) => status >= 200 && status < 500),
      String(statuses),
    );
    for (const { url, headers } of peer.requests) {
      assert.ok(new URL(url, 'http://peer').pathname.startsWith('/v1/'), url);
      assert.equal(headers.host, `127.0.0.1:${peer.port}`);
    }
  });

  it('asks for a key as every other route does', async (t) => {
    const peer = await startPeer(t);
    const gateway = await startGateway(t, {
      ...servedOnly(toPeer, peer),
      keys: [{ name: 'k', sha256: 'a'.repeat(64) }],
    });
    assert.equal((await gateway.request('GET', '/v1/proxy/files')).status, 401);
    assert.equal(peer.requests.length, 0);
  });
});

/** Sends a path as it stands: `fetch` would resolve its dots first. */
async function rawStatus(url: string, path: string): Promise<number> {
  const { hostname, port } = new URL(url);
  const [response] = (await once(request({ hostname, port, path, agent: false }).end(), 'response')) as [
    IncomingMessage,
  ];
  response.resume();
  return response.statusCode ?? 0;
}
