import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type ErrorCode, errorCodes, GatewayError } from 'portcullis/sdk';

const types = [
  'invalid_request_error',
  'authentication_error',
  'permission_error',
  'not_found_error',
  'request_too_large',
  'rate_limit_error',
  'timeout_error',
  'overloaded_error',
  'api_error',
  'hooks_failed',
];

describe('the table of errors', () => {
  for (const [code, { status, type, summary }] of Object.entries(errorCodes)) {
    it(`${code} has a status, a wire type and a sentence`, () => {
      assert.match(code, /^[a-z]+(_[a-z]+)*$/);
      assert.ok(Number.isInteger(status) && status >= 400 && status <= 599);
      assert.ok(types.includes(type), type);
      assert.match(summary, /^[A-Z].*\.$/);
    });
  }

  it('explains each code in words of its own', () => {
    const summaries = Object.values(errorCodes).map(({ summary }) => summary);
    assert.equal(new Set(summaries).size, summaries.length);
  });
});

describe('an error of the gateway', () => {
  it('takes status and type from its code', () => {
    for (const code of Object.keys(errorCodes) as ErrorCode[]) {
      const error = new GatewayError(code, 'Why.');
      assert.deepEqual(
        [error.status, error.type, error.message, error.param, error.headers],
        [errorCodes[code].status, errorCodes[code].type, 'Why.', undefined, {}],
      );
    }
  });

  it('lets a provider’s own status and type stand in', () => {
    const error = new GatewayError('upstream_error', 'Why.', {
      status: 429,
      type: 'rate_limit_error',
      param: 'model',
      headers: { 'retry-after': '1' },
    });
    assert.deepEqual(
      [error.status, error.type, error.param, error.headers],
      [429, 'rate_limit_error', 'model', { 'retry-after': '1' }],
    );
  });

  it('keeps its cause, and has none where none is given', () => {
    const cause = new Error('inner');
    assert.equal(new GatewayError('internal', 'Why.', { cause }).cause, cause);
    assert.equal('cause' in new GatewayError('internal', 'Why.'), false);
  });

  it('is known across two copies of the sdk, and nothing else is', () => {
    const foreign = { [Symbol.for('portcullis.error')]: true };
    assert.equal(GatewayError.is(foreign), true);
    for (const other of [new Error('x'), null, undefined, 'text', {}, 5]) assert.equal(GatewayError.is(other), false);
  });
});
