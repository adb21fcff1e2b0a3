import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { saved, startGateway } from '../support/gateway.ts';
import { servedOnly } from '../support/pairings.ts';
import { startPeer } from '../support/peer.ts';
import { noUnhandledRejections } from '../support/rejections.ts';

noUnhandledRejections();

const chat = { model: 'm', messages: [{ role: 'user', content: 'x' }] };
const toPeer = { provider: 'openai', wire: 'chat' } as const;

describe('headers on their way to a provider', () => {
  const never = {
    cookie: 'session=1',
    'x-api-key': 'client-key',
    'api-key': 'client-key',
    'x-goog-api-key': 'client-key',
    'x-forwarded-for': '10.0.0.1',
    forwarded: 'for=10.0.0.1',
    'x-gw-metadata': '{"team":"a"}',
    'metadata-flavor': 'Google',
    'x-aws-ec2-metadata-token': 'x',
  };

  it("are the gateway's own on an inference route, with the operator's credential", async (t) => {
    const peer = await startPeer(t);
    const gateway = await startGateway(t, servedOnly(toPeer, peer));
    await gateway.post('/v1/chat/completions', chat, { ...never, authorization: 'Bearer client-key', 'x-custom': '1' });
    const { headers } = peer.requests[0] ?? assert.fail('nothing arrived');
    assert.equal(headers.authorization, 'Bearer operator-key');
    assert.equal(headers['x-custom'], undefined);
    assert.equal(headers.accept, 'application/json');
    for (const name of Object.keys(never)) assert.equal(headers[name], undefined, name);
  });

  it('are those that the config names besides, but never a credential or a cookie', async (t) => {
    const peer = await startPeer(t);
    const gateway = await startGateway(t, servedOnly(toPeer, peer));
    const asked = [
      'x-custom',
      'cookie',
      'authorization',
      'x-api-key',
      'host',
      'x-forwarded-for',
      'content-length',
    ].join(', ');
    const reply = await gateway.post('/v1/chat/completions', chat, {
      ...never,
      'x-custom': '1',
      authorization: 'Bearer client-key',
      'x-gw-forward-headers': asked,
    });
    assert.equal(reply.status, 200);
    const { headers } = peer.requests[0] ?? assert.fail('nothing arrived');
    assert.equal(headers['x-custom'], '1');
    assert.equal(headers.authorization, 'Bearer operator-key');
    assert.equal(headers.host, `127.0.0.1:${peer.port}`);
    for (const name of Object.keys(never)) assert.equal(headers[name], undefined, name);
  });

  it("are the client's on the proxy route, but for credentials, cookies and the gateway's own", async (t) => {
    const peer = await startPeer(t);
    peer.always({ body: {} });
    const gateway = await startGateway(t, servedOnly(toPeer, peer));
    await gateway.request('GET', '/v1/proxy/files', {
      headers: { ...never, 'x-custom': '1', authorization: 'Bearer client-key', 'openai-beta': 'assistants=v2' },
    });
    const { headers } = peer.requests[0] ?? assert.fail('nothing arrived');
    assert.equal(headers['x-custom'], '1');
    assert.equal(headers['openai-beta'], 'assistants=v2');
    assert.equal(headers.authorization, 'Bearer operator-key');
    for (const name of Object.keys(never)) assert.equal(headers[name], undefined, name);
  });
});

describe('headers on their way back', () => {
  const sent = {
    'set-cookie': ['a=1', 'b=2'],
    server: 'peer/1.0',
    via: '1.1 peer',
    'alt-svc': 'h3=":443"',
    'strict-transport-security': 'max-age=1',
    connection: 'keep-alive, x-hop',
    'x-hop': '1',
    'x-gw-cache-status': 'HIT',
    'x-gw-made-up': '1',
    'x-ratelimit-remaining-requests': '59',
    'openai-processing-ms': '12',
  };
  const notTheirs = ['x-hop', 'x-gw-cache-status', 'x-gw-made-up'];
  for (const [name, path, body, act] of [
    ['a whole reply', '/v1/chat/completions', chat, {}],
    ['a stream', '/v1/chat/completions', { ...chat, stream: true }, {}],
    ['a translated reply', '/v1/messages', { ...chat, max_tokens: 9 }, {}],
    ['an error', '/v1/chat/completions', chat, { status: 429, body: { error: { message: 'Slow down.' } } }],
    ['the proxy route', '/v1/proxy/chat/completions', chat, {}],
  ] as const) {
    it(`hold no cookie and nothing of the provider's connection: ${name}`, async (t) => {
      const peer = await startPeer(t);
      peer.always({ ...act, headers: sent });
      const gateway = await startGateway(t, servedOnly(toPeer, peer));
      const { headers } = await gateway.post(path, body);
      assert.deepEqual(headers.getSetCookie(), []);
      for (const gone of ['server', 'via', 'alt-svc', 'strict-transport-security', ...notTheirs])
        assert.equal(headers.get(gone), null, gone);
      assert.equal(headers.get('x-ratelimit-remaining-requests'), '59');
      assert.equal(headers.get('openai-processing-ms'), '12');
    });
  }

  it('say which request, trace, target, provider and how many retries it was', async (t) => {
    const peer = await startPeer(t);
    const gateway = await startGateway(t, servedOnly(toPeer, peer), { newId: () => 'id-1' });
    const traced = await gateway.post('/v1/chat/completions', chat, { 'x-gw-trace-id': 'trace-7' });
    const untraced = await gateway.post('/v1/chat/completions', chat);
    const shown = ['request-id', 'trace-id', 'last-used-option-index', 'retry-attempt-count', 'provider'].map((name) =>
      traced.headers.get(`x-gw-${name}`),
    );
    assert.deepEqual(shown, ['id-1', 'trace-7', 'config', '0', 'openai']);
    assert.equal(untraced.headers.get('x-gw-trace-id'), 'id-1');
  });

  it('have an id of their own for every request, also where it fails', async (t) => {
    const gateway = await startGateway(t);
    const replies = await Promise.all(['/v1/chat/completions', '/v1/nowhere'].map((path) => gateway.post(path, '{')));
    const ids = replies.map(({ headers }) => headers.get('x-gw-request-id'));
    assert.ok(ids.every((id) => id !== null) && new Set(ids).size === 2, String(ids));
  });
});

