import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { GatewayError } from 'portcullis/sdk';
import { errorOf } from '../../../core/resources/envelope.ts';
import { StoreTimeout } from '../../../core/store/failures.ts';

const driverError = (facts: object) => Object.assign(new Error('with a statement'), facts);

describe('what a caller of the control plane is told', () => {
  const passing = [
    ['a query that took too long', new StoreTimeout('too long')],
    ['a server that is gone', driverError({ code: 'ECONNREFUSED' })],
    ['a deadlock that no retry resolved', driverError({ errno: 1213 })],
  ] as const;
  for (const [what, thrown] of passing) {
    it(`is to try again shortly: ${what}`, () => {
      const { status, headers, message, cause } = errorOf(thrown, 'r1');
      assert.deepEqual([status, headers['retry-after'], cause], [503, '1', thrown]);
      assert.doesNotMatch(message, /statement/);
    });
  }

  it('is the request id alone where the fault is our own', () => {
    const { status, message } = errorOf(new TypeError('x is not a function'), 'r1');
    assert.equal(status, 500);
    assert.match(message, /r1/);
    assert.doesNotMatch(message, /function/);
  });

  it('is the refusal itself where there is one', () => {
    const refusal = new GatewayError('not_found', 'There is none.');
    assert.equal(errorOf(refusal, 'r1'), refusal);
  });
});
