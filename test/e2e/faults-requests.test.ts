import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { clientError, clientRoutes } from '../support/client-dialects.ts';
import { saved, startGateway } from '../support/gateway.ts';
import { startPeer } from '../support/peer.ts';
import { noUnhandledRejections } from '../support/rejections.ts';

noUnhandledRejections();

const echo = { configs: { echo: { provider: 'echo' } }, defaultConfig: 'echo' };

for (const { dialect, path, body } of clientRoutes) {
  describe(`a bad request on ${path}`, () => {
    const cases: readonly {
      readonly name: string;
      readonly text: string;
      readonly message: RegExp;
      readonly status?: number;
      readonly code?: string;
      readonly param?: string;
      readonly headers?: Readonly<Record<string, string>>;
    }[] = [
      {
        name: 'a missing comma',
        text: '{\n  "model": "echo"\n  "stream": true\n}',
        message: /line 3, column 3/,
        code: 'invalid_json',
      },
      { name: 'a body cut off', text: '{"model": "ec', message: /line 1, column 11/, code: 'invalid_json' },
      { name: 'no body', text: '', message: /empty/, code: 'invalid_json' },
      { name: 'an array', text: '[1]', message: /must be a JSON object/, code: 'bad_request' },
      {
        name: 'a string for stream',
        text: JSON.stringify({ ...body('echo'), stream: 'yes' }),
        message: /stream must be true or false/,
        code: 'bad_request',
        param: 'stream',
      },
      {
        name: 'a number for the model',
        text: JSON.stringify({ ...body('echo'), model: 7 }),
        message: /model must be a non-empty string/,
        code: 'bad_request',
        param: 'model',
      },
      {
        name: 'a temperature out of bounds',
        text: JSON.stringify({ ...body('echo'), temperature: 9 }),
        message: /temperature must be a number/,
        code: 'bad_request',
        param: 'temperature',
      },
      {
        name: 'an unknown provider',
        text: JSON.stringify(body('echo')),
        headers: { 'x-gw-provider': 'opennai' },
        message: /opennai.*openai/s,
        code: 'unknown_provider',
      },
      {
        name: 'an unknown virtual key',
        text: JSON.stringify(body('echo')),
        headers: { 'x-gw-virtual-key': 'nobody' },
        message: /"nobody"/,
        code: 'unknown_virtual_key',
      },
      {
        name: 'an unknown saved config',
        text: JSON.stringify(body('echo')),
        headers: { 'x-gw-config': 'nowhere' },
        message: /"nowhere"/,
        code: 'invalid_config',
      },
      {
        name: 'a config that is no JSON',
        text: JSON.stringify(body('echo')),
        headers: { 'x-gw-config': '{broken' },
        message: /valid json/,
        code: 'invalid_config',
      },
      {
        name: 'metadata that is no object',
        text: JSON.stringify(body('echo')),
        headers: { 'x-gw-metadata': '[]' },
        message: /JSON object of strings/,
        code: 'bad_request',
      },
      {
        name: 'metadata of more than 128 members',
        text: JSON.stringify(body('echo')),
        headers: {
          'x-gw-metadata': JSON.stringify(Object.fromEntries(Array.from({ length: 129 }, (_, n) => [n, '']))),
        },
        message: /at most 128 members; it has 129/,
        code: 'bad_request',
      },
      {
        name: 'a timeout that is no number',
        text: JSON.stringify(body('echo')),
        headers: { 'x-gw-request-timeout': 'soon' },
        message: /whole number of milliseconds/,
        code: 'bad_request',
      },
      {
        name: 'plain text',
        text: 'hello',
        headers: { 'content-type': 'text/plain' },
        message: /application\/json/,
        status: 415,
        code: 'unsupported_media_type',
      },
      {
        name: 'a compressed body',
        text: '{}',
        headers: { 'content-encoding': 'br' },
        message: /content encoding/,
        status: 415,
        code: 'unsupported_media_type',
      },
    ];
    for (const { name, text, message, status = 400, code, param, headers } of cases) {
      it(`is refused for ${name}, in the words of ${dialect}`, async (t) => {
        const gateway = await startGateway(t, echo);
        const reply = await gateway.post(path, text, headers ?? {});
        assert.equal(reply.status, status, reply.text);
        const error = clientError(dialect, reply);
        assert.match(error.message, message);
        assert.equal(error.type, 'invalid_request_error');
        if (dialect !== 'messages') {
          assert.equal(error.code, code);
          if (param !== undefined) assert.equal(error.param, param);
        }
      });
    }

    it('is refused with 413 above the limit, whether or not the length is told', async (t) => {
      const gateway = await startGateway(t, { ...echo, server: { bodyLimit: 1000 } });
      const text = JSON.stringify({ ...body('echo'), user: 'x'.repeat(2000) });
      const told = await gateway.post(path, text);
      const chunked = await fetch(gateway.url + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: new Blob([text]).stream(),
        duplex: 'half',
      } as RequestInit);
      assert.deepEqual([told.status, chunked.status], [413, 413]);
      assert.match(clientError(dialect, told).message, /1000 bytes/);
      assert.equal(clientError(dialect, told).type, 'request_too_large');
    });

    it('is answered with 405 and the methods that are allowed', async (t) => {
      const gateway = await startGateway(t, echo);
      const reply = await gateway.request('PUT', path);
      assert.equal(reply.status, 405);
      assert.equal(reply.headers.get('allow'), 'POST');
      assert.match(clientError(dialect, reply).message, /PUT/);
    });

    it('is answered with 404 where there is no route', async (t) => {
      const gateway = await startGateway(t, echo);
      const reply = await gateway.post(`${path}/nowhere/at/all`, {});
      assert.equal(reply.status, 404);
      assert.equal(clientError(dialect, reply).type, 'not_found_error');
      assert.ok(reply.headers.get('x-gw-request-id'));
    });

    it('of 10 MB is accepted and reaches the provider byte for byte', async (t) => {
      const peer = await startPeer(t);
      const slug = dialect === 'messages' ? 'anthropic' : 'openai';
      const gateway = await startGateway(t, {
        configs: { main: { virtual_key: 'p' } },
        defaultConfig: 'main',
        providers: { p: saved(slug, `${peer.origin}/v1`) },
      });
      const long = 'ä'.repeat(5 * 1024 * 1024);
      const sent = JSON.stringify({
        ...body('model-1'),
        ...(dialect === 'responses' ? { input: long } : { messages: [{ role: 'user', content: long }] }),
      });
      const reply = await gateway.post(path, sent);
      assert.equal(reply.status, 200, reply.text.slice(0, 300));
      assert.ok(peer.requests[0]?.bytes.equals(Buffer.from(sent)));
    });
  });
}

it('lists what is near when a provider is misspelt, and never the secrets of the saved ones', async (t) => {
  const gateway = await startGateway(t, {
    providers: { mine: saved('openai', 'https://api.example.com/v1', { api_key: 'sk-secret-1' }) },
  });
  const reply = await gateway.post('/v1/chat/completions', {
    model: '@mien/x',
    messages: [{ role: 'user', content: 'x' }],
  });
  assert.equal(reply.status, 400);
  assert.doesNotMatch(reply.text, /sk-secret-1/);
});
