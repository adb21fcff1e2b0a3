import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Auth, MachineIdentity } from 'portcullis/sdk';
import { Authenticator } from '../../../core/upstream/auth.ts';
import { CachedTokens } from '../../../core/upstream/cached-tokens.ts';

const lasting = (value: string) => async () => ({ value, expiresAtMs: 3_600_000 });

describe('what is kept for settings', () => {
  const owner = { settings: { region: 'a' }, upstream: 'some' };

  it('with the identity of the machine is for nobody who may not spend it', async () => {
    const tokens = new CachedTokens(() => 0);
    assert.equal(await tokens.get({ ...owner, machine: true }, 't', lasting('of the machine')), 'of the machine');
    assert.equal(await tokens.get(owner, 't', lasting('own')), 'own');
    assert.equal(await tokens.get({ ...owner, machine: false }, 't', lasting('other')), 'own');
  });

  it('is not driven out by settings that come once', async () => {
    const tokens = new CachedTokens(() => 0);
    await tokens.get(owner, 't', lasting('kept'));
    for (let index = 0; index < 3000; index += 1) {
      await tokens.get({ settings: { index }, upstream: 'some' }, 't', lasting('once'));
      assert.equal(await tokens.get(owner, 't', lasting('again')), 'kept');
    }
  });

  it('is fetched anew after an answer that forgets it, by those alone who were refused', async () => {
    const tokens = new CachedTokens(() => 0);
    await tokens.get({ ...owner, machine: true }, 't', lasting('machine'));
    tokens.forget(owner);
    assert.equal(await tokens.get({ ...owner, machine: true }, 't', lasting('again')), 'machine');
  });
});

describe('a caller with the settings of an operator', () => {
  const machine: MachineIdentity = {
    env: () => undefined,
    readFile: async () => '',
    send: async () => ({ status: 200, body: '{}' }),
  };
  const auth: Auth = {
    kind: 'signed',
    headers: async (_, __, tools) => ({
      authorization: await tools.cached('t', async () => {
        if (tools.machine === undefined) throw new Error('Not the machine.');
        return { value: 'Bearer machine', expiresAtMs: 3_600_000 };
      }),
    }),
  };
  const request = () => ({ method: 'GET', url: 'https://a.example', headers: {}, body: undefined, flows: false });

  it('does not get the token that was made for them', async () => {
    const authenticator = new Authenticator(
      async () => ({ status: 200, body: '' }),
      () => 0,
      machine,
    );
    const settings = { mode: 'managed' };
    const operator = { settings, upstream: 'some', machine: true };
    assert.deepEqual(await authenticator.headersFor(auth, operator, request), { authorization: 'Bearer machine' });
    const caller = { settings: { ...settings }, upstream: 'some' };
    await assert.rejects(async () => authenticator.headersFor(auth, caller, request), /Not the machine/);
  });
});
