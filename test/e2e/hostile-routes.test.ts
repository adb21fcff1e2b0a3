import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { request } from 'node:http';
import { describe, it } from 'node:test';
import { isControlPath } from '../../core/http/control-words.ts';
import { startControl } from '../support/control.ts';
import { saved, startGateway, type TestGateway } from '../support/gateway.ts';
import { type Peer, startPeer } from '../support/peer.ts';
import { noUnhandledRejections } from '../support/rejections.ts';

noUnhandledRejections();

const gatewayKey = 'pk-gateway';
const keys = [{ name: 'k', sha256: createHash('sha256').update(gatewayKey).digest('hex') }];
const named = { 'x-gw-virtual-key': 'team', 'x-gw-api-key': gatewayKey };

async function world(t: Parameters<typeof startPeer>[0]): Promise<{ gateway: TestGateway; peer: Peer }> {
  const peer = await startPeer(t);
  peer.always({ body: { ok: true } });
  const gateway = await startGateway(t, { keys, providers: { team: saved('openai', `${peer.origin}/v1`) } });
  return { gateway, peer };
}

/** A path as it stands, which `fetch` would tidy up. */
function raw(
  gateway: TestGateway,
  method: string,
  path: string,
  headers: Readonly<Record<string, string>>,
): Promise<number> {
  const { hostname, port } = new URL(gateway.url);
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, method, path, headers, agent: false }, (answer) => {
      answer.resume();
      answer.on('end', () => resolve(answer.statusCode ?? 0));
    });
    sent.on('error', reject);
    sent.end();
  });
}

describe('what is meant for a control plane', () => {
  const paths = [
    '/v1/api-keys',
    '/v1/api-keys/',
    '/v1/api-keys/workspace/user',
    '/v1/admin/workspaces',
    '/v1//api-keys',
    '/v1/%61pi-keys',
    '/v1/API-keys',
    '/v1/api-keys%2Fx',
    '/v1/.%2fapi-keys',
    '/v1/providers/x',
    '/v1/virtual-keys',
    '/v1/integrations',
    '/v1/gateway/affinity/find',
    '/v1/proxy',
    '/v2/api-keys',
    '/v1',
    '//v1/other',
  ];
  for (const path of paths)
    it(`is never sent to a provider: ${path}`, async (t) => {
      const { gateway, peer } = await world(t);
      for (const method of ['GET', 'POST', 'DELETE']) {
        assert.equal(await raw(gateway, method, path, named), 404, method);
      }
      assert.equal(peer.requests.length, 0);
    });

  it('is known by the first word of each of its routes', async (t) => {
    const control = await startControl(t);
    const { paths: routes } = (await control.call('GET', '/openapi.json')).json as { paths: Record<string, unknown> };
    const missing = Object.keys(routes).filter((path) => path.startsWith('/v1/') && !isControlPath(path));
    assert.deepEqual(missing, []);
  });

  it('does not hide what providers have', async (t) => {
    const { gateway, peer } = await world(t);
    for (const path of ['/v1/uploads', '/v1/containers/x', '/v1/videos'])
      assert.equal(await raw(gateway, 'POST', path, named), 200, path);
    assert.deepEqual(
      peer.requests.map(({ url }) => url),
      ['/v1/uploads', '/v1/containers/x', '/v1/videos'],
    );
  });
});

describe('a path below a provider', () => {
  const climbing = ['..', '%2e%2e', '.%2E', '..%2fadmin', 'a%2f..%2f..', 'a/..', 'a%5c..', '%5C', '.', 'a/%2e/b'];
  for (const path of climbing)
    it(`does not climb: ${path}`, async (t) => {
      const { gateway, peer } = await world(t);
      for (const before of ['/v1/proxy/', '/v1/threads/', '/v1/uploads/'])
        assert.equal(await raw(gateway, 'GET', before + path, named), 400, before);
      assert.equal(peer.requests.length, 0);
    });

  const ids = ['a%2fb', '..%2fx', 'a%3fb', 'a%23b', 'a%40evil.example', '%252e%252e'];
  for (const id of ids)
    it(`stays in its segment: ${id}`, async (t) => {
      const { gateway, peer } = await world(t);
      await raw(gateway, 'GET', `/v1/files/${id}`, named);
      const url = peer.requests[0]?.url ?? assert.fail('Nothing came.');
      assert.match(url, /^\/v1\/files\/[^/?#@]+$/);
    });
});

describe('what never reaches a provider', () => {
  it('are the headers of the gateway, its keys and the connection', async (t) => {
    const { gateway, peer } = await world(t);
    const secrets = {
      'x-gw-service-token': 'secret-service',
      'x-gw-metadata': '{"a":"secret-metadata"}',
      cookie: 'session=secret-cookie',
      authorization: 'Bearer secret-bearer',
      'proxy-authorization': 'Basic secret-proxy',
      'x-forwarded-for': '10.0.0.1',
      te: 'trailers',
      'x-own': 'secret-hop',
      connection: 'close, x-own',
      'x-aws-ec2-metadata-token': 'secret-aws',
      'metadata-flavor': 'Google',
    };
    for (const path of ['/v1/proxy/other', '/v1/uploads'])
      assert.equal(await raw(gateway, 'POST', path, { ...named, ...secrets }), 200);
    for (const { headers } of peer.requests) {
      const told = JSON.stringify(headers);
      assert.doesNotMatch(told, /secret-|pk-gateway|x-gw-|10\.0\.0\.1|trailers|metadata-flavor/);
      assert.equal(headers.authorization, 'Bearer operator-key');
    }
    assert.equal(peer.requests.length, 2);
  });

  it('is a request of somebody unknown', async (t) => {
    const { gateway, peer } = await world(t);
    for (const path of ['/v1/proxy/other', '/v1/uploads', '/v1/files', '/v1/threads'])
      assert.equal(await raw(gateway, 'POST', path, { 'x-gw-virtual-key': 'team' }), 401, path);
    assert.equal(peer.requests.length, 0);
  });

  it('is the body of a GET or HEAD', async (t) => {
    const { gateway, peer } = await world(t);
    for (const method of ['GET', 'HEAD'])
      assert.equal(await raw(gateway, method, '/v1/uploads', { ...named, 'content-length': '0' }), 200);
    assert.deepEqual(
      peer.requests.map(({ method, bytes }) => [method, bytes.length]),
      [
        ['GET', 0],
        ['HEAD', 0],
      ],
    );
  });
});

describe('a redirect of a provider', () => {
  for (const path of ['/v1/files/a', '/v1/files/a/content', '/v1/batches/b/output'])
    it(`is neither followed nor shown: ${path}`, async (t) => {
      const { gateway, peer } = await world(t);
      const other = await startPeer(t);
      peer.always({ status: 302, headers: { location: `${other.origin}/v1/stolen` }, body: '' });
      const reply = await gateway.request('GET', path, { headers: named });
      assert.equal(reply.status, 502, reply.text);
      assert.equal(reply.headers.get('location'), null);
      assert.equal(other.requests.length, 0);
    });
});
