import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it, type TestContext } from 'node:test';
import type { JsonObject } from 'portcullis/sdk';
import { configOf, providerOf, workspaceOf } from '../support/directory.ts';
import { saved } from '../support/gateway.ts';
import { type Peer, startPeer } from '../support/peer.ts';
import { noUnhandledRejections } from '../support/rejections.ts';
import { type WorkspaceOptions, workspaceGateway } from '../support/workspaces.ts';

noUnhandledRejections();

const path = '/v1/chat/completions';
const asking = (model = 'm') => ({ model, messages: [{ role: 'user', content: 'x' }] });
const sentKeys = ({ requests }: Peer) => requests.map(({ headers }) => headers.authorization);
const fileKey = { name: 'file', sha256: createHash('sha256').update('pk-file').digest('hex') };

/** Workspaces a and b, each with a provider and a config of its own, and a file with another of each. */
function two(peer: Peer, more: Partial<WorkspaceOptions> = {}): WorkspaceOptions {
  const host = `${peer.origin}/v1`;
  return {
    workspaces: [workspaceOf('a'), workspaceOf('b')],
    providers: [providerOf('a', 'prov-a', { customHost: host }), providerOf('b', 'prov-b', { customHost: host })],
    configs: [
      configOf('a', 'pc-a', { virtual_key: 'prov-a' }),
      configOf('b', 'pc-b', { virtual_key: 'prov-b' }),
      configOf('a', 'pc-steals', { virtual_key: 'prov-b' }),
      configOf('a', 'pc-falls', {
        strategy: { mode: 'fallback' },
        targets: [{ virtual_key: 'id-prov-b' }, { provider: '@prov-b' }, { virtual_key: 'prov-a' }],
      }),
    ],
    callers: { alice: { workspace: 'a' }, bob: { workspace: 'b' } },
    fragment: {
      keys: [fileKey],
      providers: { 'file-prov': saved('openai', host) },
      configs: { 'file-conf': { provider: 'openai', api_key: 'file-key', custom_host: host } },
      defaultConfig: 'file-conf',
    },
    ...more,
  };
}

async function started(t: TestContext, more?: Partial<WorkspaceOptions>) {
  const peer = await startPeer(t);
  const gateway = await workspaceGateway(t, two(peer, more));
  const ask = (caller: string, headers: Readonly<Record<string, string>> = {}, body: JsonObject = asking()) =>
    gateway.post(path, body, { 'x-gw-api-key': caller, ...headers });
  return { peer, gateway, ask };
}

