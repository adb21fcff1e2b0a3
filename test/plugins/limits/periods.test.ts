import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { budgetPeriod, enforcedBudget, lastReset, nextReset, normaliseUsageLimits } from 'portcullis/sdk';
import { rateMeter } from '../../../plugins/limits/limit/meters.ts';
import { rateWindow } from '../../../plugins/limits/limit/rate-window.ts';

const at = (text: string) => Date.parse(text);
const iso = (ms: number | undefined) => (ms === undefined ? undefined : new Date(ms).toISOString().slice(0, 19));

describe('the window of a rate limit', () => {
  // A Saturday.
  const now = at('2026-11-21T12:34:56.789Z');
  const windows = [
    ['rps', '2026-11-21T12:34:56', '2026-11-21T12:34:57'],
    ['rpm', '2026-11-21T12:34:00', '2026-11-21T12:35:00'],
    ['rph', '2026-11-21T12:00:00', '2026-11-21T13:00:00'],
    ['rpd', '2026-11-21T00:00:00', '2026-11-22T00:00:00'],
    ['rpw', '2026-11-16T00:00:00', '2026-11-23T00:00:00'],
  ] as const;
  for (const [unit, start, end] of windows) {
    it(`of ${unit} begins with its unit, in UTC`, () => {
      const window = rateWindow(unit, now);
      assert.deepEqual([iso(window.start), iso(window.end)], [start, end]);
      assert.equal(rateWindow(unit, window.end).start, window.end);
      assert.equal(rateWindow(unit, window.end - 1).start, window.start);
    });
  }
});

describe('a clock that is set back', () => {
  const now = at('2026-11-21T12:34:56Z');
  const meter = () => {
    const owner = { owner: 'key', id: 'k', whose: 'the key' } as const;
    const made = rateMeter(owner, { type: 'requests', unit: 'rpm', value: 1 });
    assert.equal(iso(made.period(now).start), '2026-11-21T12:34:00');
    return made;
  };

  it('takes the window of a rate limit along', () => {
    const window = meter().period(now - 600_000);
    assert.deepEqual([iso(window.start), iso(window.end)], ['2026-11-21T12:24:00', '2026-11-21T12:25:00']);
  });

  it('by less than a second leaves it', () =>
    assert.equal(iso(meter().period(now - 56_900).start), '2026-11-21T12:34:00'));
});

