import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { createAffinity } from '../../../core/affinity/affinity.ts';
import { type AffinityRow, hashOf, keyText } from '../../../core/affinity/rows.ts';
import type { AffinityChanges, AffinitySource } from '../../../core/affinity/source.ts';
import { recordingLog } from '../../support/recording-log.ts';
import { rowOf, start } from './rows.ts';

/** A source of one map, that can be away and counts what it is asked. */
function fakeSource() {
  const rows = new Map<string, AffinityRow>();
  const writes: AffinityChanges[] = [];
  const state = { away: false, questions: 0, hold: undefined as Promise<void> | undefined };
  const source: AffinitySource = {
    find: async (idHashes) => {
      state.questions += 1;
      await state.hold;
      if (state.away) throw new Error('select secret from table');
      return [...rows.values()].filter(({ idHash }) => idHashes.includes(idHash));
    },
    write: async (changes) => {
      await state.hold;
      if (state.away) throw new Error('insert secret');
      writes.push(changes);
      for (const row of changes.rows) rows.set(keyText(row), row);
      for (const key of changes.forgotten) rows.delete(keyText(key));
    },
  };
  return { rows, writes, state, source };
}

function bed(options: { readonly mostIds?: number; readonly alone?: boolean } = {}) {
  const held = fakeSource();
  const { log, logged } = recordingLog();
  const clock = { now: start };
  const source = options.alone === true ? undefined : held.source;
  const more = options.mostIds === undefined ? {} : { mostIds: options.mostIds };
  const affinity = createAffinity({ now: () => clock.now, log, source, ...more });
  const standing = async (id: string, scope: string) => (await affinity.find([hashOf(id)], scope))[0];
  return { ...held, affinity, clock, logged, standing };
}

const until = async (holds: () => boolean): Promise<void> => {
  for (let turn = 0; turn < 400 && !holds(); turn += 1) await delay(5);
  assert.ok(holds(), 'within two seconds');
};

describe('what a process knows', () => {
  it('is known at once, without a promise, and written within 100 ms in one batch', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const { affinity, state, writes } = bed();
    const own = rowOf('f-1', 'ws-1');
    affinity.remember([own]);
    affinity.remember([rowOf('f-2', 'ws-1')]);
    assert.deepEqual(affinity.find([own.idHash], 'ws-1'), [own]);
    assert.equal(state.questions, 0);
    assert.equal(writes.length, 0, 'nothing is written while a request waits');
    t.mock.timers.tick(99);
    await new Promise(setImmediate);
    assert.deepEqual(writes, [{ rows: [own, rowOf('f-2', 'ws-1')], forgotten: [] }]);
    await affinity.close();
  });

  it('tells own, foreign and unknown apart', async () => {
    const { affinity, standing, rows } = bed();
    rows.set('x', rowOf('f-1', 'ws-2'));
    affinity.remember([rowOf('f-2', 'ws-1')]);
    assert.equal(await standing('f-1', 'ws-1'), 'foreign');
    assert.equal(await standing('f-2', 'ws-2'), 'foreign');
    assert.equal(await standing('f-3', 'ws-1'), 'unknown');
    const both = await affinity.find(['f-2', 'f-1', 'f-2'].map(hashOf), 'ws-1');
    assert.deepEqual(
      both.map((found) => typeof found),
      ['object', 'string', 'object'],
    );
    await affinity.close();
  });

  it('asks its source for a row of the own scope although it knows a foreign one', async () => {
    const { affinity, standing, rows } = bed();
    rows.set('x', rowOf('f-1', 'ws-1'));
    affinity.remember([rowOf('f-1', 'ws-2')]);
    assert.deepEqual(await standing('f-1', 'ws-1'), rowOf('f-1', 'ws-1'));
    await affinity.close();
  });

  it('tells of every object of a list that is longer than what finds room', async () => {
    const { affinity, rows } = bed({ mostIds: 10 });
    const ids = Array.from({ length: 100 }, (_, index) => `f-${index}`);
    for (const [index, id] of ids.entries()) rows.set(id, rowOf(id, index % 2 === 0 ? 'ws-1' : 'ws-2'));
    const found = await affinity.find(ids.map(hashOf), 'ws-1');
    assert.deepEqual(
      found.map((standing) => (typeof standing === 'object' ? 'own' : standing)),
      ids.map((_, index) => (index % 2 === 0 ? 'own' : 'foreign')),
    );
    await affinity.close();
  });

  it('is asked of the source once', async () => {
    const { affinity, standing, rows, state } = bed();
    rows.set('x', rowOf('f-1', 'ws-1'));
    await standing('f-1', 'ws-1');
    await standing('f-1', 'ws-1');
    assert.equal(state.questions, 1);
    await affinity.close();
  });

  it('writes again what has changed, and not what has not', async () => {
    const { affinity, writes } = bed();
    affinity.remember([rowOf('f-1', 'ws-1')]);
    await until(() => writes.length === 1);
    affinity.remember([rowOf('f-1', 'ws-1', { createdAt: start / 1000 + 5 })]);
    affinity.remember([rowOf('f-1', 'ws-1', { providerSlug: 'other' })]);
    await until(() => writes.length === 2);
    assert.equal(writes[1]?.rows[0]?.providerSlug, 'other');
    assert.equal(writes[1]?.rows.length, 1);
    await affinity.close();
    assert.equal(writes.length, 2);
  });

  it('expires', async () => {
    const { affinity, standing, clock } = bed({ alone: true });
    affinity.remember([rowOf('f-1', 'ws-1')]);
    clock.now = start + 3_600_000;
    assert.equal(await standing('f-1', 'ws-1'), 'unknown');
    await affinity.close();
  });

  it('is bounded', async () => {
    const { affinity, standing } = bed({ alone: true, mostIds: 3 });
    for (const id of ['f-1', 'f-2', 'f-3', 'f-4']) affinity.remember([rowOf(id, 'ws-1')]);
    assert.equal(await standing('f-1', 'ws-1'), 'unknown');
    assert.equal(typeof (await standing('f-4', 'ws-1')), 'object');
    await affinity.close();
  });
});