describe('a caller of a workspace', () => {
  const ways: readonly [string, Record<string, string>, string][] = [
    ['its virtual key', { 'x-gw-virtual-key': 'prov-a' }, 'm'],
    ['its virtual key by id', { 'x-gw-virtual-key': 'id-prov-a' }, 'm'],
    ['its provider', { 'x-gw-provider': '@prov-a' }, 'm'],
    ['its provider in the model', {}, '@prov-a/m'],
    ['its config', { 'x-gw-config': 'pc-a' }, 'm'],
    ['its config by id', { 'x-gw-config': 'id-pc-a' }, 'm'],
    ['an inline config with its virtual key', { 'x-gw-config': '{"virtual_key":"prov-a"}' }, 'm'],
  ];
  for (const cold of [false, true]) {
    for (const [what, headers, model] of ways) {
      it(`is served by ${what}, the records ${cold ? 'not yet ' : ''}loaded`, async (t) => {
        const { peer, ask } = await started(t, { cold });
        const reply = await ask('alice', headers, asking(model));
        assert.equal(reply.status, 200, reply.text);
        assert.deepEqual(sentKeys(peer), ['Bearer key-of-prov-a']);
        assert.equal(peer.requests[0]?.body.model, 'm');
      });
    }
  }

  const foreign: readonly [string, Record<string, string>, string, string, RegExp][] = [
    ['virtual key', { 'x-gw-virtual-key': 'prov-b' }, 'm', 'unknown_virtual_key', /"prov-b".*workspace/],
    ['virtual key by id', { 'x-gw-virtual-key': 'id-prov-b' }, 'm', 'unknown_virtual_key', /"id-prov-b"/],
    ['provider', { 'x-gw-provider': '@prov-b' }, 'm', 'unknown_provider', /prov-b/],
    ['provider in the model', {}, '@prov-b/m', 'unknown_provider', /prov-b/],
    ['config', { 'x-gw-config': 'pc-b' }, 'm', 'invalid_config', /"pc-b"/],
    ['config by id', { 'x-gw-config': 'id-pc-b' }, 'm', 'invalid_config', /"id-pc-b"/],
    [
      'provider inside an inline config',
      { 'x-gw-config': '{"virtual_key":"prov-b"}' },
      'm',
      'unknown_virtual_key',
      /b/,
    ],
    ['provider inside a saved config', { 'x-gw-config': 'pc-steals' }, 'm', 'unknown_virtual_key', /"prov-b"/],
  ];
  for (const [what, headers, model, code, message] of foreign) {
    it(`does not reach another workspace's ${what}`, async (t) => {
      const { peer, ask } = await started(t);
      // The owner first: what is kept of its requests must not serve others.
      await ask('bob', headers, asking(model));
      const before = peer.requests.length;
      const reply = await ask('alice', headers, asking(model));
      assert.deepEqual([reply.status, (reply.json.error as JsonObject).code], [400, code], reply.text);
      assert.match(String((reply.json.error as JsonObject).message), message);
      assert.equal(peer.requests.length, before);
    });
  }

  it("goes past another workspace's providers among its fallback targets", async (t) => {
    const { peer, ask } = await started(t);
    const reply = await ask('alice', { 'x-gw-config': 'pc-falls' });
    assert.equal(reply.status, 200, reply.text);
    assert.equal(reply.headers.get('x-gw-last-used-option-index'), 'config.targets[2]');
    assert.deepEqual(sentKeys(peer), ['Bearer key-of-prov-a']);
  });

  const ofFile: readonly [string, Record<string, string>, string][] = [
    ['virtual key', { 'x-gw-virtual-key': 'file-prov' }, 'unknown_virtual_key'],
    ['provider', { 'x-gw-provider': '@file-prov' }, 'unknown_provider'],
    ['config', { 'x-gw-config': 'file-conf' }, 'invalid_config'],
    ['default config', {}, 'bad_request'],
  ];
  for (const [what, headers, code] of ofFile) {
    it(`does not reach the operator's ${what}`, async (t) => {
      const { peer, ask } = await started(t);
      const reply = await ask('alice', headers);
      assert.deepEqual([reply.status, (reply.json.error as JsonObject).code], [400, code], reply.text);
      assert.equal(peer.requests.length, 0);
    });
  }

  it('uses a provider by its plain name with a credential of its own, never with that of the environment', async (t) => {
    const env = (name: string) => (name === 'OPENAI_API_KEY' ? 'env-key' : undefined);
    const { gateway, peer, ask } = await started(t, { overrides: { env } });
    const own = { 'x-gw-provider': 'openai', 'x-gw-custom-host': `${peer.origin}/v1` };
    assert.equal((await ask('alice', { ...own, authorization: 'Bearer own' })).status, 200);
    assert.deepEqual(sentKeys(peer), ['Bearer own']);
    // The same headers by a caller of the file first: nothing of its settings may be kept for others.
    const named = { 'x-gw-provider': 'openai' };
    await gateway.gateway.explain({ headers: { 'x-gw-api-key': 'pk-file', ...named }, body: asking() });
    const reply = await ask('alice', named);
    assert.equal((reply.json.error as JsonObject).code, 'missing_credentials', reply.text);
  });

  it("does not lead the credentials of a provider elsewhere by a config of its own workspace's", async (t) => {
    const other = await startPeer(t);
    const custom_host = `${other.origin}/v1`;
    const { ask } = await started(t, {
      configs: [configOf('a', 'pc-leads', { virtual_key: 'prov-a', custom_host })],
    });
    const reply = await ask('alice', { 'x-gw-config': 'pc-leads' });
    assert.equal((reply.json.error as JsonObject).code, 'missing_credentials', reply.text);
    assert.equal(other.requests.length, 0);
  });

  it('does not see a saved key that belongs to no provider go to one of its choice', async (t) => {
    const { ask } = await started(t, { configs: [configOf('a', 'pc-stray', { api_key: 'k' })] });
    const reply = await ask('alice', { 'x-gw-config': 'pc-stray', 'x-gw-provider': 'openai' });
    assert.equal((reply.json.error as JsonObject).code, 'invalid_config', reply.text);
  });
});

