import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { GatewayError, isoMoment, normaliseUsageLimits, readPeriod } from 'portcullis/sdk';
import { readMoment } from '../../../core/resources/moments.ts';
import { readPrice } from '../../../plugins/model-pricing/read-prices.ts';

const times = ['', 'T00:00', 'T10:20:30Z', ' 10:20:30.5+02:00', 'T23:59:59-0800'];
const noDays = ['2026-02-29', '2026-02-30', '2026-02-31', '2026-04-31', '2026-06-31', '2026-09-31', '2026-11-31'];
const noDaysAtAll = ['1900-02-29', '2100-02-29', '2026-01-32', '2026-00-10', '2026-13-01', '2026-01-00'];

describe('moments in ISO 8601', () => {
  for (const day of [...noDays, ...noDaysAtAll])
    it(`there is no ${day}`, () => assert.deepEqual(times.map((time) => isoMoment(day + time)).filter(Number), []));

  for (const day of ['2024-02-29', '2000-02-29', '2026-04-30', '2026-12-31', '0001-01-01', '9999-12-31'])
    it(`there is a ${day}`, () => assert.equal(isoMoment(day), Date.parse(`${day}T00:00:00Z`)));

  it('are of UTC where they name no zone', () => {
    const expected = Date.parse('2026-01-31T10:20:00Z');
    const same = ['2026-01-31T10:20', '2026-01-31 10:20', '2026-01-31T10:20:00.000Z', '2026-01-31T12:20:00+02:00'];
    for (const text of same) assert.equal(isoMoment(text), expected, text);
  });

  for (const text of ['2026-01-31T25:00:00Z', '2026-01-31T10:60:00Z', '2026-01-31 noon', '31.01.2026', ''])
    it(`"${text}" is none`, () => assert.equal(isoMoment(text), undefined));
});

describe('a day that does not exist is refused with the name of its field', () => {
  const max = '2026-03-31';
  const readers: readonly [name: string, read: () => unknown, param: string][] = [
    [
      'in a query',
      () => readPeriod({ time_of_generation_min: '2026-02-31', time_of_generation_max: max }, { now: 0 }),
      'time_of_generation_min',
    ],
    [
      'in a query with a time',
      () =>
        readPeriod(
          { time_of_generation_min: '2026-02-01', time_of_generation_max: '2026-04-31T00:00:00 02:00' },
          { now: 0 },
        ),
      'time_of_generation_max',
    ],
    ['in a body', () => readMoment('2026-02-31', 'expires_at'), 'expires_at'],
    [
      'in a budget',
      () => normaliseUsageLimits({ credit_limit: 1, next_usage_reset_at: '2027-02-29' }, 'usage_limits'),
      'usage_limits.next_usage_reset_at',
    ],
  ];
  for (const [name, read, param] of readers)
    it(name, () =>
      assert.throws(
        read,
        (error) =>
          GatewayError.is(error) &&
          error.code === 'bad_request' &&
          error.param === param &&
          error.message.includes(param),
      ),
    );

  it('in a file of prices', () =>
    assert.throws(
      () => readPrice({ request_token: 1, effective_from: '2026-02-31' }, 'x.json: m[0]'),
      (error) => GatewayError.is(error) && /effective_from/.test(error.message),
    ));
});