describe('what is forgotten', () => {
  it('is unknown at once, also while the source still has it', async () => {
    const { affinity, standing, rows, state, writes } = bed();
    rows.set(keyText(rowOf('f-1', 'ws-1')), rowOf('f-1', 'ws-1'));
    await standing('f-1', 'ws-1');
    affinity.forget({ idHash: hashOf('f-1'), scope: 'ws-1' });
    assert.equal(await standing('f-1', 'ws-1'), 'unknown');
    const held = Promise.withResolvers<void>();
    state.hold = held.promise;
    await delay(60);
    state.hold = undefined;
    assert.equal(await standing('f-1', 'ws-1'), 'unknown', 'while it is written');
    held.resolve();
    await until(() => writes.length === 1);
    assert.equal(rows.size, 0);
    await affinity.close();
  });

  it('leaves the rows of other scopes', async () => {
    const { affinity, standing } = bed({ alone: true });
    affinity.remember([rowOf('f-1', 'ws-1'), rowOf('f-1', 'ws-2')]);
    affinity.forget({ idHash: hashOf('f-1'), scope: 'ws-1' });
    assert.equal(await standing('f-1', 'ws-1'), 'foreign');
    assert.equal(typeof (await standing('f-1', 'ws-2')), 'object');
    await affinity.close();
  });

  it('is known again when it is made again', async () => {
    const { affinity, standing, rows } = bed();
    affinity.remember([rowOf('f-1', 'ws-1')]);
    affinity.forget({ idHash: hashOf('f-1'), scope: 'ws-1' });
    affinity.remember([rowOf('f-1', 'ws-1')]);
    assert.equal(typeof (await standing('f-1', 'ws-1')), 'object');
    await affinity.close();
    assert.equal(rows.size, 1);
  });
});

describe('a source that is away', () => {
  it('is told once, passed over, and waited for by nobody for a while', async () => {
    const { affinity, standing, state, logged } = bed();
    affinity.remember([rowOf('f-1', 'ws-1'), rowOf('f-2', 'ws-2')]);
    state.away = true;
    assert.equal(await standing('f-9', 'ws-1'), 'unknown');
    assert.equal(await standing('f-2', 'ws-1'), 'foreign');
    assert.equal(typeof (await standing('f-1', 'ws-1')), 'object');
    const { questions } = state;
    await standing('f-9', 'ws-1');
    assert.equal(state.questions, questions);
    assert.deepEqual(
      logged.map(({ event }) => event),
      ['affinity_away'],
    );
    assert.ok(!JSON.stringify(logged).includes('secret'));
    state.away = false;
    await affinity.close();
  });

  it('gets what it has missed once it is back', async () => {
    const { affinity, state, rows, logged } = bed();
    state.away = true;
    affinity.remember([rowOf('f-1', 'ws-1'), rowOf('f-2', 'ws-1')]);
    await until(() => logged.length === 1);
    affinity.forget({ idHash: hashOf('f-2'), scope: 'ws-1' });
    state.away = false;
    await until(() => rows.size > 0);
    assert.deepEqual([...rows.values()], [rowOf('f-1', 'ws-1')]);
    assert.deepEqual(
      logged.map(({ event }) => event),
      ['affinity_away', 'affinity_back'],
    );
    await affinity.close();
  });

  it('that says nothing is given up after a second', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const { affinity, standing, state, logged } = bed();
    const held = Promise.withResolvers<void>();
    state.hold = held.promise;
    const asked = standing('f-1', 'ws-1');
    await new Promise(setImmediate);
    t.mock.timers.tick(999);
    await new Promise(setImmediate);
    assert.deepEqual(logged, [], 'not before');
    t.mock.timers.tick(1);
    assert.equal(await asked, 'unknown');
    assert.deepEqual(
      logged.map(({ event }) => event),
      ['affinity_away'],
    );
    held.resolve();
    await affinity.close();
  });
});

describe('closing', () => {
  it('writes what waits, and more than one batch of it', async () => {
    const { affinity, rows, writes } = bed();
    affinity.remember(Array.from({ length: 1_200 }, (_, index) => rowOf(`f-${index}`, 'ws-1')));
    await affinity.close();
    assert.equal(rows.size, 1_200);
    assert.deepEqual(
      writes.map((write) => write.rows.length),
      [500, 500, 200],
    );
  });

  it('ends although nothing can be written', async () => {
    const { affinity, state, rows } = bed();
    state.away = true;
    affinity.remember([rowOf('f-1', 'ws-1')]);
    await affinity.close();
    assert.equal(rows.size, 0);
  });
});
