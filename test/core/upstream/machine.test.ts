import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, it } from 'node:test';
import { schema, secret, setting } from 'portcullis/sdk';
import { createMachineIdentity } from '../../../core/upstream/machine.ts';
import { resolveSettings, type SettingSources } from '../../../core/upstream/settings.ts';
import azureAi from '../../../providers/azure-ai/index.ts';
import { leafOf } from '../../support/exchange.ts';
import { unitOf } from './unit.ts';

const unit = unitOf({
  settings: schema.Object({
    apiKey: schema.Optional(secret()),
    region: schema.Optional(setting({ pattern: '^[a-z]+$' })),
    bucket: schema.Optional(setting({ kept: 'given' })),
    role: schema.Optional(setting({ kept: 'always' })),
    beta: schema.Optional(setting({ header: 'alpha-beta' })),
  }),
});

function resolved(sources: Partial<SettingSources>) {
  return resolveSettings({
    unit,
    leaf: leafOf(),
    saved: undefined,
    leafIsCallers: false,
    hostIsCallers: false,
    fromHeaders: undefined,
    env: () => undefined,
    machine: true,
    ...sources,
  });
}

describe('the identity of the machine', () => {
  const saved = { settings: { bucket: 'own' } };
  const host = 'https://other.example/v1';
  const table: readonly [string, Partial<SettingSources>, boolean][] = [
    ['is for what the operator configures', { leaf: leafOf({ settings: { region: 'eu' } }) }, true],
    ['is for what is saved', { saved, savedApart: true }, true],
    ['stays with a beta header of an SDK', { saved, fromHeaders: { beta: 'b' } }, true],
    ['is for a request that names what is saved', { saved, leafIsCallers: true }, true],
    ['is not for an inline config that names nothing saved', { leafIsCallers: true }, false],
    [
      'is not for an inline config with a setting of its own',
      { saved, leafIsCallers: true, leaf: leafOf({ settings: { region: 'eu' } }) },
      false,
    ],
    ['is not for an inline config with a key', { saved, leafIsCallers: true, leaf: leafOf({ apiKey: 'k' }) }, false],
    ['is not for a request that steers', { saved, fromHeaders: { region: 'eu' } }, false],
    [
      "is not for a workspace's config that steers",
      { saved, savedApart: true, leaf: leafOf({ settings: { region: 'eu' } }) },
      false,
    ],
    [
      "is not for a workspace's config over what is saved empty",
      { saved: { settings: {} }, savedApart: true, leaf: leafOf({ settings: { region: 'eu' } }) },
      false,
    ],
    ['is not for the host of a config', { leaf: leafOf({ customHost: host }) }, false],
    ['is not for the host of what is saved', { saved: { ...saved, customHost: host } }, false],
    ["is not for a caller's host", { hostIsCallers: true, leaf: leafOf({ customHost: host }) }, false],
    ['is not where nobody may have it', { machine: false }, false],
  ];
  for (const [what, sources, expected] of table)
    it(what, () => assert.equal(resolved(sources).machine === true, expected));
});

describe('what says where a credential is spent', () => {
  const saved = { settings: { api_key: 'saved', bucket: 'own' } };
  const refused: readonly [string, Partial<SettingSources>, string][] = [
    ['a bucket that is given may not be replaced', { saved, fromHeaders: { bucket: 'other' } }, 'bucket'],
    [
      'nor by an inline config',
      { saved, leafIsCallers: true, leaf: leafOf({ settings: { bucket: 'other' } }) },
      'bucket',
    ],
    [
      "nor by a workspace's config",
      { saved, savedApart: true, leaf: leafOf({ settings: { bucket: 'other' } }) },
      'bucket',
    ],
    ['a role may not even be added', { saved, fromHeaders: { role: 'r' } }, 'role'],
  ];
  for (const [what, sources, param] of refused)
    it(what, () => assert.throws(() => resolved(sources), { code: 'forbidden', param }));

  const taken: readonly [string, Partial<SettingSources>, object][] = [
    [
      'a bucket that is not given may be named',
      { saved: { settings: { api_key: 's' } }, fromHeaders: { bucket: 'b' } },
      { apiKey: 's', bucket: 'b' },
    ],
    [
      'the same bucket may be named again',
      { saved, fromHeaders: { bucket: 'own' } },
      { apiKey: 'saved', bucket: 'own' },
    ],
    [
      'who brings a key names what it likes',
      { saved, fromHeaders: { apiKey: 'c', bucket: 'b', role: 'r' } },
      { apiKey: 'c', bucket: 'b', role: 'r' },
    ],
    [
      "the operator's config names what it likes",
      { saved, leaf: leafOf({ settings: { bucket: 'b', role: 'r' } }) },
      { apiKey: 'saved', bucket: 'b', role: 'r' },
    ],
  ];
  for (const [what, sources, expected] of taken) it(what, () => assert.deepEqual(resolved(sources).settings, expected));
});

describe('the addresses of the machine', () => {
  const identity = createMachineIdentity(() => undefined);
  const others = [
    'http://metadata.google.internal/',
    'http://evil.example/',
    'http://127.0.0.1.evil.example/',
    'http://localhost.evil.example/',
    'http://169.254.169.254@evil.example/',
    'http://169.254.169.253/',
    'http://10.0.0.1/',
    'http://[::ffff:10.0.0.1]/',
  ];
  for (const url of others)
    it(`are not ${url}`, () => assert.rejects(identity.send({ method: 'GET', url }), { code: 'url_blocked' }));

  it('are asked once: no redirect is followed', async (t) => {
    const seen: (string | undefined)[] = [];
    const server = createServer((request, reply) => {
      seen.push(request.url);
      reply.writeHead(302, { location: '/elsewhere' }).end();
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    t.after(async () => {
      await identity.close();
      server.close();
    });
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/token`;
    assert.equal((await identity.send({ method: 'GET', url })).status, 302);
    assert.deepEqual(seen, ['/token']);
  });
});

describe('an endpoint that runs containers of its owner', () => {
  const { auth } = azureAi;
  const at = (azureFoundryUrl: string, azureAuthMode: string) => () => {
    assert.ok(typeof auth === 'function');
    return auth({ azureFoundryUrl, azureAuthMode, azureAdToken: 't', azureEntraScope: 's' });
  };
  for (const mode of ['managed', 'workload'])
    for (const url of ['https://n.eastus.inference.ml.azure.com', 'https://N.eastus.INFERENCE.ml.azure.com/score'])
      it(`is not told who the machine is: ${mode} at ${url}`, () =>
        assert.throws(at(url, mode), { code: 'not_available', param: 'azure_auth_mode' }));
  it('takes a token of its own', () => assert.doesNotThrow(at('https://n.eastus.inference.ml.azure.com', 'ad-token')));
  it('is told apart from resources', () => assert.doesNotThrow(at('https://n.services.ai.azure.com', 'managed')));
});
