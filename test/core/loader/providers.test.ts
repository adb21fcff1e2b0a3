import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { before, describe, it, type TestContext } from 'node:test';
import { promisify } from 'node:util';
import { isProvider } from 'portcullis/sdk';
import { providerSettingsText } from '../../../core/cli/docs.ts';
import { capabilityList } from '../../../core/loader/capabilities.ts';
import { loadUnits } from '../../../core/loader/load.ts';
import { namedProviders } from '../../../core/loader/named-providers.ts';
import { servedDefinition } from '../../../core/loader/providers.ts';
import { resolveSdkForUnits } from '../../../core/loader/resolve-sdk.ts';
import { folderOf, manifestOf, providerCode, refusalOf } from './unit-folders.ts';

const root = join(import.meta.dirname, '..', '..', '..');
const own = () => loadUnits({ pluginFolders: [], signingKeys: [] });

describe('the providers of this repository', () => {
  it('have their settings in providers/settings.json (npm run docs)', async () => {
    assert.equal(await readFile(join(root, 'providers/settings.json'), 'utf8'), await providerSettingsText());
  });

  it('can all be imported when they are needed, and keep the rules', async () => {
    const { providers } = await own();
    assert.ok(providers.units.length > 50);
    for (const entry of providers.units) assert.ok(isProvider(entry.definition), entry.manifest.name);
  });

  it('are listed with what they can be asked for', async () => {
    const { providers } = await own();
    const { total } = await capabilityList(providers.units);
    assert.equal(total, providers.units.length);
  });

  it('stay what they are when they are imported in other ways or loaded again', async () => {
    const [first, again] = [await own(), await own()];
    const { definition } = first.providers.find('echo');
    const module = (await import('../../../providers/echo/index.ts')) as { default: unknown };
    assert.equal(definition, module.default);
    assert.equal(definition, again.providers.find('echo').definition);
  });

  it('are not imported by a start, but for those that the config names', async () => {
    const script = join(import.meta.dirname, 'imported-by-start.ts');
    const { stdout } = await promisify(execFile)(process.execPath, [script], { cwd: root });
    assert.equal(stdout, 'cohere,echo,groq');
  });
});

const mark = (name: string) => `globalThis.importedUnits = [...(globalThis.importedUnits ?? []), '${name}'];\n`;
const imported = () => (globalThis as { importedUnits?: readonly string[] }).importedUnits ?? [];

const providerFiles = (name: string, code = providerCode) => ({
  [`providers/${name}/plugin.json`]: manifestOf(name, { kind: 'provider' }),
  [`providers/${name}/index.ts`]: mark(name) + code,
});

async function tree(t: TestContext, files: Readonly<Record<string, unknown>>): Promise<string> {
  const { path, remove } = await folderOf({ 'package.json': { type: 'module' }, ...files });
  t.after(remove);
  return path;
}

// The built-in units of these tests stand outside this package, and import its sdk all the same.
before(() => resolveSdkForUnits([tmpdir()]));

async function load(path: string, ...folders: readonly string[]) {
  const pluginFolders = folders.map((folder) => ({ path: folder, trust: 'trusted', requireSignature: false }) as const);
  return (await loadUnits({ pluginFolders, signingKeys: [] }, { root: path })).providers;
}