describe('the period of a budget', () => {
  const created_at = at('2026-11-10T15:00:00Z');
  const now = at('2026-11-21T12:00:00Z');
  const periodOf = (given: object, when = now, last_reset_at?: number) => {
    const [limits] = normaliseUsageLimits({ credit_limit: 10, ...given }, 'usage_limits');
    assert.ok(limits !== undefined);
    const { start, end } = budgetPeriod(enforcedBudget(limits, { created_at, last_reset_at }), when);
    return [iso(start), iso(end)];
  };
  const table: readonly (readonly [string, object, string, string | undefined])[] = [
    ['without reset lasts for ever', {}, '1970-01-01T00:00:00', undefined],
    ['weekly begins on Monday', { periodic_reset: 'weekly' }, '2026-11-16T00:00:00', '2026-11-23T00:00:00'],
    ['monthly begins on the first', { periodic_reset: 'monthly' }, '2026-11-01T00:00:00', '2026-12-01T00:00:00'],
    ['of days counts from the creation', { periodic_reset_days: 7 }, '2026-11-17T00:00:00', '2026-11-24T00:00:00'],
    [
      'of days counts from the next reset that was set',
      { periodic_reset_days: 10, next_usage_reset_at: '2026-11-30T09:00:00Z' },
      '2026-11-20T00:00:00',
      '2026-11-30T00:00:00',
    ],
    [
      'ends at the next reset that was set, though the calendar would end it sooner',
      { periodic_reset: 'weekly', next_usage_reset_at: '2026-12-01T00:00:00Z' },
      '2026-11-30T00:00:00',
      '2026-12-01T00:00:00',
    ],
    [
      'without a cadence is reset once',
      { next_usage_reset_at: '2026-11-20T00:00:00Z' },
      '2026-11-20T00:00:00',
      undefined,
    ],
  ];
  for (const [name, given, start, end] of table) it(name, () => assert.deepEqual(periodOf(given), [start, end]));

  it('keeps its name when a client sends back the next reset that it has read', () => {
    for (const given of [{ periodic_reset: 'weekly' }, { periodic_reset: 'monthly' }, { periodic_reset_days: 7 }]) {
      const [start, end] = periodOf(given);
      assert.deepEqual(periodOf({ ...given, next_usage_reset_at: `${end}Z` }), [start, end]);
    }
  });

  it('follows the calendar after a first reset in the middle of it', () => {
    const given = { periodic_reset: 'monthly', next_usage_reset_at: '2026-11-20T00:00:00Z' };
    assert.deepEqual(periodOf(given), ['2026-11-20T00:00:00', '2026-12-01T00:00:00']);
    assert.deepEqual(periodOf(given, at('2026-12-05T00:00:00Z')), ['2026-12-01T00:00:00', '2027-01-01T00:00:00']);
  });

  it('begins anew when its use is set back, and ends as before', () => {
    const reset = at('2026-11-19T08:00:00Z');
    assert.deepEqual(periodOf({ periodic_reset: 'weekly' }, now, reset), [
      '2026-11-19T08:00:00',
      '2026-11-23T00:00:00',
    ]);
    assert.deepEqual(periodOf({}, now, reset), ['2026-11-19T08:00:00', undefined]);
    assert.deepEqual(periodOf({ periodic_reset: 'weekly' }, at('2026-11-24T00:00:00Z'), reset), [
      '2026-11-23T00:00:00',
      '2026-11-30T00:00:00',
    ]);
  });

  describe('whose first reset is more than a period away', () => {
    const first = '2026-12-15T00:00:00Z';
    const reset = at('2026-11-21T08:00:00Z');
    for (const cadence of [{ periodic_reset: 'monthly' }, { periodic_reset: 'weekly' }, { periodic_reset_days: 7 }]) {
      const given = { ...cadence, next_usage_reset_at: first };
      it(`begins when its use was set back, until then: ${JSON.stringify(cadence)}`, () => {
        for (const when of ['2026-11-21T09:00:00Z', '2026-12-01T00:00:00Z', '2026-12-14T23:59:59Z'])
          assert.deepEqual(periodOf(given, at(when), reset), ['2026-11-21T08:00:00', '2026-12-15T00:00:00']);
        assert.equal(periodOf(given, at(first), reset)[0], '2026-12-15T00:00:00');
      });

      it(`tells no reset that was none: ${JSON.stringify(cadence)}`, () => {
        const [limits] = normaliseUsageLimits({ credit_limit: 10, ...given }, 'usage_limits');
        assert.ok(limits !== undefined);
        const last = (when: string, last_reset_at?: number) =>
          lastReset(enforcedBudget(limits, { created_at, last_reset_at }), { created_at, last_reset_at }, at(when));
        assert.equal(last('2026-12-14T12:00:00Z'), null);
        assert.equal(last('2026-12-14T12:00:00Z', reset), reset);
        assert.equal(last(first, reset), at(first));
      });
    }
  });

  it('tells the last and the next reset', () => {
    const [weekly] = normaliseUsageLimits({ credit_limit: 10, periodic_reset: 'weekly' }, 'usage_limits');
    assert.ok(weekly !== undefined);
    const limits = enforcedBudget(weekly, { created_at });
    assert.equal(iso(lastReset(limits, { created_at }, now) ?? 0), '2026-11-16T00:00:00');
    assert.equal(lastReset(limits, { created_at: now }, now), null);
    assert.equal(nextReset(limits, now), '2026-11-23T00:00:00.000Z');
    assert.equal(nextReset(undefined, now), null);
  });
});