describe("the vendor segment of the gateway's headers", () => {
  const server = { headerVendors: ['gw', 'portkey', 'acme'] };

  for (const vendor of server.headerVendors) {
    it(`may be ${vendor}: the reply uses what the request used`, async (t) => {
      const peer = await startPeer(t);
      const gateway = await startGateway(t, { server, providers: { p: saved('openai', `${peer.origin}/v1`) } });
      const reply = await gateway.post('/v1/chat/completions', chat, {
        [`x-${vendor}-virtual-key`]: 'p',
        [`x-${vendor}-trace-id`]: 't-1',
      });
      assert.equal(reply.status, 200, reply.text);
      assert.equal(reply.headers.get(`x-${vendor}-trace-id`), 't-1');
      assert.equal(reply.headers.get(`x-${vendor}-provider`), 'openai');
      assert.equal(peer.requests[0]?.headers[`x-${vendor}-virtual-key`], undefined);
    });
  }

  it('is none that the operator did not list', async (t) => {
    const gateway = await startGateway(t, { providers: { p: saved('openai', 'https://api.example.com/v1') } });
    const reply = await gateway.post('/v1/chat/completions', chat, { 'x-portkey-virtual-key': 'p' });
    assert.equal(reply.status, 400);
  });

  it('is accepted from the client of another vendor with its key in its own header', async (t) => {
    const peer = await startPeer(t);
    const sha256 = createHash('sha256').update('pk-1').digest('hex');
    const gateway = await startGateway(t, {
      server,
      keys: [{ name: 'k', sha256 }],
      providers: { p: saved('openai', `${peer.origin}/v1`) },
    });
    const reply = await gateway.post('/v1/chat/completions', chat, {
      'x-portkey-api-key': 'pk-1',
      'x-portkey-config': JSON.stringify({ virtual_key: 'p' }),
      'x-portkey-strict-open-ai-compliance': 'false',
    });
    assert.equal(reply.status, 200, reply.text);
  });
});

describe('CORS', () => {
  const origin = 'https://app.example.com';
  const preflight = {
    origin,
    'access-control-request-method': 'POST',
    'access-control-request-headers': 'content-type,x-gw-config',
  };

  it('is off by default', async (t) => {
    const gateway = await startGateway(t);
    const reply = await gateway.request('OPTIONS', '/v1/chat/completions', { headers: preflight });
    assert.equal(reply.headers.get('access-control-allow-origin'), null);
  });

  for (const [origins, allowed] of [
    [['*'], '*'],
    [[origin], origin],
    [['https://other.example.com'], null],
  ] as const) {
    it(`answers a preflight for the origins ${origins.join()}`, async (t) => {
      const gateway = await startGateway(t, { server: { cors: { enabled: true, origins } } });
      const reply = await gateway.request('OPTIONS', '/v1/chat/completions', { headers: preflight });
      assert.equal(reply.headers.get('access-control-allow-origin') || null, allowed);
      if (allowed === null) return;
      assert.equal(reply.status, 204);
      assert.match(reply.headers.get('access-control-allow-methods') ?? '', /POST/);
      assert.equal(reply.headers.get('access-control-allow-headers'), 'content-type,x-gw-config');
    });
  }

  for (const [name, act, body] of [
    ['a reply', {}, chat],
    ['a stream', {}, { ...chat, stream: true }],
    ['an error', { status: 500 }, chat],
  ] as const) {
    it(`lets a page read ${name}`, async (t) => {
      const peer = await startPeer(t);
      peer.always(act);
      const gateway = await startGateway(t, {
        ...servedOnly(toPeer, peer),
        server: { cors: { enabled: true, origins: ['*'] } },
      });
      const { headers } = await gateway.post('/v1/chat/completions', body, { origin });
      assert.equal(headers.get('access-control-allow-origin'), '*');
    });
  }
});