describe('a built-in provider', () => {
  it('that is listed is imported when it is first needed, once', async (t) => {
    const path = await tree(t, { ...providerFiles('late'), 'providers/settings.json': { late: { apiKey: null } } });
    const providers = await load(path);
    assert.deepEqual(Object.keys(providers.find('late').settings), ['apiKey']);
    assert.ok(!imported().includes('late'));
    assert.equal(providers.find('late').definition, providers.find('late').definition);
    assert.equal(imported().filter((name) => name === 'late').length, 1);
  });

  it('that is not listed is imported at start', async (t) => {
    const path = await tree(t, { ...providerFiles('unlisted'), 'providers/settings.json': {} });
    assert.deepEqual((await load(path)).find('unlisted').settings, { apiKey: null });
    assert.ok(imported().includes('unlisted'));
  });

  const refused: readonly [string, string, RegExp][] = [
    ['throws', 'throw new TypeError("on purpose")', /index\.ts cannot be imported\. TypeError: on purpose/],
    ['awaits', `await Promise.resolve();\n${providerCode}`, /index\.ts cannot be imported\./],
    ['exports nothing', '', /default export must be what provider\(\)/],
    ['breaks a rule', providerCode.replace("'chat' }", "'chats' }"), /index\.ts: bad@1 endpoints.*did you mean chat\?/],
    [
      'has other settings than the list',
      providerCode.replace('secret() }', 'secret(), region: secret() }'),
      /index\.ts: bad@1 has other settings than providers.settings\.json lists/,
    ],
  ];
  for (const [what, code, message] of refused) {
    it(`that ${what} is refused whenever it is needed, naming the file`, async (t) => {
      const path = await tree(t, {
        ...providerFiles('bad', code),
        'providers/settings.json': { bad: { apiKey: null } },
      });
      const entry = (await load(path)).find('bad');
      const first = await refusalOf(() => entry.definition);
      const second = await refusalOf(() => entry.definition);
      // Node may say it in other words when it knows the module already.
      assert.match(first.message, message);
      for (const error of [first, second]) {
        assert.equal(error.code, 'invalid_config');
        assert.ok(error.message.startsWith(join(path, 'providers', 'bad', 'index.ts')));
      }
    });
  }

  it('that is at fault is refused to callers without a word of the code', async (t) => {
    const path = await tree(t, { ...providerFiles('odd', 'throw 1'), 'providers/settings.json': { odd: {} } });
    const entry = (await load(path)).find('odd');
    for (const work of [() => servedDefinition(entry), () => capabilityList([entry])]) {
      const error = await refusalOf(work);
      assert.equal(error.code, 'internal');
      assert.equal(error.message, 'The provider odd@1 of this gateway cannot be used. The log says why.');
      assert.match((error.cause as Error).message, /odd.index\.ts cannot be imported\./);
    }
  });

  it('can be used once its files can be read again', async (t) => {
    const path = await tree(t, {
      ...providerFiles('away', `import './part.ts';\n${providerCode}`),
      'providers/settings.json': { away: { apiKey: null } },
    });
    const entry = (await load(path)).find('away');
    await refusalOf(() => entry.definition);
    await writeFile(join(path, 'providers/away/part.ts'), '');
    assert.ok(isProvider(entry.definition));
  });

  for (const text of ['{', '[]']) {
    it(`is refused with a list that is ${text}`, async (t) => {
      const path = await tree(t, { ...providerFiles('any'), 'providers/settings.json': text });
      assert.match((await refusalOf(() => load(path))).message, /settings\.json cannot be used/);
    });
  }
});

describe('a provider of others', () => {
  it('is imported and checked at start, whatever the list says', async (t) => {
    const path = await tree(t, { 'built/providers/settings.json': { partner: { apiKey: null } } });
    const extra = await tree(t, providerFiles('partner'));
    await load(join(path, 'built'), join(extra, 'providers'));
    assert.ok(imported().includes('partner'));
  });
});

describe('the providers that a config names', () => {
  const saved = (provider: string) => ({ provider, models: [], settings: {} });
  const cases: readonly [string, Parameters<typeof namedProviders>[0], readonly string[]][] = [
    ['are the saved ones', { providers: { a: saved('groq'), b: saved('gone') }, configs: {} }, ['groq']],
    [
      'are those of configs',
      { providers: {}, configs: { a: { provider: 'echo' }, b: { provider: '@echo' } } },
      ['echo'],
    ],
    [
      'are those of targets and models, at any depth',
      {
        providers: {},
        configs: {
          a: { targets: [{ targets: [{ provider: 'ollama@1' }] }, { override_params: { model: '@cohere/a/b' } }] },
        },
      },
      ['cohere', 'ollama'],
    ],
    ['are none where slugs and models alone are named', { providers: {}, configs: { a: { model: 'groq/x' } } }, []],
  ];
  for (const [what, config, names] of cases) {
    it(what, async () => {
      const named = namedProviders(config, (await own()).providers);
      assert.deepEqual([...named].map(({ manifest }) => manifest.name).toSorted(), names);
    });
  }
});
