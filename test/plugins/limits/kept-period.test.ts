import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import {
  budgetPeriod,
  enforcedBudget,
  type JsonObject,
  keptReset,
  lastReset,
  normaliseUsageLimits,
} from 'portcullis/sdk';
import { chatReply, limitedWorld } from './world.ts';

const at = (text: string) => Date.parse(`${text}T00:00:00Z`);
// A Saturday.
const now = Date.parse('2026-11-21T12:00:00Z');
const created_at = at('2026-11-05');

const none = {};
const weekly = { periodic_reset: 'weekly' };
const monthly = { periodic_reset: 'monthly' };
const ofDays = { periodic_reset_days: 10 };
const later = { ...weekly, next_usage_reset_at: '2026-12-20T00:00:00Z' };

const limitsOf = (cadence: JsonObject) => normaliseUsageLimits({ credit_limit: 10, ...cadence }, 'usage_limits');

describe('another cadence', () => {
  const changes: readonly (readonly [from: JsonObject, to: JsonObject, end: string | undefined])[] = [
    [monthly, weekly, '2026-11-23'],
    [weekly, monthly, '2026-12-01'],
    [none, weekly, '2026-11-23'],
    [none, monthly, '2026-12-01'],
    [weekly, none, undefined],
    [monthly, ofDays, '2026-11-25'],
    [ofDays, weekly, '2026-11-23'],
    [monthly, later, '2026-12-20'],
  ];
  for (const byHand of [undefined, at('2026-11-19')]) {
    const since = byHand === undefined ? '' : ', set back by hand before';
    for (const [from, to, end] of changes) {
      it(`goes on with the count that runs, until it ends it: ${JSON.stringify([from, to])}${since}`, () => {
        const record = { created_at, last_reset_at: byHand };
        const [old, fresh] = [limitsOf(from), limitsOf(to)];
        const [before] = old.map((limits) => budgetPeriod(enforcedBudget(limits, record), now));
        const kept = keptReset(record, old, fresh, now);
        const [after] = (kept.usage_limits ?? fresh).map((limits) => enforcedBudget(limits, { ...record, ...kept }));
        assert.ok(before !== undefined && after !== undefined);
        assert.deepEqual(budgetPeriod(after, now), { start: before.start, end: end === undefined ? end : at(end) });
        if (end === undefined) return;
        const [plain] = fresh.map((limits) => enforcedBudget(limits, { created_at }));
        assert.deepEqual(budgetPeriod(after, at(end)), budgetPeriod(plain ?? {}, at(end)));
      });
    }
  }

  const passed = '2026-11-20T00:00:00Z';
  for (const from of [none, weekly, monthly, ofDays, { next_usage_reset_at: '2026-11-18T00:00:00Z' }, later]) {
    it(`that is none frees nothing, though it names a reset that has passed: ${JSON.stringify(from)}`, () => {
      const [old, fresh] = [limitsOf(from), limitsOf({ next_usage_reset_at: passed })];
      const [before] = old.map((limits) => budgetPeriod(enforcedBudget(limits, { created_at }), now));
      const kept = keptReset({ created_at }, old, fresh, now);
      const record = { created_at, ...kept };
      const [after] = (kept.usage_limits ?? fresh).map((limits) => enforcedBudget(limits, record));
      assert.ok(before !== undefined && after !== undefined);
      for (const when of [now, at('2027-03-01')])
        assert.deepEqual(budgetPeriod(after, when), { start: before.start, end: undefined });
      const told = lastReset(after, record, now);
      assert.ok(told === null || told <= now, 'a reset that is told lies behind');
    });

    it(`that is none resets once, on a day to come that is named: ${JSON.stringify(from)}`, () => {
      const fresh = limitsOf({ next_usage_reset_at: '2027-01-10T00:00:00Z' });
      const kept = keptReset({ created_at }, limitsOf(from), fresh, now);
      const [after] = (kept.usage_limits ?? fresh).map((limits) => enforcedBudget(limits, { created_at, ...kept }));
      assert.ok(after !== undefined);
      assert.equal(budgetPeriod(after, now).end, at('2027-01-10'));
      assert.deepEqual(budgetPeriod(after, at('2027-01-11')), { start: at('2027-01-10'), end: undefined });
    });
  }

  for (const taken of [limitsOf(none), []]) {
    const how = taken.length > 0 ? 'there was none' : 'the budget was taken away';
    it(`resets when it says so, though the count that ran before ${how} is named by a day to come`, () => {
      const distant = limitsOf({ ...monthly, next_usage_reset_at: '2027-02-20T00:00:00Z' });
      const without = { created_at, ...keptReset({ created_at }, distant, limitsOf(none), now) };
      const record = { ...without, ...keptReset(without, taken, limitsOf(weekly), now) };
      const [limits] = limitsOf(weekly).map((one) => enforcedBudget(one, record));
      assert.ok(limits !== undefined);
      assert.deepEqual(budgetPeriod(limits, now), { start: now, end: at('2026-11-23') });
      assert.deepEqual(budgetPeriod(limits, at('2026-11-23')), { start: at('2026-11-23'), end: at('2026-11-30') });
    });
  }

  const far = { next_usage_reset_at: '2026-12-14T00:00:00Z' };
  for (const from of [{ ...weekly, ...far }, { ...monthly, ...far }, { ...ofDays, ...far }, later])
    for (const to of [weekly, monthly, ofDays, { ...monthly, next_usage_reset_at: '2027-02-20T00:00:00Z' }])
      it(`ends a count whose first reset was far ahead, and none takes it up: ${JSON.stringify([from, to])}`, () => {
        const made = { created_at: now, ...keptReset({ created_at: now }, [], limitsOf(from), now) };
        const [before] = limitsOf(from).map((limits) => budgetPeriod(enforcedBudget(limits, made), now));
        const then = at('2026-11-24');
        const kept = keptReset(made, limitsOf(from), limitsOf(to), then);
        const record = { ...made, ...kept };
        const [after] = (kept.usage_limits ?? limitsOf(to)).map((limits) => enforcedBudget(limits, record));
        assert.ok(before !== undefined && after !== undefined);
        const { start, end = 0 } = budgetPeriod(after, then);
        assert.deepEqual([start, lastReset(after, record, then)], [before.start, null]);
        assert.ok(start <= now && end > then);
        for (let when = end; when < at('2027-12-31'); when += 86_400_000)
          assert.notEqual(budgetPeriod(after, when).start, start, new Date(when).toISOString());
      });

  it('tells no reset from before there was the record', () => {
    const kept = keptReset({ created_at }, limitsOf(none), limitsOf(weekly), now);
    const [limits] = kept.usage_limits ?? [];
    assert.ok(limits !== undefined);
    const record = { created_at, ...kept };
    assert.equal(lastReset(enforcedBudget(limits, record), record, now), null);
    assert.equal(lastReset(enforcedBudget(limits, record), record, at('2026-11-24')), at('2026-11-23'));
  });
});

