import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { clientError, clientRoutes } from '../support/client-dialects.ts';
import { type ConfigFragment, startGateway, testConfig } from '../support/gateway.ts';
import { servedOnly } from '../support/pairings.ts';
import { startPeer } from '../support/peer.ts';
import { noUnhandledRejections } from '../support/rejections.ts';

noUnhandledRejections();

const key = 'pk-test-1234567890';
const keys = [{ name: 'team-a', sha256: createHash('sha256').update(key).digest('hex'), metadata: { team: 'a' } }];
const echo: ConfigFragment = { configs: { echo: { provider: 'echo' } }, defaultConfig: 'echo' };

/** Every place where a client may put the gateway's key. */
const places: readonly (readonly [name: string, headers: Readonly<Record<string, string>>])[] = [
  ['x-gw-api-key', { 'x-gw-api-key': key }],
  ['a bearer token', { authorization: `Bearer ${key}` }],
  ['x-api-key', { 'x-api-key': key }],
  ['api-key', { 'api-key': key }],
  ['x-goog-api-key', { 'x-goog-api-key': key }],
];

for (const { dialect, path, body } of clientRoutes) {
  describe(`a gateway with keys, on ${path}`, () => {
    for (const [name, headers] of [
      ['no key', {}],
      ['an unknown bearer token', { authorization: 'Bearer sk-other' }],
      ['an unknown x-api-key', { 'x-api-key': 'sk-other' }],
      [
        'an unknown x-gw-api-key beside a known bearer token',
        { 'x-gw-api-key': 'sk-other', authorization: `Bearer ${key}` },
      ],
      ['an empty key', { 'x-gw-api-key': '' }],
    ] as const) {
      it(`refuses ${name} with 401, in the words of ${dialect}`, async (t) => {
        const gateway = await startGateway(t, { ...echo, keys });
        const reply = await gateway.post(path, body('echo'), headers);
        assert.equal(reply.status, 401);
        assert.equal(clientError(dialect, reply).type, 'authentication_error');
        assert.doesNotMatch(reply.text, /sk-other/);
      });
    }
    for (const [name, headers] of places) {
      it(`knows its key as ${name}`, async (t) => {
        const gateway = await startGateway(t, { ...echo, keys });
        assert.equal((await gateway.post(path, body('echo'), headers)).status, 200);
        const { fields } = await gateway.logged((line) => line.event === 'request');
        assert.equal(fields.principal, 'key:team-a');
        assert.doesNotMatch(JSON.stringify(gateway.log), new RegExp(key));
      });
    }
  });
}

describe('the key of the gateway', () => {
  for (const [name, headers] of places) {
    it(`never travels to a provider, given as ${name}`, async (t) => {
      const peer = await startPeer(t);
      const gateway = await startGateway(t, { ...servedOnly({ provider: 'openai', wire: 'chat' }, peer), keys });
      for (const path of ['/v1/chat/completions', '/v1/proxy/chat/completions']) {
        const reply = await gateway.post(path, { model: 'm', messages: [{ role: 'user', content: 'x' }] }, headers);
        assert.equal(reply.status, 200, reply.text);
      }
      for (const { headers: sent } of peer.requests) assert.doesNotMatch(JSON.stringify(sent), new RegExp(key));
    });
  }

  it('is not taken for the credential of a provider that needs one', async (t) => {
    const peer = await startPeer(t);
    const gateway = await startGateway(t, { keys });
    const reply = await gateway.post(
      '/v1/chat/completions',
      { model: 'm', messages: [{ role: 'user', content: 'x' }] },
      { authorization: `Bearer ${key}`, 'x-gw-provider': 'openai', 'x-gw-custom-host': `${peer.origin}/v1` },
    );
    assert.equal(reply.status, 400);
    assert.equal(clientError('chat', reply).code, 'missing_credentials');
    assert.equal(peer.requests.length, 0);
  });

  it('brings its own config and metadata', async (t) => {
    const [plain, special] = [await startPeer(t), await startPeer(t)];
    const target = (origin: string) => ({ provider: 'openai', api_key: 'k', custom_host: `${origin}/v1` });
    const gateway = await startGateway(t, {
      keys: keys.map((entry) => ({ ...entry, config: 'routed' })),
      configs: {
        plain: target(plain.origin),
        routed: {
          strategy: {
            mode: 'conditional',
            // biome-ignore lint/suspicious/noThenProperty: the config's own word.
            conditions: [{ query: { 'metadata.team': 'a' }, then: 'special' }],
            default: 'plain',
          },
          targets: [
            { name: 'plain', ...target(plain.origin) },
            { name: 'special', ...target(special.origin) },
          ],
        },
      },
      defaultConfig: 'plain',
    });
    const reply = await gateway.post(
      '/v1/chat/completions',
      { model: 'm', messages: [{ role: 'user', content: 'x' }] },
      { 'x-gw-api-key': key },
    );
    assert.equal(reply.status, 200, reply.text);
    assert.deepEqual([plain.requests.length, special.requests.length], [0, 1]);
  });
});

describe('where the gateway listens', () => {
  it('is loopback without keys, whatever the config says', async (t) => {
    const gateway = await startGateway(t, { ...echo, server: { host: '0.0.0.0' } });
    assert.match(gateway.url, /^http:\/\/127\.0\.0\.1:/);
    assert.ok(gateway.log.some(({ level, event }) => level === 'warn' && event === 'no_api_keys'));
  });

  it('is what the config says with keys', async (t) => {
    const gateway = await startGateway(t, { ...echo, keys, server: { host: '0.0.0.0' } });
    assert.match(gateway.url, /^http:\/\/0\.0\.0\.0:/);
    await assert.rejects(gateway.gateway.reload(testConfig(echo)), { code: 'invalid_config' });
  });
});
