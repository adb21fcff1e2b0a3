import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { describe, it } from 'node:test';
import { clientError, clientRoutes } from '../support/client-dialects.ts';
import { saved, startGateway } from '../support/gateway.ts';
import { pairings, servedOnly } from '../support/pairings.ts';
import { startPeer } from '../support/peer.ts';
import { noUnhandledRejections } from '../support/rejections.ts';
import { wireError } from '../support/wire-errors.ts';

noUnhandledRejections();

for (const pairing of pairings) {
  const { dialect, path, provider, wire, title } = pairing;
  const body = pairing.body('model-1');
  describe(`an upstream fault: ${title}`, () => {
    for (const status of [400, 401, 403, 404, 429, 500, 503]) {
      it(`passes ${status} on with the provider's message, in the client's format`, async (t) => {
        const peer = await startPeer(t);
        peer.next({ status, body: wireError(wire, status, 'It did not work out.') });
        const gateway = await startGateway(t, servedOnly(pairing, peer));
        const reply = await gateway.post(path, body);
        assert.equal(reply.status, status);
        const error = clientError(dialect, reply);
        assert.equal(error.message, `${provider} error: It did not work out.`);
        if (dialect !== 'messages') assert.equal(reply.json.provider, provider);
        assert.equal(reply.headers.get('x-gw-provider'), provider);
      });
    }

    it('is told for an error body that is no JSON', async (t) => {
      const peer = await startPeer(t);
      peer.next({ status: 502, body: '<html>Bad gateway</html>', headers: { 'content-type': 'text/html' } });
      const gateway = await startGateway(t, servedOnly(pairing, peer));
      const reply = await gateway.post(path, body);
      assert.equal(reply.status, 502);
      assert.match(clientError(dialect, reply).message, new RegExp(`^${provider} error: answered with status 502`));
    });

    it('is 502 for a redirect, which is not followed', async (t) => {
      const [peer, elsewhere] = [await startPeer(t), await startPeer(t)];
      peer.always({ status: 302, headers: { location: `${elsewhere.origin}/v1/chat/completions` }, body: '' });
      const gateway = await startGateway(t, servedOnly(pairing, peer));
      const reply = await gateway.post(path, body);
      assert.equal(reply.status, 502);
      assert.match(clientError(dialect, reply).message, /redirect/);
      assert.equal(reply.headers.get('location'), null);
      assert.equal(elsewhere.requests.length, 0);
    });

    it('is 502 for a port that nobody listens on', async (t) => {
      const port = await closedPort();
      const gateway = await startGateway(t, servedOnly(pairing, { origin: `http://127.0.0.1:${port}` }));
      const reply = await gateway.post(path, body);
      assert.equal(reply.status, 502);
      assert.match(
        clientError(dialect, reply).message,
        new RegExp(`Could not reach ${provider}: the connection was refused`),
      );
      assert.doesNotMatch(reply.text, /127\.0\.0\.1/);
    });

    it('is 502 for a name that does not resolve', async (t) => {
      const resolve = () => Promise.reject(Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' }));
      const gateway = await startGateway(t, servedOnly(pairing, { origin: 'https://models.example.com' }), { resolve });
      const reply = await gateway.post(path, body);
      assert.equal(reply.status, 502);
      assert.match(clientError(dialect, reply).message, /could not be resolved/);
    });

    it('is 408 when the attempt takes longer than the request allows', async (t) => {
      const peer = await startPeer(t);
      peer.always({ before: 'never' });
      const gateway = await startGateway(t, servedOnly(pairing, peer));
      const reply = await gateway.post(path, body, { 'x-gw-request-timeout': '60' });
      assert.equal(reply.status, 408);
      assert.deepEqual(clientError(dialect, reply), {
        message: 'Request exceeded the timeout sent in the request: 60ms',
        type: 'timeout_error',
        param: undefined,
        code: undefined,
      });
      await peer.requests[0]?.abandoned;
    });

    it('is 502 for a connection that is cut in the middle of a whole reply', async (t) => {
      const peer = await startPeer(t);
      peer.always({ body: '{"id":', ending: 'cut', headers: { 'content-length': '500' } });
      const gateway = await startGateway(t, servedOnly(pairing, peer));
      const reply = await gateway.post(path, body);
      assert.equal(reply.status, 502);
      assert.match(clientError(dialect, reply).message, /Could not reach/);
    });

    it('is 502 for more bytes than a custom host may send', async (t) => {
      const peer = await startPeer(t);
      peer.always({ body: JSON.stringify({ padding: 'x'.repeat(5000) }) });
      const fragment = servedOnly(pairing, peer);
      const gateway = await startGateway(t, { ...fragment, server: { customHostMaxReplyBytes: 2000 } });
      const reply = await gateway.post(path, body);
      assert.equal(reply.status, 502);
      assert.match(clientError(dialect, reply).message, /more than the 2000 bytes/);
    });
  });
}

describe('a timeout', () => {
  it('has exactly the documented body', async (t) => {
    const peer = await startPeer(t);
    peer.always({ before: 'never' });
    const gateway = await startGateway(t, servedOnly({ provider: 'openai', wire: 'chat' }, peer));
    const reply = await gateway.post(
      '/v1/chat/completions',
      { model: 'm', messages: [{ role: 'user', content: 'x' }] },
      { 'x-gw-request-timeout': '300' },
    );
    assert.deepEqual(reply.json, {
      error: {
        message: 'Request exceeded the timeout sent in the request: 300ms',
        type: 'timeout_error',
        param: null,
        code: null,
      },
    });
  });

  it('of a config covers a whole reply to its last byte, not only to its head', async (t) => {
    const peer = await startPeer(t);
    peer.always({
      events: ['{"id":'],
      headers: { 'content-type': 'application/json' },
      ending: 'stall',
    });
    const fragment = servedOnly({ provider: 'openai', wire: 'chat' }, peer);
    const gateway = await startGateway(t, {
      ...fragment,
      configs: { main: { virtual_key: 'p', request_timeout: 80 } },
    });
    const reply = await gateway.post('/v1/chat/completions', {
      model: 'm',
      messages: [{ role: 'user', content: 'x' }],
    });
    assert.equal(reply.status, 408);
    assert.match(reply.text, /80ms/);
  });

  it('of the operator ends the wait for the first byte', async (t) => {
    const peer = await startPeer(t);
    peer.always({ before: 'never' });
    const fragment = servedOnly({ provider: 'openai', wire: 'chat' }, peer);
    const gateway = await startGateway(t, { ...fragment, server: { timeouts: { firstByteMs: 70 } } });
    const reply = await gateway.post('/v1/chat/completions', {
      model: 'm',
      messages: [{ role: 'user', content: 'x' }],
    });
    assert.equal(reply.status, 408);
  });
});

describe('a reply with status 200 that is none', () => {
  for (const { dialect, path, body } of clientRoutes) {
    // The provider's format differs from the client's in each case: only then is the reply read.
    const [provider, wire] =
      dialect === 'chat' ? (['anthropic', 'messages'] as const) : (['google', 'gemini'] as const);
    for (const [name, sent] of [
      ['no JSON', 'oops'],
      ['nothing', ''],
      ['an array', '[]'],
    ] as const) {
      it(`is 502 in the words of ${dialect} when it is ${name}`, async (t) => {
        const peer = await startPeer(t);
        peer.always({ body: sent });
        const gateway = await startGateway(t, servedOnly({ provider, wire }, peer));
        const reply = await gateway.post(path, body('model-1'));
        assert.equal(reply.status, 502);
        assert.match(clientError(dialect, reply).message, new RegExp(`Invalid response received from ${provider}`));
      });
    }
  }

  for (const { dialect, path, body } of clientRoutes) {
    const [provider, wire] =
      dialect === 'messages' ? (['anthropic', 'messages'] as const) : (['openai', dialect] as const);
    it(`is 502 in the words of ${dialect} where it would be forwarded unread`, async (t) => {
      const peer = await startPeer(t);
      peer.next(...['<html>Sign in</html>', '', '[]', 'data: {}\n\n', ' \n'].map((sent) => ({ body: sent })));
      const gateway = await startGateway(t, servedOnly({ provider, wire }, peer));
      for (let turn = 0; turn < 5; turn += 1) {
        const reply = await gateway.post(path, body('model-1'));
        assert.equal(reply.status, 502, reply.text);
        assert.match(clientError(dialect, reply).message, new RegExp(`Invalid response received from ${provider}`));
      }
    });
  }

  it('is none of them behind blank lines or a byte order mark', async (t) => {
    const peer = await startPeer(t);
    const sent = ['\n'.repeat(999), '\ufeff', ' \t\r\n'].map((front) => `${front}{"choices":[]}`);
    peer.next(...sent.map((text) => ({ body: text })), {
      body: `${'\n'.repeat(999)}{"error":{"message":"Slow down."}}`,
    });
    const gateway = await startGateway(t, servedOnly({ provider: 'openai', wire: 'chat' }, peer));
    const ask = () => gateway.post('/v1/chat/completions', { model: 'm', messages: [{ role: 'user', content: 'x' }] });
    for (const _ of sent) assert.equal((await ask()).status, 200);
    assert.equal((await ask()).status, 502);
  });

  for (const stream of [false, true]) {
    it(`is an error without the key that it repeats, ${stream ? 'streamed' : 'whole'}`, async (t) => {
      const peer = await startPeer(t);
      const told = wireError('chat', 429, 'The key operator-key is used up.');
      peer.always(stream ? { events: [`data: ${JSON.stringify(told)}\n\n`] } : { body: told });
      const gateway = await startGateway(t, servedOnly({ provider: 'openai', wire: 'chat' }, peer));
      const body = { model: 'm', stream, messages: [{ role: 'user', content: 'x' }] };
      const reply = await gateway.post('/v1/chat/completions', body);
      assert.ok(reply.status >= 400);
      assert.equal(clientError('chat', reply).message, 'openai error: The key **** is used up.');
    });
  }

  it('is an error when it holds one', async (t) => {
    const peer = await startPeer(t);
    peer.always({ body: wireError('chat', 429, 'Slow down.') });
    const gateway = await startGateway(t, servedOnly({ provider: 'openai', wire: 'chat' }, peer));
    const reply = await gateway.post('/v1/chat/completions', {
      model: 'm',
      messages: [{ role: 'user', content: 'x' }],
    });
    assert.ok(reply.status >= 400);
    assert.match(clientError('chat', reply).message, /openai error: Slow down\./);
  });
});

it('never calls a host that is private and not trusted, however its name resolves', async (t) => {
  const peer = await startPeer(t);
  const gateway = await startGateway(
    t,
    { server: { trustedHosts: [] }, providers: { p: saved('openai', `http://models.example.com:${peer.port}/v1`) } },
    { resolve: async () => [{ address: '127.0.0.1', family: 4 }] },
  );
  const byName = await gateway.post('/v1/chat/completions', {
    model: '@p/m',
    messages: [{ role: 'user', content: 'x' }],
  });
  const byAddress = await gateway.post(
    '/v1/chat/completions',
    { model: 'm', messages: [{ role: 'user', content: 'x' }] },
    { 'x-gw-provider': 'openai', 'x-gw-custom-host': `${peer.origin}/v1`, authorization: 'Bearer own-key' },
  );
  assert.deepEqual([byName.status, byAddress.status], [400, 400]);
  assert.deepEqual(
    [clientError('chat', byName).code, clientError('chat', byAddress).code],
    ['url_blocked', 'url_blocked'],
  );
  assert.equal(peer.requests.length, 0);
});

async function closedPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
}
