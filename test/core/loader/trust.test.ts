import assert from 'node:assert/strict';
import { mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import type { PluginFolder } from '../../../core/config/gateway-config.ts';
import { loadUnits } from '../../../core/loader/load.ts';
import { newPrivateKey, publicPart } from '../../../core/packages/signing-keys.ts';
import { emptyFolder, filesOf, signed } from '../packages/plugin-files.ts';
import { manifestOf, pluginCode, refusalOf } from './unit-folders.ts';

const key = await newPrivateKey();
const mark = `globalThis.portcullisTrusted = true;\n${pluginCode}`;

/** A folder with two signed plugins, and how it is loaded. */
async function place(t: TestContext, fields: Partial<PluginFolder> = {}, signingKeys = [publicPart(key)]) {
  const root = await emptyFolder(t);
  for (const name of ['note', 'other']) {
    const { files } = await signed(
      filesOf({ 'plugin.json': JSON.stringify(manifestOf(name)), 'index.ts': mark, 'words/list.ts': 'export {};\n' }),
      key,
    );
    await mkdir(join(root, name, 'words'), { recursive: true });
    for (const [path, content] of files) await writeFile(join(root, name, path), content);
  }
  const folder: PluginFolder = { path: root, trust: 'trusted', requireSignature: true, ...fields };
  const load = () => loadUnits({ pluginFolders: [folder], signingKeys }, { root: join(root, 'none') });
  return { root, load, note: (path: string) => join(root, 'note', path) };
}

describe('signed units', () => {
  it('are loaded as they were signed', async (t) => {
    const { load } = await place(t);
    assert.equal((await load()).plugins.units.length, 2);
    assert.ok('portcullisTrusted' in globalThis);
    Reflect.deleteProperty(globalThis, 'portcullisTrusted');
  });

  it('may stand behind a link as a whole', async (t) => {
    const { root, load } = await place(t);
    const elsewhere = await emptyFolder(t);
    await rename(join(root, 'note'), join(elsewhere, 'note'));
    await symlink(join(elsewhere, 'note'), join(root, 'note'));
    assert.equal((await load()).plugins.units.length, 2);
    Reflect.deleteProperty(globalThis, 'portcullisTrusted');
  });

  type Place = Awaited<ReturnType<typeof place>>;
  const faulty: readonly [string, (place: Place) => Promise<unknown>, RegExp][] = [
    [
      'a file was altered in',
      ({ note }) => writeFile(note('words/list.ts'), 'export { };\n'),
      /note.words.list\.ts was altered after it was signed\.$/,
    ],
    ['a file was added to', ({ note }) => writeFile(note('words/more.ts'), ''), /note.words.more\.ts was added/],
    ['a hidden file was added to', ({ note }) => writeFile(note('.env'), ''), /note.\.env was added/],
    ['a file was taken from', ({ note }) => rm(note('words/list.ts')), /note.words.list\.ts is missing/],
    [
      'a file became a link in',
      async ({ note }) => {
        await rename(note('words/list.ts'), note('words/real.ts'));
        await symlink(note('words/real.ts'), note('words/list.ts'));
      },
      /note.words.list\.ts is a link/,
    ],
    [
      'a folder became a link in',
      async ({ root, note }) => {
        await rename(note('words'), join(root, '.words'));
        await symlink(join(root, '.words'), note('words'));
      },
      /note.words is a link/,
    ],
    [
      'the signature is a link in',
      async ({ root, note }) => {
        await rm(note('plugin.sig'));
        await symlink(join(root, 'other', 'plugin.sig'), note('plugin.sig'));
      },
      /note.plugin\.sig is a link/,
    ],
    [
      'the signature is gone from',
      ({ note }) => rm(note('plugin.sig')),
      /note.plugin\.sig is missing.*require_signature/,
    ],
    ['the signature is none in', ({ note }) => writeFile(note('plugin.sig'), 'x'), /note.plugin\.sig is no signature/],
  ];
  for (const [what, change, message] of faulty) {
    it(`are refused before any code runs when ${what} one`, async (t) => {
      const made = await place(t);
      await change(made);
      const error = await refusalOf(made.load);
      assert.deepEqual([error.code, error.param], ['invalid_config', 'plugins.folders']);
      assert.match(error.message, message);
      assert.ok(!error.message.includes(join(made.root, 'other')), error.message);
      assert.equal('portcullisTrusted' in globalThis, false);
    });
  }

  it('are refused with all their faults', async (t) => {
    const { root, load, note } = await place(t);
    await writeFile(note('index.ts'), pluginCode);
    await writeFile(note('more.ts'), '');
    await rm(join(root, 'other', 'plugin.sig'));
    assert.deepEqual(
      (await refusalOf(load)).message.split('\n').map((line) => line.slice(root.length + 1).split(' ')[0]),
      ['note/index.ts', 'note/more.ts', 'other/plugin.sig'],
    );
  });

  it('are refused when nobody said whose signatures count', async (t) => {
    const { load } = await place(t, {}, []);
    assert.match(
      (await refusalOf(load)).message,
      /note.plugin\.sig cannot be verified: plugins\.signing_keys lists no key/,
    );
  });

  it('are refused when another key signed them', async (t) => {
    const { load } = await place(t, {}, [publicPart(await newPrivateKey())]);
    assert.match((await refusalOf(load)).message, new RegExp(`is by the key ${key.kid}, which is not among`));
  });

  it('are held against a signature that is there, though none is demanded', async (t) => {
    const { load, note } = await place(t, { requireSignature: false });
    assert.equal((await load()).plugins.units.length, 2);
    await writeFile(note('index.ts'), `${mark} `);
    assert.match((await refusalOf(load)).message, /note.index\.ts was altered/);
    // Without its signature it is like one that nobody has signed.
    await rm(note('plugin.sig'));
    assert.equal((await load()).plugins.units.length, 2);
    Reflect.deleteProperty(globalThis, 'portcullisTrusted');
  });

  it('are refused with a key whose id is not its own', async (t) => {
    const { load } = await place(t, {}, [{ ...publicPart(key), kid: 'mine' }]);
    assert.equal((await refusalOf(load)).param, 'plugins.signing_keys[0].kid');
  });
});
