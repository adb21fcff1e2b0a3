import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { masked } from '../../../core/resources/masking.ts';

describe('the audit log', () => {
  for (const name of [
    'key',
    'apiKey',
    'api_key',
    'password',
    'client_secret',
    'vaultToken',
    'aws_access_key_id',
    'awsSecretAccessKey',
    'Authorization',
    'vertex_service_account_json',
  ]) {
    it(`masks ${name}, at any depth`, () => {
      const text = JSON.stringify(masked({ [name]: 'quokka', deep: [{ [name]: { inner: 'quokka' } }] }));
      assert.equal(text.includes('quokka'), false);
    });
  }

  it('masks every value of settings whose names say nothing', () => {
    const body = { configurations: { region: 'quokka', list: [{ any: 7 }], on: true }, name: 'shown' };
    assert.deepEqual(masked(body), {
      configurations: { region: '*****', list: [{ any: '*****' }], on: true },
      name: 'shown',
    });
  });

  it('leaves names that only look like secrets', () => {
    const body = { secret_key: 'member', tokens: null, monkey: 'shown', keyboard: 'shown' };
    assert.deepEqual(masked(body), body);
  });

  it('masks secrets within texts that are JSON, as configs come in', () => {
    const config = JSON.stringify({ targets: [{ provider: 'openai', api_key: 'quokka' }], retry: { attempts: 1 } });
    const text = JSON.stringify(masked({ config, broken: '{"api_key": "quokka"' }));
    assert.equal(text.includes('quokka'), false);
    assert.equal(text.includes('attempts'), true);
  });
});
