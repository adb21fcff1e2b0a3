import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it, type TestContext } from 'node:test';
import type { CounterSource, UsageBatch } from '../../../core/limits/counter-source.ts';
import { httpCounterSource } from '../../../core/limits/http-source.ts';
import { memoryCounterSource } from '../../../core/limits/memory-source.ts';
import { sqlCounterSource } from '../../../core/limits/sql-source.ts';
import { counterMigrations } from '../../../core/limits/tables.ts';
import { migrate } from '../../../core/store/migrate.ts';
import type { Store } from '../../../core/store/store.ts';
import { recordingLog } from '../../support/recording-log.ts';
import { onEachStore } from '../../support/stores.ts';
import { organisation } from './bed.ts';
import { serveCounters, serviceToken } from './serving.ts';

const start = 1_767_225_600_000;
const key = (name: string, from = start) => ({ organisationId: organisation, name, start: from });

interface Opened {
  readonly source: CounterSource;
  /** The clock of whoever writes. */
  readonly clock: { now: number };
}

/** What every source keeps to. */
function conforms(open: (t: TestContext) => Promise<Opened>): void {
  const writer = randomUUID();
  let number = 0;
  const batch = (...deltas: readonly (readonly [string, number])[]): UsageBatch => {
    number += 1;
    return { writer, number, deltas: deltas.map(([name, amount]) => ({ ...key(name), amount })) };
  };

  it('adds batches up, and gives 0 for what it does not know', async (t) => {
    const { source } = await open(t);
    await source.add(batch(['a', 5], ['b', 7]));
    await source.add(batch(['b', 1], ['c', 9]));
    const asked = [key('c'), key('a'), key('b'), key('d'), key('a', start + 1)];
    assert.deepEqual(await source.load(asked), [9, 5, 8, 0, 0]);
    assert.deepEqual(await source.load([{ ...key('a'), organisationId: 'another' }]), [0]);
  });

  it('takes a batch once, however often it comes', async (t) => {
    const { source } = await open(t);
    const [first, second] = [batch(['a', 5]), batch(['a', 1])];
    await source.add(first);
    await source.add(first);
    await source.add(second);
    await source.add(first);
    assert.deepEqual(await source.load([key('a')]), [6]);
    await source.add({ ...first, writer: randomUUID() });
    assert.deepEqual(await source.load([key('a')]), [11]);
  });

  it('tells names apart that look alike, and takes long ones', async (t) => {
    const { source } = await open(t);
    const names = ['usage/Ä', 'usage/ä', 'usage/a', 'usage/A', 'usage/a ', `usage/${'ü'.repeat(494)}`, '🦊', "'; --"];
    await source.add(batch(...names.map((name, index) => [name, index + 1] as const)));
    assert.deepEqual(
      await source.load(names.map((name) => key(name))),
      names.map((_, index) => index + 1),
    );
  });

  it('adds to what was set, and sets what was added to', async (t) => {
    const { source } = await open(t);
    await source.set(key('a'), 40);
    await source.add(batch(['a', 2]));
    assert.deepEqual(await source.load([key('a')]), [42]);
    await source.set(key('a'), 0);
    assert.deepEqual(await source.load([key('a')]), [0]);
  });

  it('holds figures to the last billionth of nine million dollars, and stays there', async (t) => {
    const { source } = await open(t);
    await source.set(key('a'), 8_999_999_999_999_997);
    await source.add(batch(['a', 2]));
    assert.deepEqual(await source.load([key('a')]), [8_999_999_999_999_999]);
    await source.add(batch(['a', 8_999_999_999_999_999]));
    assert.deepEqual(await source.load([key('a')]), [9_000_000_000_000_000]);
  });

  it('lists by the beginning of the name, the newest change first, in pages', async (t) => {
    const { source, clock } = await open(t);
    for (const name of ['p/1_/x', 'p/1%/x', 'p/1_/y', 'P/1_/x', 'q']) {
      clock.now += 1_000;
      await source.set(key(name), 5);
    }
    await source.set(key('p/1_/x', start + 1), 6);
    const names = async (...asked: Parameters<CounterSource['list']>) => {
      const { total, counts } = await source.list(...asked);
      return [total, counts.map(({ name, used }) => `${name} ${used}`)];
    };
    assert.deepEqual(await names(organisation, 'p/1_/', start, 10, 0), [2, ['p/1_/y 5', 'p/1_/x 5']]);
    assert.deepEqual(await names(organisation, 'p/', start, 1, 1), [3, ['p/1%/x 5']]);
    assert.deepEqual(await names(organisation, 'p/1_/x', undefined, 10, 0), [2, ['p/1_/x 6', 'p/1_/x 5']]);
    assert.deepEqual(await names('another', 'p/', start, 10, 0), [0, []]);
  });

  it('tells what has changed since a moment, the oldest first', async (t) => {
    const { source, clock } = await open(t);
    await source.set(key('old'), 1);
    clock.now += 1_000;
    const since = clock.now;
    await source.set(key('new'), 2);
    clock.now += 1_000;
    await source.add(batch(['old', 4]));
    assert.deepEqual(await source.changedSince(since, 10), [
      { ...key('new'), used: 2, changedAt: since },
      { ...key('old'), used: 5, changedAt: since + 1_000 },
    ]);
    assert.equal((await source.changedSince(since, 1)).length, 1);
    // The clock of a writer that is behind hides nothing.
    clock.now -= 60_000;
    await source.add(batch(['old', 1]));
    assert.deepEqual(
      (await source.changedSince(since + 1_000, 10)).map(({ used }) => used),
      [6],
    );
  });

  it('loses nothing of many batches that come at once from several writers', async (t) => {
    const { source } = await open(t);
    const names = Array.from({ length: 120 }, (_, index) => `n/${index}`);
    await Promise.all(
      Array.from({ length: 6 }, async (_, number) => {
        const own = randomUUID();
        // Each in an order of its own.
        const mine = [...names.slice(number * 20), ...names.slice(0, number * 20)];
        for (let round = 1; round <= 3; round += 1) {
          await source.add({ writer: own, number: round, deltas: mine.map((name) => ({ ...key(name), amount: 1 })) });
        }
      }),
    );
    assert.deepEqual(
      await source.load(names.map((name) => key(name))),
      names.map(() => 18),
    );
  });
}

