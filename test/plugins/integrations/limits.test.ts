import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  enforcedRateLimits,
  GatewayError,
  liftsUsageLimit,
  normaliseRateLimits,
  normaliseUsageLimits,
} from 'portcullis/sdk';

const refused = (work: () => unknown, param: string) =>
  assert.throws(work, (error) => GatewayError.is(error) && error.code === 'bad_request' && error.param === param);

const usage = (value: unknown) => normaliseUsageLimits(value, 'usage_limits');
const rate = (value: unknown) => normaliseRateLimits(value, 'rate_limits');

describe('budgets', () => {
  const full = {
    credit_limit: 10,
    type: 'cost',
    alert_threshold: null,
    periodic_reset: null,
    periodic_reset_days: null,
    next_usage_reset_at: null,
  };

  it('are the same from one object and from a list of one', () => {
    assert.deepEqual(usage({ credit_limit: 10 }), [full]);
    assert.deepEqual(usage([{ credit_limit: 10 }]), [full]);
  });

  for (const none of [undefined, null, [], {}, { credit_limit: null, alert_threshold: null, periodic_reset: null }]) {
    it(`are none where ${JSON.stringify(none)} is given`, () => assert.deepEqual(usage(none), []));
  }

  it('may hold an alert without a limit', () => {
    assert.deepEqual(usage({ alert_threshold: 5 }), [{ ...full, credit_limit: null, alert_threshold: 5 }]);
  });

  it('begin their reset at midnight UTC, from ISO 8601 and from Unix seconds', () => {
    const at = (next_usage_reset_at: unknown) =>
      usage({ credit_limit: 1, next_usage_reset_at })[0]?.next_usage_reset_at;
    assert.equal(at('2026-05-03T17:08:55.000Z'), '2026-05-03T00:00:00.000Z');
    assert.equal(at(1777828135), '2026-05-03T00:00:00.000Z');
  });

  const faults: readonly (readonly [string, unknown, string])[] = [
    ['a limit of 0', { credit_limit: 0 }, 'usage_limits.credit_limit'],
    ['a limit with a fraction', { credit_limit: 1.5 }, 'usage_limits.credit_limit'],
    ['a limit as text', { credit_limit: '10' }, 'usage_limits.credit_limit'],
    ['more dollars than a count can reach', { credit_limit: 9_000_001 }, 'usage_limits.credit_limit'],
    ['an alert beyond them', { alert_threshold: 9_000_001 }, 'usage_limits.alert_threshold'],
    ['an unknown type', { credit_limit: 1, type: 'words' }, 'usage_limits.type'],
    ['a threshold at the limit', { credit_limit: 5, alert_threshold: 5 }, 'usage_limits.alert_threshold'],
    ['an unknown cadence', { credit_limit: 5, periodic_reset: 'daily' }, 'usage_limits.periodic_reset'],
    ['no day at all', { credit_limit: 5, periodic_reset_days: 0 }, 'usage_limits.periodic_reset_days'],
    ['more than a year', { credit_limit: 5, periodic_reset_days: 366 }, 'usage_limits.periodic_reset_days'],
    [
      'both kinds of reset',
      { credit_limit: 5, periodic_reset: 'weekly', periodic_reset_days: 7 },
      'usage_limits.periodic_reset_days',
    ],
    ['a reset of nothing', { periodic_reset: 'weekly' }, 'usage_limits.credit_limit'],
    ['a moment that is none', { credit_limit: 5, next_usage_reset_at: 'soon' }, 'usage_limits.next_usage_reset_at'],
    ['milliseconds for seconds', { credit_limit: 5, next_usage_reset_at: 1e15 }, 'usage_limits.next_usage_reset_at'],
    ['two of them', [{ credit_limit: 1 }, { credit_limit: 2 }], 'usage_limits'],
    ['a fault in a list', [{ credit_limit: -1 }], 'usage_limits[0].credit_limit'],
    ['something else', 'ten', 'usage_limits'],
  ];
  for (const [name, value, param] of faults) it(`refuse ${name}`, () => refused(() => usage(value), param));

  it('are lifted by more, by none and by another type, not by less', () => {
    const lifts = (before: unknown, after: unknown) => liftsUsageLimit(usage(before), usage(after));
    assert.equal(lifts({ credit_limit: 5 }, { credit_limit: 6 }), true);
    assert.equal(lifts({ credit_limit: 5 }, null), true);
    assert.equal(lifts({ credit_limit: 5 }, { credit_limit: 5, type: 'tokens' }), true);
    assert.equal(lifts({ credit_limit: 5 }, { credit_limit: 5 }), false);
    assert.equal(lifts({ credit_limit: 5 }, { credit_limit: 4 }), false);
  });
});

describe('rate limits', () => {
  const rpm = { type: 'requests', unit: 'rpm', value: 10 };

  it('are a list, from one object as well', () => {
    assert.deepEqual(rate(rpm), [rpm]);
    assert.deepEqual(rate([rpm, { ...rpm, unit: 'rpd' }]).length, 2);
    assert.deepEqual(rate(null), []);
  });

  it('of 0 are kept and not enforced', () => {
    assert.deepEqual(rate([{ ...rpm, value: 0 }]), [{ ...rpm, value: 0 }]);
    assert.deepEqual(
      enforcedRateLimits(
        rate([
          { ...rpm, value: 0 },
          { ...rpm, unit: 'rps' },
        ]),
      ),
      [{ ...rpm, unit: 'rps' }],
    );
  });

  const faults: readonly (readonly [string, unknown, string])[] = [
    ['an unknown unit', [{ ...rpm, unit: 'rpy' }], 'rate_limits[0].unit'],
    ['an unknown type', { ...rpm, type: 'cost' }, 'rate_limits.type'],
    ['a missing value', [{ type: 'requests', unit: 'rpm' }], 'rate_limits[0].value'],
    ['a negative value', [{ ...rpm, value: -1 }], 'rate_limits[0].value'],
    ['two of one kind', [rpm, rpm], 'rate_limits[1]'],
  ];
  for (const [name, value, param] of faults) it(`refuse ${name}`, () => refused(() => rate(value), param));

  it('may be bounded in number', () => {
    refused(() => normaliseRateLimits([rpm, { ...rpm, unit: 'rpd' }], 'rate_limits', { max: 1 }), 'rate_limits');
  });
});
