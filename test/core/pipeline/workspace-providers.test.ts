import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Access, GatewayError, type JsonObject, type MaybePromise } from 'portcullis/sdk';
import { WorkspaceProviders } from '../../../core/pipeline/workspace-providers.ts';
import { fakeDirectory, providerOf, recordsOf, workspaceOf } from '../../support/directory.ts';
import { unitOf } from '../upstream/unit.ts';

const access = { organisationId: 'org-1', workspaceId: 'a' } as Access;
const mapping = { setting: 'api_key', referenceId: 'r', referenceSlug: 'vault-key', format: 'string' as const };
const unit = unitOf();

function providers(secrets: () => MaybePromise<JsonObject | undefined>) {
  const entry = providerOf('a', 'p', { settings: { region: 'eu' }, secrets: [mapping] });
  const directory = fakeDirectory(recordsOf({ workspaces: [workspaceOf('a')], providers: [entry] }));
  return { directory, saved: new WorkspaceProviders({ directory, findUnit: () => unit, secrets, now: () => 0 }) };
}

describe('the secrets of a saved provider', () => {
  it('join its other settings', async () => {
    const { saved } = providers(async () => ({ api_key: 'from-vault' }));
    const found = await saved.find(access, 'p');
    assert.deepEqual(found?.saved?.settings, { region: 'eu', api_key: 'from-vault' });
  });

  it('cost nothing while they stay the same object, and are seen once they change', () => {
    let kept: JsonObject = { api_key: 'one' };
    const { saved } = providers(() => kept);
    const first = saved.find(access, 'p');
    assert.ok(!(first instanceof Promise));
    assert.equal(saved.find(access, 'p'), first);
    kept = { api_key: 'two' };
    const changed = saved.find(access, 'p');
    assert.ok(changed !== undefined && !(changed instanceof Promise));
    assert.equal(changed.saved?.settings.api_key, 'two');
  });

  for (const [what, given] of [
    ['no plugin serves them', undefined],
    ['one is missing', { other: 'x' }],
  ] as const) {
    it(`are refused where ${what}, naming the reference and no value`, () => {
      const { saved } = providers(() => given);
      assert.throws(
        () => saved.find(access, 'p'),
        (error: unknown) => {
          assert.ok(GatewayError.is(error));
          assert.deepEqual([error.code, error.param], ['secret_unavailable', 'api_key']);
          assert.match(error.message, /"vault-key" of the provider "p"/);
          return true;
        },
      );
    });
  }

  it('are asked for when the provider is used, not when it is only looked for', () => {
    const { saved } = providers(() => assert.fail('asked'));
    assert.equal(saved.has(access, 'p'), true);
    assert.equal(saved.has(access, 'q'), false);
  });
});

describe('a name that no record can have', () => {
  for (const name of ['', 'a/b', '../b/p', 'p p', 'x'.repeat(256), 'p\n']) {
    it(`is not looked for: ${JSON.stringify(name.slice(0, 10))}`, () => {
      const { directory, saved } = providers(() => ({ api_key: 'k' }));
      assert.equal(saved.find(access, name), undefined);
      assert.equal(saved.has(access, name), false);
      assert.deepEqual(directory.asked, []);
    });
  }
});
