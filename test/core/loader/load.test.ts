import assert from 'node:assert/strict';
import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import type { PluginFolder } from '../../../core/config/gateway-config.ts';
import { loadUnits } from '../../../core/loader/load.ts';
import { checkSavedProviders } from '../../../core/loader/saved-providers.ts';
import { newPrivateKey, publicPart } from '../../../core/packages/signing-keys.ts';
import { folderOf, manifestOf, pluginCode, providerCode, refusalOf } from './unit-folders.ts';

async function tree(t: TestContext, files: Readonly<Record<string, unknown>>): Promise<string> {
  const { path, remove } = await folderOf(files);
  t.after(remove);
  return path;
}

function trusted(path: string, fields: Partial<PluginFolder> = {}): PluginFolder {
  return { path, trust: 'trusted', requireSignature: false, ...fields };
}

const load = (root: string, pluginFolders: readonly PluginFolder[] = []) =>
  loadUnits({ pluginFolders, signingKeys: [] }, { root });

const provider = (name: string, code = providerCode, fields = {}) => ({
  [`providers/${name}/plugin.json`]: manifestOf(name, { kind: 'provider', ...fields }),
  [`providers/${name}/index.ts`]: code,
});

describe('loading units', () => {
  it('loads all units of this repository', async () => {
    const units = await loadUnits({ pluginFolders: [], signingKeys: [] });
    assert.ok(units.plugins.units.length > 0);
    for (const { manifest, trust } of units.plugins.units) assert.equal(trust, 'built-in', manifest.name);
  });

  it('loads the providers and plugins of extra folders, and leaves out what is hidden or no unit', async (t) => {
    const root = await tree(t, {
      ...provider('acme'),
      'plugins/note/plugin.json': manifestOf('note'),
      'plugins/note/index.ts': pluginCode,
      'plugins/.hidden/index.ts': 'throw new Error("never imported")',
      'plugins/leftovers/readme.txt': '',
    });
    const units = await load(join(root, 'none'), [trusted(join(root, 'providers')), trusted(join(root, 'plugins'))]);
    assert.deepEqual(
      units.providers.units.map(({ manifest }) => manifest.name),
      ['acme'],
    );
    assert.deepEqual(
      units.plugins.units.map(({ manifest, trust }) => [manifest.name, trust]),
      [['note', 'trusted']],
    );
  });

  it('loads an extra folder that is itself a unit, with files of its own', async (t) => {
    const root = await tree(t, {
      'note/plugin.json': manifestOf('note', { version: '3.1.0' }),
      'note/words.ts': 'export const words: readonly string[] = ["a"];',
      'note/index.ts': `import { words } from './words.ts';\n${pluginCode}\nexport const count: number = words.length;`,
    });
    const { plugins } = await load(join(root, 'none'), [trusted(join(root, 'note'))]);
    assert.equal(plugins.find('note@3').folder, join(root, 'note'));
  });

  it('loads a unit through a symbolic link', async (t) => {
    const root = await tree(t, {
      'real/note/plugin.json': manifestOf('note'),
      'real/note/index.ts': pluginCode,
      'extra/x.txt': '',
    });
    await symlink(join(root, 'real', 'note'), join(root, 'extra', 'note'));
    const { plugins } = await load(join(root, 'none'), [trusted(join(root, 'extra'))]);
    assert.equal(plugins.units.length, 1);
  });

  it('lets a unit outside the repository import the test kit of the sdk', async (t) => {
    const root = await tree(t, {
      'note/plugin.json': manifestOf('note'),
      'note/index.ts': `import * as kit from 'portcullis/sdk/testing';\nif (Object.keys(kit).length === 0) throw new Error('empty');\n${pluginCode}`,
    });
    assert.equal((await load(join(root, 'none'), [trusted(join(root, 'note'))])).plugins.units.length, 1);
  });

  it('refuses a unit without index.ts', async (t) => {
    const root = await tree(t, { 'note/plugin.json': manifestOf('note') });
    assert.match(
      (await refusalOf(() => load(join(root, 'none'), [trusted(root)]))).message,
      /note.index\.ts cannot be imported/,
    );
  });

  it('gives units outside the repository the very sdk of the gateway, even beside a copy of theirs', async (t) => {
    const root = await tree(t, {
      'node_modules/portcullis/package.json': { name: 'portcullis', exports: { './sdk': './other.js' } },
      'node_modules/portcullis/other.js':
        'export const plugin = (it) => it; export const schema = { Object: () => ({}) };',
      'note/plugin.json': manifestOf('note'),
      'note/index.ts': pluginCode,
    });
    assert.equal((await load(join(root, 'none'), [trusted(join(root, 'note'))])).plugins.units.length, 1);
  });

  it('keeps two majors side by side', async (t) => {
    const root = await tree(t, {
      'one/acme/plugin.json': manifestOf('acme', { version: '1.0.0' }),
      'one/acme/index.ts': pluginCode,
      'two/acme/plugin.json': manifestOf('acme', { version: '2.0.0' }),
      'two/acme/index.ts': pluginCode,
    });
    const { plugins } = await load(join(root, 'none'), [trusted(join(root, 'one')), trusted(join(root, 'two'))]);
    assert.equal(plugins.find('acme').manifest.version, '2.0.0');
    assert.equal(plugins.find('acme@1').manifest.version, '1.0.0');
  });

  it('refuses twins before it imports either', async (t) => {
    const files = { 'plugin.json': manifestOf('acme'), 'index.ts': 'throw new Error("imported")' };
    const named = (folder: string) =>
      Object.fromEntries(Object.entries(files).map(([name, content]) => [`${folder}/acme/${name}`, content]));
    const root = await tree(t, { ...named('one'), ...named('two') });
    const error = await refusalOf(() =>
      load(join(root, 'none'), [trusted(join(root, 'one')), trusted(join(root, 'two'))]),
    );
    assert.match(error.message, /acme@1: .*one.acme and .*two.acme/);
  });

  it('checks every manifest before it imports any code, and tells all faults', async (t) => {
    const mark = `globalThis.portcullisImported = true;\n${pluginCode}`;
    const root = await tree(t, {
      'good/plugin.json': manifestOf('good'),
      'good/index.ts': mark,
      'bad/plugin.json': manifestOf('bad', { sdk: '^7' }),
      'bad/index.ts': mark,
      'worse/plugin.json': manifestOf('worse', { version: 'x' }),
      'worse/index.ts': mark,
    });
    const error = await refusalOf(() => load(join(root, 'none'), [trusted(root)]));
    assert.deepEqual(
      error.message.split('\n').map((line) => /\/(\w+)\/plugin\.json: (\w+)/.exec(line)?.slice(1)),
      [
        ['bad', 'sdk'],
        ['worse', 'version'],
      ],
    );
    assert.equal('portcullisImported' in globalThis, false);
  });

  const refusedFolders: readonly [string, Partial<PluginFolder>, string, RegExp][] = [
    [
      'of a plugin that is sandboxed',
      { trust: 'sandboxed' },
      'plugins.folders',
      /note is a plugin, and only guardrails run in the sandbox/,
    ],
    ['that demands signatures', { requireSignature: true }, 'plugins.folders', /note.plugin\.sig is missing/],
    ['that is not there', { path: '/nowhere/at/all' }, 'plugins.folders[0].path', /cannot be read/],
  ];
  for (const [what, fields, param, message] of refusedFolders) {
    it(`refuses a folder ${what}`, async (t) => {
      const root = await tree(t, { 'note/plugin.json': manifestOf('note'), 'note/index.ts': pluginCode });
      const error = await refusalOf(() => load(join(root, 'none'), [trusted(root, fields)]));
      assert.deepEqual([error.code, error.param], ['invalid_config', param]);
      assert.match(error.message, message);
    });
  }

  it('refuses a folder that holds no unit', async (t) => {
    const root = await tree(t, { 'note/index.ts': pluginCode });
    assert.match((await refusalOf(() => load(join(root, 'none'), [trusted(root)]))).message, /holds no unit/);
  });

  it('takes signing keys that nothing is signed by', async (t) => {
    const root = await tree(t, { 'note/plugin.json': manifestOf('note'), 'note/index.ts': pluginCode });
    const signingKeys = [publicPart(await newPrivateKey())];
    const { plugins } = await loadUnits({ pluginFolders: [trusted(root)], signingKeys }, { root: join(root, 'none') });
    assert.equal(plugins.units.length, 1);
  });

  it('refuses a built-in folder with code and no manifest', async (t) => {
    const root = await tree(t, { 'plugins/note/index.ts': pluginCode });
    assert.match((await refusalOf(() => load(root))).message, /note.plugin\.json is missing/);
  });

  for (const trust of ['sandboxed', 'trusted'] as const) {
    it(`finds a guardrail that is ${trust}, and leaves its code alone`, async (t) => {
      const root = await tree(t, {
        'check/plugin.json': manifestOf('check', { kind: 'guardrail' }),
        'check/index.ts': 'throw new Error("imported")',
      });
      const { guardrails } = await load(join(root, 'none'), [trusted(root, { trust })]);
      assert.deepEqual(
        guardrails.units.map(({ manifest, folder, trust }) => [manifest.name, folder, trust]),
        [['check', join(root, 'check'), trust]],
      );
    });
  }

  const refusedCode: readonly [string, string, RegExp][] = [
    ['that exports nothing', '', /default export/],
    ['that throws', 'throw new TypeError("on purpose")', /index\.ts cannot be imported\. TypeError: on purpose/],
    ['that exports a plain object', 'export default { setup() {} }', /what plugin\(\) of portcullis\/sdk returns/],
    ['that exports a provider', providerCode, /but it is a provider/],
    ['with a broken import', "import './gone.ts';", /cannot be imported/],
  ];
  for (const [what, code, message] of refusedCode) {
    it(`refuses code ${what}, naming the file`, async (t) => {
      const root = await tree(t, { 'note/plugin.json': manifestOf('note'), 'note/index.ts': code });
      const error = await refusalOf(() => load(join(root, 'none'), [trusted(root)]));
      assert.ok(error.message.startsWith(join(root, 'note', 'index.ts')));
      assert.match(error.message, message);
    });
  }
});

