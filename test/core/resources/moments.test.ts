import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { GatewayError } from 'portcullis/sdk';
import { readMoment, writeMoment } from '../../../core/resources/moments.ts';

describe('moments in bodies', () => {
  for (const value of [1e308, 9e15, 253_402_300_800_000, -1, Number.NaN]) {
    it(`are refused when no date is ${value}`, () =>
      assert.throws(
        () => readMoment(value, 'expires_at'),
        (error) => GatewayError.is(error) && error.code === 'bad_request' && error.param === 'expires_at',
      ));
  }

  it('are whole milliseconds up to the end of the year 9999, and come back as they went', () => {
    assert.equal(readMoment(1.0005, 'at'), 1000);
    const latest = readMoment('9999-12-31T23:59:59.999Z', 'at');
    assert.equal(readMoment(writeMoment(latest, 'iso'), 'at'), latest);
  });
});
