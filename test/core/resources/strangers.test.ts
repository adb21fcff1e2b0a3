import assert from 'node:assert/strict';
import { it } from 'node:test';
import { asObject } from 'portcullis/sdk';
import { startControl } from '../../support/control.ts';

const callers: readonly [string, Readonly<Record<string, string>>][] = [
  ['without a credential', {}],
  ['with a key that is none', { 'x-gw-api-key': 'nothing-that-was-ever-issued' }],
  ['with an empty key', { 'x-gw-api-key': '' }],
];

it('a call of a stranger is asked for a credential, also where requests to models need none', async (t) => {
  const control = await startControl(t);
  for (const [name, headers] of callers) {
    for (const path of ['/v1/workspaces', '/v2/api-keys', '/v1/auth/self']) {
      const response = await fetch(control.url + path, { headers });
      const { data } = (await response.json()) as { data: unknown };
      assert.deepEqual([response.status, asObject(data as object)?.errorCode], [401, 'AB05'], `${path} ${name}`);
    }
  }
});
