import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { describe, it, type TestContext } from 'node:test';
import { GatewayError, type JsonObject, type Operation, type SharedRedis } from 'portcullis/sdk';
import { affinityActions } from '../../../core/affinity/actions.ts';
import { httpAffinitySource } from '../../../core/affinity/http-source.ts';
import { redisAffinitySource } from '../../../core/affinity/redis-source.ts';
import { hashOf } from '../../../core/affinity/rows.ts';
import type { AffinitySource } from '../../../core/affinity/source.ts';
import { expiredAffinityJob, sqlAffinitySource } from '../../../core/affinity/sql-source.ts';
import { affinityMigrations, affinityTable } from '../../../core/affinity/tables.ts';
import { endpointOf } from '../../../core/resources/endpoints.ts';
import { migrate } from '../../../core/store/migrate.ts';
import type { Store } from '../../../core/store/store.ts';
import { recordingLog } from '../../support/recording-log.ts';
import { onEachStore } from '../../support/stores.ts';
import { rowOf, start } from './rows.ts';

interface Opened {
  readonly source: AffinitySource;
  readonly clock: { now: number };
}

const ordered = async (source: AffinitySource, ids: readonly string[]) =>
  (await source.find(ids.map(hashOf))).toSorted((a, b) => (a.idHash + a.scope < b.idHash + b.scope ? -1 : 1));

/** What every source keeps to. */
function conforms(open: (t: TestContext) => Promise<Opened>): void {
  it('gives the rows of every scope, whole, and none of other ids', async (t) => {
    const { source } = await open(t);
    const own = rowOf('f-1', 'ws-1', { providerSlug: 'main', kind: 'batch' });
    const foreign = rowOf('f-1', 'ws-2', { target: 'b'.repeat(64), provider: 'anthropic' });
    await source.write({ rows: [own, foreign, rowOf('f-2', 'ws-1')], forgotten: [] });
    assert.deepEqual(await ordered(source, ['f-1']), [own, foreign]);
    assert.deepEqual(await ordered(source, ['f-1', 'f-3']), [own, foreign]);
    assert.deepEqual(await source.find([hashOf('f-3')]), []);
  });

  it('takes a row in the place of an older one, and the same one twice', async (t) => {
    const { source } = await open(t);
    await source.write({ rows: [rowOf('f-1', 'ws-1', { providerSlug: 'main' })], forgotten: [] });
    const later = rowOf('f-1', 'ws-1', { target: 'c'.repeat(64) });
    await source.write({ rows: [later], forgotten: [] });
    await source.write({ rows: [later], forgotten: [] });
    assert.deepEqual(await source.find([hashOf('f-1')]), [later]);
  });

  it('forgets the row of one scope, and what it never knew', async (t) => {
    const { source } = await open(t);
    await source.write({ rows: [rowOf('f-1', 'ws-1'), rowOf('f-1', 'ws-2')], forgotten: [] });
    const gone = [rowOf('f-1', 'ws-1'), rowOf('f-9', 'ws-1')].map(({ idHash, scope }) => ({ idHash, scope }));
    await source.write({ rows: [], forgotten: gone });
    assert.deepEqual(await source.find([hashOf('f-1')]), [rowOf('f-1', 'ws-2')]);
    assert.deepEqual(await source.find([hashOf('f-9')]), []);
  });

  it('gives nothing that has expired', async (t) => {
    const { source, clock } = await open(t);
    await source.write({ rows: [rowOf('f-1', 'ws-1')], forgotten: [] });
    clock.now = start + 3_599_000;
    assert.equal((await source.find([hashOf('f-1')])).length, 1);
    clock.now = start + 3_600_000;
    assert.deepEqual(await source.find([hashOf('f-1')]), []);
  });

  it('takes as many rows at once as a process gathers', async (t) => {
    const { source } = await open(t);
    const rows = Array.from({ length: 500 }, (_, index) => rowOf(`f-${index}`, 'ws-1'));
    await source.write({ rows, forgotten: [] });
    assert.equal(
      (
        await source.find([
          ...rows.map(({ idHash }) => idHash),
          ...Array.from({ length: 600 }, (_, i) => hashOf(`g-${i}`)),
        ])
      ).length,
      500,
    );
    await source.write({ rows: [], forgotten: rows });
    assert.deepEqual(await source.find(rows.map(({ idHash }) => idHash)), []);
  });
}

const migrated = async (store: Store): Promise<void> => {
  await migrate(store, [{ plugin: 'core', migrations: affinityMigrations }], recordingLog().log);
};

