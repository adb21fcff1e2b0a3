import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, rename, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { installedIn, recover, stage, swapIn, unstage } from '../../../core/packages/install.ts';
import { refusalOf } from '../loader/unit-folders.ts';
import { emptyFolder, filesOf, manifestText } from './plugin-files.ts';

async function installed(into: string, version: string): Promise<void> {
  const staged = await stage(
    into,
    'acme',
    filesOf({ 'plugin.json': manifestText({ version }), [`v${version}.ts`]: '' }),
  );
  await swapIn(staged, into);
  await unstage(staged);
}

describe('an installation', () => {
  it('puts the files in their place, and leaves nothing else', async (t) => {
    const into = join(await emptyFolder(t), 'plugins');
    await installed(into, '1.0.0');
    assert.deepEqual(await readdir(into), ['acme']);
    assert.deepEqual((await readdir(join(into, 'acme'))).sort(), ['index.ts', 'plugin.json', 'v1.0.0.ts']);
  });

  it('replaces the version before as a whole', async (t) => {
    const into = await emptyFolder(t);
    await installed(into, '1.0.0');
    await installed(into, '1.1.0');
    assert.deepEqual(await readdir(into), ['acme']);
    assert.deepEqual((await readdir(join(into, 'acme'))).sort(), ['index.ts', 'plugin.json', 'v1.1.0.ts']);
    assert.equal((await installedIn(into, 'acme'))?.version, '1.1.0');
  });

  it('brings the version before back when the new one cannot be put in its place', async (t) => {
    const into = await emptyFolder(t);
    await installed(into, '1.0.0');
    const staged = await stage(into, 'acme', filesOf());
    await unstage(staged);
    assert.match((await refusalOf(() => swapIn(staged, into))).message, /All is as it was/);
    assert.deepEqual(await readdir(into), ['acme']);
    assert.equal((await installedIn(into, 'acme'))?.version, '1.0.0');
  });

  it('that cannot be written leaves nothing behind', async (t) => {
    const into = await emptyFolder(t);
    const refusal = await refusalOf(() => stage(into, 'acme', filesOf({ lib: '', 'lib/one.ts': '' })));
    assert.deepEqual([refusal.code, refusal.param], ['bad_request', 'into']);
    assert.deepEqual(await readdir(into), []);
  });

  it('that was cut short is cleared away by the next, whatever its plugin, but for one that still runs', async (t) => {
    const into = await emptyFolder(t);
    await stage(into, 'other', filesOf());
    for (const left of ['.install-acme-AbC123', '.install-a-b-999999999-AbC123']) await mkdir(join(into, left));
    const running = `.install-acme-${process.ppid}-AbC123`;
    await mkdir(join(into, running));
    await recover(into, 'acme');
    assert.deepEqual(await readdir(into), [running]);
    await utimes(join(into, running), 0, 0);
    await recover(into, 'acme');
    assert.deepEqual(await readdir(into), []);
  });

  it('that was cut short is made good by the next', async (t) => {
    const into = await emptyFolder(t);
    assert.equal(await recover(into, 'acme'), false);
    await installed(into, '1.0.0');
    await rename(join(into, 'acme'), join(into, '.acme.before'));
    assert.equal(await recover(into, 'acme'), true);
    assert.deepEqual(await readdir(into), ['acme']);
    // Cut short after the new version was in its place.
    await mkdir(join(into, '.acme.before'));
    assert.equal(await recover(into, 'acme'), false);
    assert.deepEqual(await readdir(into), ['acme']);
  });

  it('knows a version for an sdk that is gone', async (t) => {
    const into = await emptyFolder(t);
    await mkdir(join(into, 'acme'));
    await writeFile(join(into, 'acme', 'plugin.json'), manifestText({ sdk: '^0.1.0', version: '0.9.0' }));
    assert.equal((await installedIn(into, 'acme'))?.version, '0.9.0');
  });

  const others: readonly [string, (into: string) => Promise<unknown>, RegExp][] = [
    ['a folder of something else', (into) => mkdir(join(into, 'acme')), /acme is no folder of the plugin acme/],
    [
      'a folder of another plugin',
      async (into) => {
        await mkdir(join(into, 'acme'));
        await writeFile(join(into, 'acme', 'plugin.json'), manifestText({ name: 'other' }));
      },
      /acme is no folder of the plugin acme/,
    ],
    ['a file', (into) => writeFile(join(into, 'acme'), 'kept'), /acme is a file, no plugin/],
    ['a link', (into) => symlink(into, join(into, 'acme')), /acme is a link, no plugin/],
  ];
  for (const [what, make, message] of others) {
    it(`never writes over ${what}`, async (t) => {
      const into = await emptyFolder(t);
      await make(into);
      assert.match((await refusalOf(() => installedIn(into, 'acme'))).message, message);
    });
  }

  it('goes into no folder that is a plugin itself', async (t) => {
    const into = await emptyFolder(t);
    await writeFile(join(into, 'plugin.json'), manifestText());
    assert.match((await refusalOf(() => installedIn(into, 'acme'))).message, /is itself a plugin/);
    assert.equal(await readFile(join(into, 'plugin.json'), 'utf8'), manifestText());
  });
});
