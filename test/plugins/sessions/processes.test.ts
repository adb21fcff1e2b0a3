import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { testKeyMaterial } from '../../support/control.ts';
import { onEachStore } from '../../support/stores.ts';
import { isLive, loggedIn, owner, startSessions, tried, withOwner, wrong } from './people.ts';

onEachStore(
  (_, __, fresh) => {
    describe('two processes on one store', () => {
      it('know each other’s sessions, and their ends', async (t) => {
        const shared = { store: await fresh(), keyMaterial: testKeyMaterial() };
        const one = await startSessions(t, shared);
        const other = await startSessions(t, shared);
        assert.deepEqual(other.welcome, []);
        const { token } = await withOwner(one);
        assert.ok(await isLive(other, token));
        await one.ok('POST', '/v1/auth/logout', { key: token });
        assert.equal(await isLive(one, token), false);
        for (let tries = 0; tries < 200 && (await isLive(other, token)); tries += 1) await sleep(25);
        assert.equal(await isLive(other, token), false);
        assert.ok(await isLive(one, await loggedIn(other)));
      });

      it('count attempts together', async (t) => {
        const shared = { store: await fresh(), keyMaterial: testKeyMaterial() };
        const one = await startSessions(t, shared);
        const other = await startSessions(t, shared);
        await withOwner(one);
        const statuses = await Promise.all(
          [one, other, one, other, one, other, one, other].map((at) => tried(at, wrong)),
        );
        assert.equal(statuses.filter((status) => status === 401).length, 5);
        assert.equal(await tried(other, owner), 429);
      });
    });
  },
  { file: true, memory: false },
);
