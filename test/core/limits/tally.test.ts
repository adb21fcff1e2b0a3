import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { GatewayError } from 'portcullis/sdk';
import type { CounterSource, UsageBatch } from '../../../core/limits/counter-source.ts';
import type { CountersOptions } from '../../../core/limits/counters.ts';
import { memoryCounterSource } from '../../../core/limits/memory-source.ts';
import { budget, granted, openCounters, organisation, stateOf, until } from './bed.ts';

/** A source in memory whose answers can be held up, spoiled or lost, and that notes what it was asked. */
function trying() {
  const inner = memoryCounterSource(Date.now);
  const state = {
    mode: 'there' as 'there' | 'away' | 'answers lost' | 'at fault',
    loads: 0,
    batches: [] as UsageBatch[],
    held: undefined as Promise<void> | undefined,
  };
  const asked = async <T>(work: () => Promise<T>): Promise<T> => {
    await state.held;
    if (state.mode === 'away') throw new GatewayError('not_ready', 'away');
    if (state.mode === 'at fault') throw new TypeError('at fault');
    const answer = await work();
    if (state.mode === 'answers lost') throw new GatewayError('not_ready', 'lost');
    return answer;
  };
  const source: CounterSource = {
    ...inner,
    load: (counts) => {
      state.loads += 1;
      return asked(() => inner.load(counts));
    },
    add: (batch) => {
      state.batches.push(batch);
      return asked(() => inner.add(batch));
    },
  };
  return { source, state, inner };
}

const spend = budget('usage/policy/all', 1_000_000, 10);
const key = { organisationId: organisation, name: spend.name, start: spend.start };

function open(t: TestContext, options: Partial<CountersOptions> = {}) {
  const { source, state, inner } = trying();
  return { ...openCounters(t, { source, flushMs: 20, ...options }), state, inner };
}

async function use(counters: ReturnType<typeof open>['counters'], times: number, amount = 10): Promise<void> {
  for (let call = 0; call < times; call += 1) {
    const { reservation } = await granted(counters.reserve(organisation, [spend]));
    reservation.commit([amount]);
  }
}

describe('durable counts', () => {
  it('are asked for once, however many want to know, and at once from then on', async (t) => {
    const { counters, state, inner } = open(t);
    await inner.set(key, 500);
    const first = counters.reserve(organisation, [spend]);
    assert.ok(first instanceof Promise);
    const answers = await Promise.all([
      first,
      ...Array.from({ length: 50 }, () => counters.reserve(organisation, [spend])),
    ]);
    assert.equal(state.loads, 1);
    assert.deepEqual(answers[0], { ...answers[0], granted: true, states: [{ used: 500, reserved: 10 }] });
    assert.ok(!(counters.reserve(organisation, [spend]) instanceof Promise));
  });

  it('are written in batches, with all that came in between in one', async (t) => {
    const { counters, state, inner } = open(t);
    await use(counters, 100);
    assert.equal(counters.unflushed, 100);
    await until('it is written', () => counters.unflushed === 0);
    assert.deepEqual(
      state.batches.map(({ deltas }) => deltas),
      [[{ ...key, amount: 1_000 }]],
    );
    assert.deepEqual(await inner.load([key]), [1_000]);
  });

  it('are written before the time when many wait, so that no crash loses more', async (t) => {
    const { counters, state } = open(t, { flushMs: 3_600_000, flushCommits: 50 });
    await use(counters, 49);
    assert.equal(counters.unflushed, 49);
    await use(counters, 1);
    await until('it is written', () => counters.unflushed === 0);
    await use(counters, 60);
    await until('it is written again', () => counters.unflushed < 50);
    assert.ok(state.batches.length >= 2);
  });

  it('are all written at the end', async (t) => {
    const { counters, inner } = open(t, { flushMs: 3_600_000 });
    await use(counters, 7);
    await counters.close();
    assert.deepEqual(await inner.load([key]), [70]);
    assert.equal(counters.unflushed, 0);
  });

  it('are served from memory while the store is away, and written when it is back', async (t) => {
    const { counters, state, inner, logged } = open(t);
    await inner.set(key, 100);
    state.mode = 'away';
    const first = await granted(counters.reserve(organisation, [spend]));
    assert.deepEqual(
      first.states,
      [{ used: 0, reserved: 10 }],
      'what it does not know, it does not hold against anyone',
    );
    first.reservation.commit([10]);
    for (let call = 0; call < 20; call += 1) {
      const reserved = counters.reserve(organisation, [spend]);
      assert.ok(!(reserved instanceof Promise), 'nobody waits for a store that is away');
      assert.ok(reserved.granted);
      reserved.reservation.commit([10]);
    }
    const other = budget('usage/policy/other', 10, 1);
    await granted(counters.reserve(organisation, [other]));
    assert.equal(counters.unflushed, 21);
    state.mode = 'there';
    await until('it is written', () => counters.unflushed === 0);
    assert.deepEqual(await inner.load([key]), [310]);
    await until('it knows the rest', async () => {
      const { states, reservation } = await granted(counters.reserve(organisation, [spend]));
      reservation.release();
      return states[0]?.used === 310;
    });
    assert.deepEqual(
      logged.map(({ event }) => event),
      ['usage_store_away', 'usage_store_back'],
    );
  });

  it('are counted once when the answer to a batch gets lost', async (t) => {
    const { counters, state, inner } = open(t);
    await use(counters, 1);
    await until('it is written', () => counters.unflushed === 0);
    state.mode = 'answers lost';
    await use(counters, 5);
    await until('it was tried', () => state.batches.length >= 3);
    await use(counters, 5);
    state.mode = 'there';
    await until('it is written', () => counters.unflushed === 0);
    assert.deepEqual(await inner.load([key]), [110]);
    assert.deepEqual(await stateOf(counters, spend), [110, 0]);
  });

  it('that the store refuses are counted as lost, and hold up no others', async (t) => {
    const { counters, state, inner, logged } = open(t, { flushMs: 1 });
    await use(counters, 1);
    await until('it is written', () => counters.unflushed === 0);
    state.mode = 'at fault';
    await use(counters, 3);
    await until('it is given up', () => counters.lost === 3);
    assert.equal(counters.unflushed, 0);
    state.mode = 'there';
    await use(counters, 2);
    await until('others are written', () => counters.unflushed === 0);
    assert.deepEqual(await inner.load([key]), [30]);
    assert.deepEqual(logged.find(({ event }) => event === 'usage_lost')?.fields.commits, 3);
  });

  it('are right when a batch is under way while they are asked for', async (t) => {
    const { source, state, inner } = trying();
    const { counters } = openCounters(t, { source, flushMs: 3_600_000, flushCommits: 1, mostNames: 1 });
    await inner.set(key, 1_000);
    await use(counters, 1);
    let go = () => {};
    state.held = new Promise((resolve) => {
      go = resolve;
    });
    await use(counters, 3);
    const reading = counters.list(organisation, spend.name, spend.start, 1, 0);
    go();
    state.held = undefined;
    assert.equal((await reading).counts[0]?.used, 1_040);
    assert.deepEqual(await stateOf(counters, spend), [1_040, 0]);
  });
});
