import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it, type TestContext } from 'node:test';
import type { JsonObject } from 'portcullis/sdk';
import { configOf, providerOf, workspaceOf } from '../support/directory.ts';
import { type Reply, saved } from '../support/gateway.ts';
import { startPeer } from '../support/peer.ts';
import { noUnhandledRejections } from '../support/rejections.ts';
import { workspaceGateway } from '../support/workspaces.ts';

noUnhandledRejections();

const model = (slug: string, provider: string, unit: string, createdAt: number) => ({
  id: `${provider}-${slug}`,
  slug,
  provider,
  unit,
  createdAt,
});

async function started(t: TestContext, cold = false) {
  const peer = await startPeer(t);
  const host = `${peer.origin}/v1`;
  peer.always({ body: { object: 'list', data: [{ id: 'theirs', object: 'model' }] } });
  const listing = { fetch_integrated_models: true };
  const gateway = await workspaceGateway(t, {
    cold,
    workspaces: [workspaceOf('a'), workspaceOf('b')],
    providers: [providerOf('a', 'p', { customHost: host })],
    configs: [
      configOf('a', 'pc-p', { virtual_key: 'p' }),
      configOf('a', 'pc-list', { virtual_key: 'p', ...listing }),
      configOf('a', 'pc-strategy', { strategy: { mode: 'fallback' }, targets: [{ virtual_key: 'p' }], ...listing }),
    ],
    models: {
      a: [
        model('gpt-x', 'p', 'openai', 1_700_000_000_500),
        model('claude-x', 'q', 'anthropic', 1_600_000_000_000),
        model('gpt-y', 'p', 'openai', 1_650_000_000_000),
      ],
      b: [model('hidden', 'r', 'openai', 0)],
    },
    callers: {
      alice: { workspace: 'a' },
      lister: { workspace: 'a', scopes: ['virtual_keys.list'] },
      other: { workspace: 'a', scopes: ['logs.view'] },
    },
    fragment: {
      keys: [{ name: 'file', sha256: createHash('sha256').update('pk-file').digest('hex') }],
      providers: { f: saved('openai', host, undefined, ['gpt-f', 'gpt-g']) },
    },
  });
  const list = (query = '', headers: Readonly<Record<string, string>> = {}, caller = 'alice') =>
    gateway.request('GET', `/v1/models${query}`, { headers: { 'x-gw-api-key': caller, ...headers } });
  return { peer, list };
}

const idsOf = ({ json }: Reply) => (json.data as readonly JsonObject[]).map(({ id }) => id);
const all = ['@p/gpt-x', '@q/claude-x', '@p/gpt-y'];

describe('the list of models', () => {
  for (const cold of [false, true]) {
    it(`is that of the workspace, its records ${cold ? 'not yet ' : ''}loaded`, async (t) => {
      const { list } = await started(t, cold);
      const reply = await list();
      assert.equal(reply.status, 200, reply.text);
      assert.deepEqual([idsOf(reply), reply.json.total_count], [all, 3]);
      assert.deepEqual((reply.json.data as readonly JsonObject[])[0], {
        id: '@p/gpt-x',
        object: 'model',
        created: 1_700_000_000,
        owned_by: 'openai',
      });
    });
  }

  it('of a caller of the file is that of the file', async (t) => {
    const { list } = await started(t);
    assert.deepEqual(idsOf(await list('', {}, 'pk-file')), ['@f/gpt-f', '@f/gpt-g']);
  });

  const signals: readonly [string, Record<string, string>][] = [
    ['a provider', { 'x-gw-provider': '@p' }],
    ['a virtual key', { 'x-gw-virtual-key': 'p' }],
    ['a config', { 'x-gw-config': 'pc-p' }],
  ];
  for (const [what, headers] of signals) {
    it(`is the provider's where ${what} is named`, async (t) => {
      const { peer, list } = await started(t);
      assert.deepEqual(idsOf(await list('', headers)), ['theirs']);
      assert.equal(peer.requests.length, 1);
    });

    for (const force of ['x-gw-fetch-integrated-models', 'x-gw-models-endpoint']) {
      it(`is the gateway's where ${what} is named beside ${force}`, async (t) => {
        const { peer, list } = await started(t);
        assert.deepEqual(idsOf(await list('', { ...headers, [force]: 'true' })), all);
        assert.equal(peer.requests.length, 0);
      });
    }
  }

  for (const config of ['pc-list', 'pc-strategy']) {
    it(`is the gateway's where the config ${config} says so`, async (t) => {
      const { peer, list } = await started(t);
      assert.deepEqual(idsOf(await list('', { 'x-gw-config': config })), all);
      assert.equal(peer.requests.length, 0);
    });
  }

  const queries: readonly [string, readonly string[], number][] = [
    ['?provider=p', ['@p/gpt-x', '@p/gpt-y'], 2],
    ['?provider=%40q', ['@q/claude-x'], 1],
    ['?ai_service=anthropic', ['@q/claude-x'], 1],
    ['?search=GPT-Y', ['@p/gpt-y'], 1],
    ['?provider=none', [], 0],
    ['?sort=name', ['@q/claude-x', '@p/gpt-x', '@p/gpt-y'], 3],
    ['?sort=created&order=desc', ['@p/gpt-x', '@p/gpt-y', '@q/claude-x'], 3],
    ['?provider=p&limit=1', ['@p/gpt-x'], 2],
    ['?provider=p&limit=1&offset=1', ['@p/gpt-y'], 2],
    ['?offset=9', [], 3],
    ['?unheard=of', all, 3],
  ];
  for (const [query, ids, total] of queries) {
    it(`is cut by ${query}, and counts before the page`, async (t) => {
      const { list } = await started(t);
      const reply = await list(query);
      assert.deepEqual([idsOf(reply), reply.json.total_count], [ids, total]);
    });
  }

  for (const [query, param] of [
    ['?limit=0', 'limit'],
    ['?limit=many', 'limit'],
    ['?offset=-1', 'offset'],
    ['?sort=price', 'sort'],
    ['?order=up', 'order'],
  ] as const) {
    it(`refuses ${query}`, async (t) => {
      const { list } = await started(t);
      const reply = await list(query);
      const error = reply.json.error as JsonObject;
      assert.deepEqual([reply.status, error.code, error.param], [400, 'bad_request', param]);
    });
  }

  it('needs one of two permissions', async (t) => {
    const { list } = await started(t);
    assert.equal((await list('', {}, 'lister')).status, 200);
    const reply = await list('', {}, 'other');
    assert.equal(reply.status, 403);
    assert.match(reply.text, /completions\.write or virtual_keys\.list/);
  });
});
