import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { mask } from '../../../plugins/audit-log/mask.ts';

describe('mask', () => {
  for (const name of [
    'key',
    'client_secret',
    'clientSecret',
    'access_token',
    'refreshToken',
    'password',
    'x-api-key',
    'apiKey',
    'authorization',
  ]) {
    it(`hides ${name}`, () => assert.deepEqual(mask({ [name]: 'abc' }), { [name]: '*****' }));
  }

  it('hides what stands deeper, in lists too', () => {
    assert.deepEqual(mask({ a: [{ b: { token: 'abc' } }] }), { a: [{ b: { token: '*****' } }] });
  });

  it('leaves what is masked already, so that people can tell keys apart', () => {
    assert.deepEqual(mask({ key: 'ab*****xyz' }), { key: 'ab*****xyz' });
  });

  it('leaves the key of a condition, which names a field', () => {
    assert.deepEqual(mask({ conditions: [{ key: 'metadata.team', value: 'a' }] }), {
      conditions: [{ key: 'metadata.team', value: 'a' }],
    });
  });

  it('leaves names, numbers and what only sounds alike', () => {
    const values = { name: 'a', tokens: 5, token_count: 7, secret_path: 'app/db', status: 'active' };
    assert.deepEqual(mask(values), values);
  });
});