async function overStore(store: Store): Promise<Opened> {
  await migrate(store, [{ plugin: 'core', migrations: counterMigrations }], recordingLog().log);
  const clock = { now: start };
  return { source: sqlCounterSource(store, () => clock.now), clock };
}

describe('a source in memory', () => {
  conforms(async () => {
    const clock = { now: start };
    return { source: memoryCounterSource(() => clock.now), clock };
  });
});

onEachStore(
  (_name, open) => {
    describe('a source over the store', () => conforms(async () => overStore(await open())));
    describe('a source over HTTP', () => {
      const overHttp = async (t: TestContext) => {
        const { source, clock } = await overStore(await open());
        const plane = await serveCounters(source);
        const client = httpCounterSource({ url: plane.url, serviceToken });
        t.after(async () => {
          await client.close();
          await plane.close();
        });
        return { source: client, clock, plane };
      };
      conforms(overHttp);

      it('says that the control plane is away, or does not know it', async (t) => {
        const { source, plane } = await overHttp(t);
        const stranger = httpCounterSource({ url: plane.url, serviceToken: 'another-token-of-32-characters!!' });
        t.after(() => stranger.close());
        await assert.rejects(stranger.load([key('a')]), { code: 'not_ready', message: /SERVICE_TOKEN/ });
        plane.answer(502);
        await assert.rejects(source.load([key('a')]), { code: 'not_ready' });
        plane.answer(undefined);
        await assert.rejects(source.load([key('x'.repeat(501))]), { code: 'internal' });
        await plane.close();
        await assert.rejects(source.load([key('a')]), { code: 'not_ready' });
      });

      it('adds a batch once whose answer got lost', async (t) => {
        const { source, plane } = await overHttp(t);
        const batch = { writer: randomUUID(), number: 1, deltas: [{ ...key('lost'), amount: 3 }] };
        plane.answer(504);
        await assert.rejects(source.add(batch), { code: 'not_ready' });
        plane.answer(undefined);
        await source.add(batch);
        assert.deepEqual(await source.load([key('lost')]), [3]);
      });
    });
  },
  { file: true },
);