describe('a budget that is used up', () => {
  const spent = { body: chatReply(5, 5) };
  const budget = { credit_limit: 110, type: 'tokens' };
  /** A group whose budget of the month is used up. */
  const spentGroup = async (t: TestContext) => {
    const world = await limitedWorld(t);
    world.peer.always(spent);
    const conditions = [{ key: 'workspace_id', value: '*' }];
    const { id } = await world.control.ok('POST', '/v1/policies/usage-limits', {
      body: { ...budget, conditions, group_by: [{ key: 'metadata._user' }], periodic_reset: 'monthly' },
    });
    const { key } = await world.key();
    const ask = () => world.ask(key, { max_tokens: 95 }, { 'x-gw-metadata': '{"_user":"ann"}' });
    const path = `/v1/policies/usage-limits/${id}`;
    assert.equal((await ask()).status, 200);
    await world.stored(`budget/policy/${id}/tokens/metadata._user:ann`, 10);
    assert.equal((await ask()).status, 412);
    return { world, ask, path };
  };
  const asked = { max_tokens: 90 };

  it('of a key stays so when its cadence changes, until that resets it', async (t) => {
    const world = await limitedWorld(t);
    world.peer.always(spent);
    const { id, key } = await world.key({ usage_limits: { ...budget, periodic_reset: 'monthly' } });
    const path = `/v1/api-keys/${id}`;
    assert.equal((await world.ask(key, asked)).status, 200);
    await world.stored(`budget/key/${id}/tokens`, 10);
    assert.equal((await world.ask(key, { max_tokens: 95 })).status, 412);
    await world.control.ok('PUT', path, { body: { usage_limits: { ...budget, periodic_reset: 'weekly' } } });
    assert.equal((await world.ask(key, { max_tokens: 95 })).status, 412);
    const shown = await world.control.ok('GET', path);
    assert.deepEqual([shown.next_usage_reset_at, shown.last_reset_at], ['2026-11-23T00:00:00.000Z', null]);
    world.control.advance(2 * 86_400_000);
    assert.equal((await world.ask(key, { max_tokens: 95 })).status, 200);
  });

  it('before a first reset far ahead stays so under another cadence, and frees what comes after', async (t) => {
    const world = await limitedWorld(t);
    world.peer.always(spent);
    const distant = { ...budget, ...weekly, next_usage_reset_at: '2026-12-14T00:00:00Z' };
    const { id, key } = await world.key({ usage_limits: distant });
    const ask = async () => (await world.ask(key, { max_tokens: 95 })).status;
    assert.equal((await world.ask(key, asked)).status, 200);
    await world.stored(`budget/key/${id}/tokens`, 10);
    assert.equal(await ask(), 412);
    await world.control.ok('PUT', `/v1/api-keys/${id}`, { body: { usage_limits: { ...budget, ...weekly } } });
    assert.equal(await ask(), 412);
    // The weeks of 23 November and of 7 December, by whose Monday the first count was named.
    for (const days of [2, 14]) {
      world.control.advance(days * 86_400_000);
      assert.equal(await ask(), 200);
    }
  });

  it('of a group stays so when the cadence of its policy changes', async (t) => {
    const { world, ask, path } = await spentGroup(t);
    await world.control.ok('PUT', path, { body: { periodic_reset: 'weekly' } });
    const shown = await world.control.ok('GET', `${path}?include_usage=true`);
    assert.deepEqual([shown.next_usage_reset_at, shown.last_reset_at], ['2026-11-23T00:00:00.000Z', null]);
    assert.equal((shown.value_key_usage_map as Record<string, JsonObject>)['metadata._user:ann']?.current_usage, 10);
    await world.control.ok('PUT', path, { body: { periodic_reset_days: 10 } });
    world.control.advance(1);
    assert.equal((await ask()).status, 412);
    world.control.advance(12 * 86_400_000);
    assert.equal((await ask()).status, 200);
  });

  it('of a group stays so when the cadence is taken away and a day that has passed is named', async (t) => {
    const { world, ask, path } = await spentGroup(t);
    const today = '2026-11-21T00:00:00Z';
    await world.control.ok('PUT', path, { body: { periodic_reset: null, next_usage_reset_at: today } });
    world.control.advance(1);
    assert.equal((await ask()).status, 412);
    assert.equal((await world.control.ok('GET', path)).next_usage_reset_at, null);
    world.control.advance(60 * 86_400_000);
    assert.equal((await ask()).status, 412);
  });
});
