import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type RedisServer, redisMissing, startRedis } from '../../support/redis.ts';
import { digestOf, fakeSource } from './fake-source.ts';
import { openDirectory, until } from './support.ts';

describe('notices through Redis', { skip: redisMissing ?? false }, () => {
  let redis: RedisServer;
  before(async () => {
    redis = await startRedis();
  });
  after(() => redis.close());

  const key = digestOf(1);
  const isGone = async (get: () => unknown) => (await get()) === undefined;

  /** Two processes over one source, that hear of each other by Redis alone. */
  async function two() {
    const source = fakeSource();
    source.put('key', [key], { organisationId: 'org-1', id: 'key-1' });
    const here = await openDirectory(source, { redisUrl: redis.url });
    const there = await openDirectory(source, { redisUrl: redis.url });
    assert.ok(await there.directory.get('key', key));
    // Each asks at its start, when it is told to, and on being connected.
    await until(() => source.questions >= 6);
    await there.directory.get('key', key);
    return { source, here, there };
  }

  it('stop a revoked key elsewhere without a question', async () => {
    const { source, here, there } = await two();
    const asked = source.questions;
    source.remove('key', [key], 'org-1');
    here.directory.notify('org-1');
    while (!(await isGone(() => there.directory.get('key', key)))) await new Promise((wake) => setTimeout(wake, 5));
    assert.equal(source.questions, asked);
  });

  it('that are lost are made good on coming back; each outage is logged once, and no write waits', async () => {
    const { source, here, there } = await two();
    await redis.stop();
    await until(() => there.logged.some(({ event }) => event === 'directory_notices_away'));
    source.remove('key', [key], 'org-1');
    here.directory.notify('org-1');
    assert.equal(await here.directory.get('key', key), undefined);
    assert.ok(await there.directory.get('key', key), 'nothing has told it');
    await redis.start();
    while (!(await isGone(() => there.directory.get('key', key)))) await new Promise((wake) => setTimeout(wake, 5));
    const sides = there.logged.filter(({ event, fields }) => event.endsWith('_away') && fields.side === 'subscribe');
    assert.equal(sides.length, 1);
  });

  it('never hold up a write while Redis is frozen', async () => {
    const { source, here } = await two();
    redis.freeze();
    source.remove('key', [key], 'org-1');
    for (let index = 0; index < 1000; index++) here.directory.notify('org-1');
    assert.equal(await here.directory.get('key', key), undefined);
    redis.thaw();
    await here.directory.close();
  });
});
