import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { readManifest } from '../../../core/loader/manifest.ts';
import { folderOf, manifestOf, refusalOf } from './unit-folders.ts';

describe('a manifest', () => {
  it('is read when it is complete', async (t) => {
    const { path, remove } = await folderOf({
      'acme/plugin.json': manifestOf('acme', {
        permissions: { net: ['*.acme.example:443'], env: ['ACME_KEY'], file: ['keys'] },
        serves: ['retry'],
      }),
    });
    t.after(remove);
    const manifest = readManifest({ path: join(path, 'acme'), kind: 'plugin' });
    assert.equal(manifest.title, 'acme');
    assert.deepEqual(manifest.permissions?.env, ['ACME_KEY']);
  });

  const refused: readonly [string, unknown, RegExp][] = [
    ['that is not JSON', '{ "name": }', /is not JSON/],
    ['that is a list', [], /The manifest must be a mapping, not a list/],
    ['without a title', { ...manifestOf('acme'), title: undefined }, /title is required/],
    ['with an unknown key', manifestOf('acme', { verson: '1' }), /verson is not a known key\. Did you mean version\?/],
    ['of an unknown kind', manifestOf('acme', { kind: 'widget' }), /kind must be provider, plugin or guardrail/],
    ['of the wrong kind for its place', manifestOf('acme', { kind: 'provider' }), /kind must be plugin/],
    ['with the name of another folder', manifestOf('other'), /name must be that of its folder, acme/],
    ['with half a version', manifestOf('acme', { version: '1.0' }), /version must be a semantic version/],
    ['with a version in disguise', manifestOf('acme', { version: 'v1.0.0' }), /version must be a semantic version/],
    ['for another sdk', manifestOf('acme', { sdk: '^2.0.0' }), /sdk does not admit the sdk of this gateway, 1\.0\.0/],
    ['with a range that is none', manifestOf('acme', { sdk: 'newest' }), /sdk must be a semver range/],
    ['with an unknown phase', manifestOf('acme', { phases: ['atempt'] }), /phases\[0\] must be identify, resolve/],
    ['without a phase', manifestOf('acme', { phases: [] }), /at least one phase/],
    [
      'with a star for any host',
      manifestOf('acme', { permissions: { net: ['*:443'] } }),
      /permissions\.net\[0\].*star/,
    ],
    ['with a port that is none', manifestOf('acme', { permissions: { net: ['a.example:0'] } }), /port from 1 to 65535/],
    [
      'with a secret for a variable name',
      manifestOf('acme', { permissions: { env: ['sk-1'] } }),
      /permissions\.env\[0\] must be/,
    ],
  ];
  for (const [what, content, message] of refused) {
    it(`${what} is refused with file, field and reason`, async (t) => {
      const { path, remove } = await folderOf({ 'acme/plugin.json': content });
      t.after(remove);
      const error = await refusalOf(async () => readManifest({ path: join(path, 'acme'), kind: 'plugin' }));
      assert.equal(error.code, 'invalid_config');
      assert.ok(error.message.startsWith(join(path, 'acme', 'plugin.json')));
      assert.match(error.message, message);
    });
  }

  it('that is missing is refused', async () => {
    const error = await refusalOf(async () => readManifest({ path: '/nowhere', kind: undefined }));
    assert.match(error.message, /\/nowhere\/plugin\.json is missing/);
  });

  it('tells all its faults at once', async (t) => {
    const { path, remove } = await folderOf({ 'acme/plugin.json': manifestOf('other', { version: '1', sdk: '^9' }) });
    t.after(remove);
    const error = await refusalOf(async () => readManifest({ path: join(path, 'acme'), kind: undefined }));
    assert.equal(error.message.split('\n').length, 3);
  });
});