describe('a caller of the file', () => {
  const foreign: readonly [string, Record<string, string>, string][] = [
    ['virtual key', { 'x-gw-virtual-key': 'prov-a' }, 'unknown_virtual_key'],
    ['provider', { 'x-gw-provider': '@prov-a' }, 'unknown_provider'],
    ['config', { 'x-gw-config': 'pc-a' }, 'invalid_config'],
  ];
  for (const [what, headers, code] of foreign) {
    it(`does not reach a workspace's ${what}`, async (t) => {
      const { ask } = await started(t);
      const reply = await ask('pk-file', headers);
      assert.deepEqual([reply.status, (reply.json.error as JsonObject).code], [400, code], reply.text);
    });
  }

  it('is served by the file alone, and asks the directory nothing', async (t) => {
    const { gateway, peer, ask } = await started(t);
    assert.equal((await ask('pk-file')).status, 200);
    assert.equal((await ask('pk-file', { 'x-gw-virtual-key': 'file-prov' })).status, 200);
    assert.deepEqual(sentKeys(peer), ['Bearer file-key', 'Bearer operator-key']);
    assert.deepEqual(gateway.directory.asked, []);
  });
});

describe('the config of a request in a workspace', () => {
  const host = (peer: Peer) => `${peer.origin}/v1`;
  const levels = ['request', 'key', 'workspace', 'organisation'] as const;
  for (const [index, level] of levels.entries()) {
    it(`is that of the ${level} where nothing above it names one`, async (t) => {
      const peer = await startPeer(t);
      const set = (name: (typeof levels)[number]) => levels.indexOf(name) >= index;
      const gateway = await workspaceGateway(t, {
        organisation: { defaults: { config: 'pc-organisation' } },
        workspaces: [workspaceOf('a', { defaults: set('workspace') ? { config: 'id-pc-workspace' } : {} })],
        configs: levels.map((name) =>
          configOf('a', `pc-${name}`, { provider: 'openai', api_key: name, custom_host: host(peer) }),
        ),
        callers: { alice: { workspace: 'a', ...(set('key') ? { config: 'pc-key' } : {}) } },
      });
      const headers = set('request') ? { 'x-gw-config': 'pc-request' } : {};
      const reply = await gateway.post(path, asking(), { 'x-gw-api-key': 'alice', ...headers });
      assert.equal(reply.status, 200, reply.text);
      assert.deepEqual(sentKeys(peer), [`Bearer ${level}`]);
    });
  }

  const pinned = { workspace: 'a', config: 'pc-a', allowConfigOverride: false };
  const refused: readonly [string, Record<string, string>, string][] = [
    ['a saved one', { 'x-gw-config': 'pc-falls' }, 'x-gw-config'],
    ['an inline one', { 'x-gw-config': '{"provider":"echo"}' }, 'x-gw-config'],
    ['a custom host', { 'x-gw-custom-host': 'https://other.example' }, 'x-gw-custom-host'],
  ];
  for (const [what, headers, param] of refused) {
    it(`of a key that allows no other is not replaced by ${what}`, async (t) => {
      const { ask } = await started(t, { callers: { alice: pinned } });
      const reply = await ask('alice', headers);
      const error = reply.json.error as JsonObject;
      assert.deepEqual([reply.status, error.code, error.param], [400, 'config_override_blocked', param], reply.text);
    });
  }

  it('of a key that allows no other serves whichever provider the request names', async (t) => {
    const { peer, ask } = await started(t, { callers: { alice: pinned } });
    for (const headers of [{}, { 'x-gw-provider': 'openai' }, { 'x-gw-virtual-key': 'prov-b' }] as const)
      assert.equal((await ask('alice', headers)).status, 200);
    assert.deepEqual(sentKeys(peer), Array(3).fill('Bearer key-of-prov-a'));
  });

  it('is free for a key that allows no other but has none itself', async (t) => {
    const { ask } = await started(t, { callers: { alice: { workspace: 'a', allowConfigOverride: false } } });
    assert.equal((await ask('alice', { 'x-gw-config': 'pc-a' })).status, 200);
  });
});