describe('a provider', () => {
  const code = (change: (text: string) => string) => change(providerCode);
  const refused: readonly [string, string, RegExp][] = [
    [
      'reads a variable that it was not granted',
      code((text) => text.replace('secret()', "secret({ env: 'ACME_KEY' })")),
      /settings\.apiKey takes the environment variable ACME_KEY.*permissions\.env/,
    ],
    [
      'speaks no known dialect',
      code((text) => text.replace("dialect: 'chat'", "dialect: 'chats'")),
      /endpoints\.chatComplete\.dialect is "chats".*did you mean chat\?/,
    ],
    [
      'takes its credential from nowhere',
      code((text) => text.replace("from: 'apiKey'", "from: 'key'")),
      /auth\.from names the setting key/,
    ],
    [
      'puts an unbounded setting into its base',
      code((text) => text.replace('api.example', '{apiKey}.example')),
      /\{apiKey\}, whose schema needs a pattern/,
    ],
    [
      'puts an unknown setting into its base',
      code((text) => text.replace('api.example', '{region}.example')),
      /\{region\}, which is no setting/,
    ],
  ];
  for (const [what, text, message] of refused) {
    it(`that ${what} is refused`, async (t) => {
      const root = await tree(t, provider('acme', text));
      const error = await refusalOf(() => load(join(root, 'none'), [trusted(join(root, 'providers'))]));
      assert.match(error.message, message);
      assert.match(error.message, /acme.index\.ts: acme@1 /);
    });
  }

  it('that was granted its variable is loaded', async (t) => {
    const granted = provider('acme', providerCode.replace('secret()', "secret({ env: 'ACME_KEY' })"), {
      permissions: { env: ['ACME_KEY'] },
    });
    const root = await tree(t, granted);
    assert.equal(
      (await load(join(root, 'none'), [trusted(join(root, 'providers'))])).providers.find('acme').manifest.name,
      'acme',
    );
  });

  it('that is saved under a name must exist and know the settings', async (t) => {
    const root = await tree(t, provider('acme'));
    const { providers } = await load(join(root, 'none'), [trusted(join(root, 'providers'))]);
    checkSavedProviders({ good: { provider: 'acme@1', models: [], settings: { api_key: 'k' } } }, providers);
    const error = await refusalOf(() =>
      checkSavedProviders(
        {
          one: { provider: 'acmee', models: [], settings: {} },
          two: { provider: 'acme', models: [], settings: { apikey: 'very-secret' } },
        },
        providers,
      ),
    );
    assert.equal(error.param, 'providers.one.provider');
    assert.match(error.message, /Did you mean acme\?\nproviders\.two\.apikey: .*Did you mean api_key\?$/);
    assert.ok(!error.message.includes('very-secret'));
  });
});