onEachStore((name, open) => {
  describe(`affinity in the store on ${name}`, () => {
    conforms(async () => {
      const store = await open();
      await migrated(store);
      const clock = { now: start };
      return { source: sqlAffinitySource(store, () => clock.now), clock };
    });

    it('is pruned by time', async () => {
      const store = await open();
      await migrated(store);
      const clock = { now: start };
      const source = sqlAffinitySource(store, () => clock.now);
      const late = Array.from({ length: 1_100 }, (_, index) => rowOf(`f-${index}`, 'ws-1'));
      await source.write({
        rows: [...late, rowOf('kept', 'ws-1', { expiresAt: start / 1000 + 9_999 })],
        forgotten: [],
      });
      const job = expiredAffinityJob(store, () => clock.now);
      await job.run();
      assert.equal((await store.db(affinityTable)).length, 1_101);
      clock.now = start + 3_600_000;
      await job.run();
      assert.deepEqual(await store.db(affinityTable).pluck('id_hash'), [hashOf('kept')]);
    });

    it('takes the same rows from several writers at a time', async () => {
      const store = await open();
      await migrated(store);
      const rows = Array.from({ length: 200 }, (_, index) => rowOf(`f-${index}`, 'ws-1'));
      const writers = Array.from({ length: 4 }, () => sqlAffinitySource(store, () => start));
      await Promise.all(
        writers.map((writer, index) =>
          writer.write({ rows: index % 2 === 0 ? rows : rows.toReversed(), forgotten: [] }),
        ),
      );
      assert.equal((await store.db(affinityTable)).length, 200);
    });
  });
});

/** A Redis of one map, as plugins see theirs. */
function fakeRedis(clock: { now: number }): SharedRedis & { away: boolean } {
  const values = new Map<string, { readonly value: Uint8Array; readonly until: number }>();
  return {
    away: false,
    async get(key) {
      const found = values.get(key);
      return this.away || found === undefined || found.until <= clock.now ? undefined : found.value;
    },
    async set(key, value, ttlMs) {
      if (this.away) return false;
      assert.ok(ttlMs >= 1);
      values.set(key, { value, until: clock.now + ttlMs });
      return true;
    },
    async delete(key) {
      values.delete(key);
    },
  };
}

describe('affinity in Redis', () => {
  conforms(async () => {
    const clock = { now: start };
    return { source: redisAffinitySource(fakeRedis(clock), () => clock.now), clock };
  });

  it('says when it could not write', async () => {
    const clock = { now: start };
    const redis = fakeRedis(clock);
    redis.away = true;
    const source = redisAffinitySource(redis, () => clock.now);
    await assert.rejects(source.write({ rows: [rowOf('f-1', 'ws-1')], forgotten: [] }));
  });
});

const serviceToken = 'a-service-token-of-32-characters';

/** The routes of the control plane, with the checks of their bodies. */
async function served(t: TestContext, source: AffinitySource) {
  const endpoints = affinityActions(source).map((action) => endpointOf('core', action, 'Affinity', new Map()));
  const server = createServer(async (request, response) => {
    try {
      assert.equal(request.headers['x-gw-service-token'], serviceToken);
      const given = (await json(request)) as JsonObject;
      const endpoint = endpoints.find(({ paths }) => paths.includes(request.url ?? ''));
      const body = endpoint?.body?.read(given) ?? {};
      const reply = await endpoint?.action?.run({ body, query: {} } as unknown as Operation, undefined);
      response.end(JSON.stringify(reply));
    } catch (error) {
      response.writeHead(GatewayError.is(error) ? error.status : 500).end('{}');
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const client = httpAffinitySource({ url, serviceToken });
  t.after(async () => {
    await client.close();
    server.close();
    server.closeAllConnections();
  });
  return { client, url };
}

describe('affinity in a control plane elsewhere', () => {
  conforms(async (t) => {
    const clock = { now: start };
    const source = redisAffinitySource(fakeRedis(clock), () => clock.now);
    return { source: (await served(t, source)).client, clock };
  });

  it('refuses what is no row', async (t) => {
    const { client } = await served(
      t,
      redisAffinitySource(fakeRedis({ now: start }), () => start),
    );
    await assert.rejects(client.find(['no hash']), (error) => GatewayError.is(error) && error.code === 'not_ready');
    const odd = rowOf('f-1', 's'.repeat(37));
    await assert.rejects(client.write({ rows: [odd], forgotten: [] }), GatewayError.is);
  });

  it('rejects while nobody answers', async (t) => {
    const { client } = await served(t, {
      find: () => Promise.reject(new Error('away')),
      write: () => Promise.reject(new Error('away')),
    });
    await assert.rejects(client.find([hashOf('f-1')]), (error) => GatewayError.is(error) && error.code === 'not_ready');
    await assert.rejects(client.write({ rows: [rowOf('f-1', 'ws-1')], forgotten: [] }), GatewayError.is);
  });
});
