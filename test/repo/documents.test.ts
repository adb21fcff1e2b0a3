import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { errorCodes } from 'portcullis/sdk';
import { environmentTable } from '../../core/config/env.ts';
import { root, textOf } from './tree.ts';

/** The names in the first column of the table between the markers of a section. */
function rowsOf(section: string): readonly string[] {
  const readme = textOf('README.md');
  const [, after] = readme.split(`<!-- ${section}:start -->`);
  const [between, rest] = after?.split(`<!-- ${section}:end -->`) ?? [];
  assert.ok(between !== undefined && rest !== undefined, `README.md has no section ${section}`);
  return [...between.matchAll(/^\| `([^`]+)`/gm)].map(([, name]) => name ?? '');
}

describe('the README', () => {
  it('names every error code, and no other', () => assert.deepEqual(rowsOf('errors'), Object.keys(errorCodes)));

  it('gives every error code its status', () => {
    const readme = textOf('README.md');
    for (const [code, { status }] of Object.entries(errorCodes))
      assert.match(readme, new RegExp(`\\| \`${code}\` \\| ${status} \\|`));
  });

  it('names every environment variable, and no other', () =>
    assert.deepEqual(rowsOf('environment'), Object.keys(environmentTable)));
});

describe('the decisions', () => {
  const names = readdirSync(join(root, 'core/decisions')).sort();

  it('are numbered without gaps', () => {
    assert.deepEqual(
      names.map((name) => name.slice(0, 5)),
      names.map((_, index) => `${String(index + 1).padStart(4, '0')}-`),
    );
  });

  for (const name of names) {
    it(`${name} opens with its number and fits on half a page`, () => {
      const text = textOf(`core/decisions/${name}`);
      assert.match(text, new RegExp(`^# ${name.slice(0, 4)} \\S`));
      assert.ok(text.split('\n').length <= 40);
    });
  }
});

describe('the root', () => {
  it('holds nothing that is not expected there', () => {
    const folders = ['core', 'guardrails', 'plugins', 'providers', 'sdk', 'test'];
    const files = [
      'CHANGELOG.md',
      'CONTRIBUTING.md',
      'Dockerfile',
      'LICENSE',
      'README.md',
      'biome.json',
      'compose.yaml',
      'package-lock.json',
      'package.json',
      'tsconfig.json',
    ];
    const ignored = ['data', 'node_modules', 'portcullis.yaml', 'tmp'];
    const unexpected = readdirSync(root).filter(
      (name) => !name.startsWith('.') && ![...folders, ...files, ...ignored].includes(name) && !name.endsWith('.log'),
    );
    assert.deepEqual(unexpected, []);
  });

  it('has a lock file that names no registry, so that any mirror serves', () => {
    assert.doesNotMatch(textOf('package-lock.json'), /"resolved"/);
  });

  it('pins every dependency to one version', () => {
    const manifest = JSON.parse(textOf('package.json')) as Record<string, Record<string, string> | undefined>;
    const loose = ['dependencies', 'devDependencies', 'optionalDependencies'].flatMap((group) =>
      Object.entries(manifest[group] ?? {}).filter(([, version]) => !/^\d+\.\d+\.\d+$/.test(version)),
    );
    assert.deepEqual(loose, []);
  });
});
