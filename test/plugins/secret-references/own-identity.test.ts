import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { demandLent } from '../../../plugins/secret-references/own-identity.ts';

const own = [
  { aws_auth_type: 'serviceRole' },
  { aws_auth_type: 'assumedRole', aws_role_arn: 'arn' },
  { azure_auth_mode: 'default' },
  { azure_auth_mode: 'managed' },
];
const brought = [{ aws_auth_type: 'accessKey' }, { azure_auth_mode: 'entra' }, { vault_auth_type: 'token' }];
const lentTo = (text: string | undefined) => ({ env: () => text });

describe("the gateway's own identity", () => {
  for (const auth of own) {
    it(`is lent for ${JSON.stringify(auth)} to the organisations that the operator names, and to no other`, () => {
      assert.doesNotThrow(() => demandLent(lentTo('org-1, org-2'), 'org-2', auth));
      assert.doesNotThrow(() => demandLent(lentTo('*'), 'org-9', auth));
      for (const text of [undefined, '', 'org-1', 'org-22'])
        assert.throws(() => demandLent(lentTo(text), 'org-2', auth), { kind: 'not_allowed' });
    });
  }

  for (const auth of brought) {
    it(`has no part in ${JSON.stringify(auth)}`, () => {
      assert.doesNotThrow(() => demandLent(lentTo(undefined), 'org-1', auth));
    });
  }
});
