import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { completion, statusOf, withCache } from '../plugins/cache/serving.ts';
import { organisationOf, providerOf, workspaceOf } from '../support/directory.ts';
import { startPeer } from '../support/peer.ts';
import { noUnhandledRejections } from '../support/rejections.ts';
import { workspaceGateway } from '../support/workspaces.ts';

noUnhandledRejections();

const body = { model: 'm', messages: [{ role: 'user', content: 'x' }] };

/** Two workspaces with a provider of one slug, host and credential each. */
async function started(t: TestContext) {
  const clock = { now: 1_800_000_000_000 };
  const peer = await startPeer(t);
  let made = 0;
  peer.always(() => {
    made += 1;
    return { body: completion(`reply ${made}`) };
  });
  const host = { customHost: `${peer.origin}/v1` };
  const gateway = await workspaceGateway(t, {
    workspaces: [workspaceOf('a'), workspaceOf('b')],
    providers: [providerOf('a', 'prov', host), providerOf('b', 'prov', host)],
    organisation: organisationOf({ maxCacheAgeSeconds: 120 }),
    callers: { alice: { workspace: 'a' }, adam: { workspace: 'a' }, bob: { workspace: 'b' } },
    fragment: withCache,
    overrides: { now: () => clock.now },
  });
  const ask = (caller: string, headers: Readonly<Record<string, string>> = {}) =>
    gateway.post('/v1/chat/completions', body, {
      'x-gw-api-key': caller,
      'x-gw-config': JSON.stringify({ virtual_key: 'prov', cache: 'simple' }),
      ...headers,
    });
  return { peer, ask, clock };
}

describe('a kept reply', () => {
  it('is shared by the keys of a workspace, and by no other workspace', async (t) => {
    const { ask, peer } = await started(t);
    const replies = [await ask('alice'), await ask('adam'), await ask('bob'), await ask('bob')];
    assert.deepEqual(replies.map(statusOf), ['MISS', 'HIT', 'MISS', 'HIT']);
    assert.notEqual(replies[2]?.text, replies[0]?.text);
    assert.equal(peer.requests.length, 2);
  });

  it('in a namespace belongs to the key that named it', async (t) => {
    const { ask } = await started(t);
    const named = { 'x-gw-cache-namespace': 'shared' };
    const replies = [
      await ask('alice', named),
      await ask('adam', named),
      await ask('alice', named),
      await ask('alice'),
    ];
    assert.deepEqual(replies.map(statusOf), ['MISS', 'MISS', 'HIT', 'MISS']);
  });

  it('is not given to a caller who sends another header along', async (t) => {
    const { ask } = await started(t);
    const config = { virtual_key: 'prov', cache: 'simple', forward_headers: ['x-user'] };
    const forwards = (user: string) => ask('alice', { 'x-gw-config': JSON.stringify(config), 'x-user': user });
    const replies = [await forwards('ann'), await forwards('bob'), await forwards('ann')];
    assert.deepEqual(replies.map(statusOf), ['MISS', 'MISS', 'HIT']);
  });

  it('is no older than the organisation allows', async (t) => {
    const { ask, clock } = await started(t);
    await ask('alice');
    clock.now += 119_000;
    assert.equal(statusOf(await ask('alice')), 'HIT');
    clock.now += 1_000;
    assert.equal(statusOf(await ask('alice')), 'MISS');
  });
});