describe('a saved provider', () => {
  const using = { 'x-gw-virtual-key': 'p' };
  async function withProvider(t: TestContext, fields: Parameters<typeof providerOf>[2], now?: number) {
    const peer = await startPeer(t);
    const gateway = await workspaceGateway(t, {
      workspaces: [workspaceOf('a')],
      providers: [providerOf('a', 'p', { customHost: `${peer.origin}/v1`, ...fields })],
      callers: { alice: { workspace: 'a' } },
      ...(now === undefined ? {} : { overrides: { now: () => now } }),
    });
    const ask = (model = 'm', at = path) => send(asking(model), at);
    const send = (body: JsonObject | string, at = path) =>
      gateway.post(at, body, { 'x-gw-api-key': 'alice', 'x-kept': 'client', ...using });
    return { peer, ask, send };
  }

  const unusable: readonly [string, Parameters<typeof providerOf>[2], string, RegExp][] = [
    ['exhausted', { status: 'exhausted' }, 'budget_exhausted', /"p" is used up/],
    ['expired', { status: 'expired' }, 'provider_expired', /"p" has expired/],
    ['past its time', { expiresAt: 1000 }, 'provider_expired', /"p" has expired/],
  ];
  for (const [what, fields, code, message] of unusable) {
    it(`that is ${what} is refused by name`, async (t) => {
      const { peer, ask } = await withProvider(t, fields, 1000);
      const reply = await ask();
      const error = reply.json.error as JsonObject;
      assert.deepEqual([reply.status, error.code], [412, code], reply.text);
      assert.match(String(error.message), message);
      assert.equal(peer.requests.length, 0);
    });
  }

  const models = [
    { slug: 'on', enabled: true },
    { slug: 'off', enabled: false },
  ];
  for (const at of [path, '/v1/proxy/chat/completions']) {
    it(`serves the models that are enabled, on ${at}`, async (t) => {
      const { ask } = await withProvider(t, { allowAllModels: false, models });
      assert.equal((await ask('on', at)).status, 200);
      for (const model of ['off', 'other']) {
        const reply = await ask(model, at);
        assert.equal(reply.status, 400, reply.text);
        assert.match(
          reply.text,
          new RegExp(`\\\\"p\\\\" does not serve the model \\\\"${model}\\\\". It serves: on\\.`),
        );
      }
    });
  }

  for (const at of [path, '/v1/proxy/chat/completions']) {
    it(`serves all models but those that are disabled, where all are allowed, on ${at}`, async (t) => {
      const { ask, send } = await withProvider(t, { allowAllModels: true, models });
      assert.deepEqual([(await ask('on', at)).status, (await ask('other', at)).status], [200, 200]);
      const reply = await ask('off', at);
      assert.equal(reply.status, 400, reply.text);
      assert.match(reply.text, /"p\\" does not serve the model \\"off\\". The model is disabled there\./);
      assert.equal((await send({ input: 'x' }, '/v1/proxy/unnamed')).status, 400);
    });
  }

  it('that is limited passes no request through the proxy that hides its model', async (t) => {
    const { peer, ask } = await withProvider(t, { allowAllModels: false, models });
    assert.equal((await ask('on', '/v1/proxy/models/off:generateContent')).status, 400);
    assert.equal(peer.requests.length, 0);
  });

  it('that is limited is asked for the one model that was looked at, where a request names two', async (t) => {
    const { peer, send } = await withProvider(t, { allowAllModels: false, models });
    const twice = JSON.stringify(asking('off')).replace(/}$/, ',"model":"on"}');
    assert.equal((await send(twice)).status, 200);
    assert.equal((await send(twice, '/v1/proxy/chat/completions')).status, 400);
    assert.equal((await send(twice, '/v1/proxy/models/on:generateContent')).status, 400);
    assert.deepEqual(
      peer.requests.map(({ bytes }) => bytes.toString()),
      ['{"model":"on","messages":[{"role":"user","content":"x"}]}'],
    );
  });

  it('that is limited gets the bytes of the client all the same where they name one', async (t) => {
    const { peer, send } = await withProvider(t, { allowAllModels: false, models });
    const spaced = JSON.stringify(asking('on'), null, 1);
    await send(spaced);
    assert.equal((await peer.request(0)).bytes.toString(), spaced);
  });

  it('adds its headers, and those of the model, which the connection and the client cannot replace', async (t) => {
    const { peer, ask } = await withProvider(t, {
      customHeaders: { 'X-Team': 'all', 'X-Kept': 'provider', Connection: 'close', Authorization: 'Bearer wrong' },
      models: [{ slug: 'special', enabled: true, customHeaders: { 'x-team': 'special' } }],
    });
    await ask('m');
    await ask('special');
    assert.deepEqual(
      peer.requests.map(({ headers }) => [headers['x-team'], headers['x-kept'], headers.authorization]),
      [
        ['all', 'provider', 'Bearer key-of-p'],
        ['special', 'provider', 'Bearer key-of-p'],
      ],
    );
    assert.notEqual(peer.requests[0]?.headers.connection, 'close');
  });

  it('sends a model with a host of its own there, credentials included', async (t) => {
    const special = await startPeer(t);
    const { peer, ask } = await withProvider(t, {
      models: [{ slug: 'special', enabled: true, customHost: `${special.origin}/v1` }],
    });
    assert.equal((await ask('special')).status, 200);
    assert.equal((await ask('m')).status, 200);
    assert.deepEqual([sentKeys(special), sentKeys(peer)], [['Bearer key-of-p'], ['Bearer key-of-p']]);
  });

  it('whose secret nobody can resolve is refused, naming the reference', async (t) => {
    const secrets = [{ setting: 'api_key', referenceId: 'r', referenceSlug: 'vault-key', format: 'string' as const }];
    const { peer, ask } = await withProvider(t, { settings: {}, secrets });
    const reply = await ask();
    assert.deepEqual([reply.status, (reply.json.error as JsonObject).code], [502, 'secret_unavailable'], reply.text);
    assert.match(reply.text, /vault-key/);
    assert.equal(peer.requests.length, 0);
  });
});

it('a breaker that one workspace has opened is closed for another with a config of equal text', async (t) => {
  const [broken, well] = [await startPeer(t), await startPeer(t)];
  broken.always({ status: 503 });
  const config = {
    strategy: { mode: 'fallback', cb_config: { failure_threshold: 1 } },
    targets: [{ virtual_key: 'p' }, { virtual_key: 'q' }],
  };
  const { ask } = await started(t, {
    providers: ['a', 'b'].flatMap((id) => [
      providerOf(id, 'p', { customHost: `${(id === 'a' ? broken : well).origin}/v1` }),
      providerOf(id, 'q', { customHost: `${well.origin}/v1` }),
    ]),
    configs: ['a', 'b'].map((id) => configOf(id, 'pc-c', config)),
  });
  const servedBy = async (caller: string) =>
    (await ask(caller, { 'x-gw-config': 'pc-c' })).headers.get('x-gw-last-used-option-index');
  assert.equal(await servedBy('alice'), 'config.targets[1]');
  assert.equal(await servedBy('alice'), 'config.targets[1]');
  assert.equal(broken.requests.length, 1);
  assert.equal(await servedBy('bob'), 'config.targets[0]');
});

describe('the records of a workspace', () => {
  it('are loaded once, only those of the targets that are tried, and then known at once', async (t) => {
    const { gateway, ask } = await started(t, { cold: true });
    const falls = {
      'x-gw-config': '{"strategy":{"mode":"fallback"},"targets":[{"virtual_key":"prov-a"},{"virtual_key":"x"}]}',
    };
    assert.equal((await ask('alice', falls)).status, 200);
    const loaded = gateway.directory.promises();
    assert.deepEqual(
      new Set(gateway.directory.asked),
      new Set(['organisation org-1', 'workspace org-1/a', 'provider org-1/a/prov-a', 'limitPolicies org-1']),
    );
    assert.equal((await ask('alice', falls)).status, 200);
    assert.equal(gateway.directory.promises(), loaded);
  });

  it('name organisation, workspace, key, config and provider in the log', async (t) => {
    const { gateway, ask } = await started(t);
    await ask('alice', { 'x-gw-config': 'pc-a' });
    const { fields } = await gateway.logged((line) => line.event === 'request');
    const { organisation, workspace, key, config, config_id, provider_slug } = fields;
    assert.deepEqual(
      { organisation, workspace, key, config, config_id, provider_slug },
      {
        organisation: 'org-1',
        workspace: 'a',
        key: 'key-alice',
        config: 'pc-a',
        config_id: 'id-pc-a',
        provider_slug: 'prov-a',
      },
    );
  });
});
