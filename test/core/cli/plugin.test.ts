import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, cp, mkdir, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { runCommand } from '../../../core/cli/command.ts';
import { tarballOf } from '../../../core/packages/tarball.ts';
import { emptyFolder, filesOf, manifestText } from '../packages/plugin-files.ts';

/** What `portcullis plugin ...` prints, says and gives back. */
async function plugin(...argv: readonly string[]) {
  const printed: string[] = [];
  const complained: string[] = [];
  const out = { print: (text: string) => printed.push(text), complain: (text: string) => complained.push(text) };
  const code = await runCommand(['plugin', ...argv], out);
  return { code, printed: printed.join('\n'), complained: complained.join('\n') };
}

async function done(...argv: readonly string[]): Promise<string> {
  const { code, printed, complained } = await plugin(...argv);
  assert.equal(code, 0, `${argv.join(' ')}: ${complained}`);
  return printed;
}

/** A folder with a signed plugin, a key pair, and a package of both. */
async function workshop(t: TestContext) {
  const folder = await emptyFolder(t);
  const at = (...names: readonly string[]) => join(folder, ...names);
  await mkdir(at('acme'));
  await writeFile(at('acme', 'plugin.json'), manifestText({ permissions: { net: ['a.example:443'] } }));
  await writeFile(at('acme', 'index.ts'), 'throw new Error("imported");\n');
  await writeFile(at('public.json'), await done('keygen', '--out', at('key.json')));
  /** Another version of the plugin, signed and packed. */
  const release = async (version: string, fields: Readonly<Record<string, unknown>> = {}) => {
    const permissions = { net: ['a.example:443'] };
    await writeFile(at('acme', 'plugin.json'), manifestText({ version, permissions, ...fields }));
    await done('sign', at('acme'), '--key', at('key.json'));
    await done('pack', at('acme'), '--out', at(`${version}.tgz`));
    return at(`${version}.tgz`);
  };
  const install = (file: string, ...options: readonly string[]) =>
    plugin('install', file, '--into', at('plugins'), '--key', at('public.json'), ...options);
  const version = async () =>
    JSON.parse(await readFile(at('plugins', 'acme', 'plugin.json'), 'utf8').catch(() => '{}')).version;
  return { folder, at, release, install, version };
}

describe('portcullis plugin', () => {
  const wrong: readonly (readonly string[])[] = [
    [],
    ['fly'],
    ['constructor'],
    ['pack'],
    ['pack', 'a', 'b'],
    ['pack', 'a', '--sandbox'],
    ['keygen'],
    ['keygen', 'a', '--out', 'b'],
    ['verify', 'a'],
    ['install', 'a'],
  ];
  for (const argv of wrong) {
    it(`answers "${argv.join(' ')}" with how it is used`, async () => {
      const { code, printed, complained } = await plugin(...argv);
      assert.deepEqual([code, printed], [2, '']);
      assert.match(complained, /^Use: portcullis plugin /);
    });
  }
});

describe('portcullis plugin new', () => {
  it('writes a unit by the name of its folder, or puts one by another name into it', async (t) => {
    const folder = await emptyFolder(t);
    await done('new', join(folder, 'one'));
    await done('new', folder, '--name', 'two');
    for (const name of ['one', 'two']) {
      const manifest = JSON.parse(await readFile(join(folder, name, 'plugin.json'), 'utf8'));
      assert.deepEqual([manifest.name, manifest.title, manifest.kind], [name, name, 'guardrail']);
    }
  });

  it('says where it cannot write', async (t) => {
    const folder = await emptyFolder(t);
    await symlink(join(folder, 'nowhere'), join(folder, 'acme'));
    const { code, complained } = await plugin('new', join(folder, 'acme'));
    assert.equal(code, 2);
    assert.match(complained, /acme cannot be written \(ENOENT\)/);
  });

  it('writes over nothing, and makes no unit that could not be loaded', async (t) => {
    const folder = await emptyFolder(t);
    await writeFile(join(folder, 'mine.txt'), '');
    const refused = await plugin('new', join(folder), '--name', 'Acme Words');
    assert.match(refused.complained, /cannot be named "Acme Words"/);
    await mkdir(join(folder, 'acme'));
    await writeFile(join(folder, 'acme', 'mine.txt'), '');
    assert.match((await plugin('new', join(folder, 'acme'))).complained, /not empty/);
    assert.deepEqual(await readdir(join(folder, 'acme')), ['mine.txt']);
  });
});

describe('portcullis plugin test', () => {
  it('passes what new has made, and says what it declares, uses and takes', async (t) => {
    const folder = join(await emptyFolder(t), 'acme');
    await done('new', folder);
    const printed = await done('test', folder);
    assert.match(printed, /^ok +words +takes at most \d+ ms for 10 KB of text +\(\d+\.\d+ ms\)$/m);
    assert.match(printed, /^ok +unit +uses only what its manifest declares +\(api\.example\.com:443\)$/m);
    assert.match(printed, /^Declared: permissions\.net: api\.example\.com:443\.$/m);
  });

  it('fails a unit that calls where it may not, in a form for programs too', async (t) => {
    const folder = join(await emptyFolder(t), 'acme');
    await done('new', folder);
    const file = join(folder, 'plugin.json');
    await writeFile(file, (await readFile(file, 'utf8')).replace('api.example.com', 'api.example.net'));
    const { code, printed } = await plugin('test', folder, '--json');
    const report = JSON.parse(printed);
    assert.deepEqual([code, report.pass], [1, false]);
    const failed = report.results.filter(({ pass }: { pass: boolean }) => !pass);
    assert.ok(
      failed.some(({ detail }: { detail: string }) => detail.includes('permissions.net: api.example.com:443')),
      printed,
    );
  });

  it('fails a unit that the sandbox has to end on a hostile text', async (t) => {
    const folder = join(await emptyFolder(t), 'acme');
    await done('new', folder);
    const file = join(folder, 'words.ts');
    const loop = 'if (/^a{9}/.test(text)) for (;;);\n    const lower';
    await writeFile(file, (await readFile(file, 'utf8')).replace('const lower', loop));
    const { code, printed } = await plugin('test', folder, '--sandbox');
    assert.equal(code, 1);
    assert.match(
      printed,
      /^FAIL +words +ends so, in time, for hostile texts\n.*had to be ended: .*did not end in its time/m,
    );
    assert.doesNotMatch(printed, /words +takes at most/);
  });

  for (const [what, code, says] of [
    ['ends the process when it is loaded', 'process.exit(0);', /ended the process, or waits for ever/],
    ['waits for ever when it is loaded', 'await new Promise(() => {});', /ended the process, or waits for ever/],
    [
      'leaves a rejected promise behind',
      "void Promise.reject(new Error('left behind'));",
      /threw where nobody can catch it: left behind/,
    ],
  ] as const)
    it(`fails a unit that ${what}, in a sentence`, async (t) => {
      const folder = join(await emptyFolder(t), 'acme');
      await done('new', folder);
      await appendFile(join(folder, 'index.ts'), `${code}\n`);
      const main = join(import.meta.dirname, '..', '..', '..', 'core', 'main.ts');
      const { status, stdout, stderr } = spawnSync(process.execPath, [main, 'plugin', 'test', folder], {
        encoding: 'utf8',
      });
      assert.deepEqual([status, stdout], [1, ''], stderr);
      assert.match(stderr, says);
      assert.doesNotMatch(stderr, /\n +at /);
    });

  it('fails a unit whose fixtures are no folder', async (t) => {
    const folder = join(await emptyFolder(t), 'acme');
    await done('new', folder);
    await rm(join(folder, 'fixtures'), { recursive: true });
    await writeFile(join(folder, 'fixtures'), '');
    const { code, printed } = await plugin('test', folder);
    assert.equal(code, 1);
    assert.match(printed, /fixtures is no folder that can be read/);
  });

  it('refuses what is no guardrail', async (t) => {
    const folder = join(await emptyFolder(t), 'acme');
    await mkdir(folder);
    await writeFile(join(folder, 'plugin.json'), manifestText({ kind: 'provider' }));
    assert.match((await plugin('test', folder)).complained, /is a provider/);
  });
});

describe('portcullis plugin keygen', () => {
  it('keeps the private half in a file that only its owner can read, and prints the public one', async (t) => {
    const { at } = await workshop(t);
    assert.equal((await stat(at('key.json'))).mode & 0o777, 0o600);
    const key = JSON.parse(await readFile(at('key.json'), 'utf8'));
    const { d, ...rest } = key;
    assert.equal(d.length, 43);
    assert.deepEqual(JSON.parse(await readFile(at('public.json'), 'utf8')), rest);
    const again = await plugin('keygen', '--out', at('key.json'));
    assert.match(again.complained, /exists, and no key is written over/);
    assert.equal(JSON.parse(await readFile(at('key.json'), 'utf8')).d, d);
  });
});

describe('portcullis plugin sign, pack and verify', () => {
  it('agree', async (t) => {
    const { at, release } = await workshop(t);
    const file = await release('1.0.0');
    assert.match(await done('verify', file, '--key', at('public.json')), /2 files are as the key \S+ has signed them/);
    assert.match(await done('verify', at('acme'), '--key', at('public.json')), /2 files are as/);
  });

  it('make the same package again, elsewhere and later', async (t) => {
    const { at, release } = await workshop(t);
    const file = await release('1.0.0');
    await mkdir(at('copy'));
    await cp(at('acme'), at('copy', 'acme'), { recursive: true });
    const printed = await done('pack', at('copy', 'acme'), '--out', at('copy.tgz'));
    assert.match(printed, /^sha256 [0-9a-f]{64}$/m);
    assert.deepEqual(await readFile(at('copy.tgz')), await readFile(file));
  });

  it('say that a signature no longer fits what is packed', async (t) => {
    const { at, release } = await workshop(t);
    await release('1.0.0');
    const fitting = await plugin('pack', at('acme'), '--out', at('a.tgz'));
    assert.equal(fitting.complained, '');
    await writeFile(at('acme', 'index.ts'), 'changed');
    const stale = await plugin('pack', at('acme'), '--out', at('b.tgz'));
    assert.match(stale.complained, /plugin\.sig does not fit/);
    await writeFile(at('acme', 'plugin.sig'), 'none');
    assert.match((await plugin('pack', at('acme'), '--out', at('c.tgz'))).complained, /plugin\.sig does not fit/);
  });

  it('put no package into the folder that it is made of, and sign with no key that stands there', async (t) => {
    const { at, release } = await workshop(t);
    await release('1.0.0');
    const packed = await plugin('pack', at('acme'), '--out', at('acme', 'acme-1.0.0.tgz'));
    assert.match(packed.complained, /acme-1\.0\.0\.tgz would stand in the folder that is packed.*--out/);
    await cp(at('key.json'), at('acme', 'key.json'));
    const signed = await plugin('sign', at('acme'), '--key', at('acme', 'key.json'));
    assert.match(signed.complained, /key\.json would go out with the package/);
    assert.deepEqual((await readdir(at('acme'))).toSorted(), ['index.ts', 'key.json', 'plugin.json', 'plugin.sig']);
    await mkdir(at('acme', '.out'));
    await done('pack', at('acme'), '--out', at('acme', '.out', 'acme-1.0.0.tgz'));
  });

  it('leave out what is hidden and what npm has installed', async (t) => {
    const { at, release } = await workshop(t);
    const file = await release('1.0.0');
    await mkdir(at('acme', 'node_modules', 'x'), { recursive: true });
    await writeFile(at('acme', 'node_modules', 'x', 'index.js'), '');
    await writeFile(at('acme', '.env'), 'SECRET=1');
    await done('pack', at('acme'), '--out', at('again.tgz'));
    assert.deepEqual(await readFile(at('again.tgz')), await readFile(file));
  });

  it('tell what was altered, what is missing and what was added', async (t) => {
    const { at, release } = await workshop(t);
    await writeFile(at('acme', 'gone.ts'), '');
    await release('1.0.0');
    await appendFile(at('acme', 'index.ts'), ' ');
    await rm(at('acme', 'gone.ts'));
    await writeFile(at('acme', '.more'), '');
    await symlink(at('key.json'), at('acme', 'link.ts'));
    const { code, printed, complained } = await plugin('verify', at('acme'), '--key', at('public.json'));
    assert.deepEqual([code, printed], [1, '']);
    assert.deepEqual(complained.split('\n'), [
      'altered  index.ts',
      'missing  gone.ts',
      'added    .more',
      'no file  link.ts',
    ]);
  });

  it('take any of several keys, and none that is private', async (t) => {
    const { at, release } = await workshop(t);
    const file = await release('1.0.0');
    await writeFile(at('other.json'), await done('keygen', '--out', at('other-key.json')));
    await done('verify', file, '--key', at('other.json'), '--key', at('public.json'));
    const strange = await plugin('verify', file, '--key', at('other.json'));
    assert.equal(strange.code, 1);
    assert.match(strange.complained, /plugin\.sig is by the key/);
    const { complained } = await plugin('verify', file, '--key', at('key.json'));
    assert.match(complained, /holds a private key/);
  });

  it('refuse links, broken manifests and keys that are none', async (t) => {
    const { at } = await workshop(t);
    await symlink(at('key.json'), at('acme', 'link.ts'));
    for (const action of [['pack'], ['sign', '--key', at('key.json')]] as const) {
      const [name, ...options] = action;
      assert.match((await plugin(name, at('acme'), ...options)).complained, /link\.ts is a link/);
    }
    await rm(at('acme', 'link.ts'));
    assert.match((await plugin('sign', at('acme'), '--key', at('public.json'))).complained, /holds no private key/);
    await writeFile(at('acme', 'plugin.json'), manifestText({ version: 'x' }));
    assert.match((await plugin('pack', at('acme'))).complained, /version must be a semantic version/);
  });
});

describe('portcullis plugin sign', () => {
  it('says that it cannot write the signature', async (t) => {
    const { at } = await workshop(t);
    await mkdir(at('acme', 'plugin.sig'));
    const { code, complained } = await plugin('sign', at('acme'), '--key', at('key.json'));
    assert.equal(code, 2);
    assert.match(complained, /plugin\.sig cannot be written \(EISDIR\)/);
  });
});

describe('portcullis plugin install', () => {
  it('says that it can go into folders alone', async (t) => {
    const { at, release } = await workshop(t);
    const file = await release('1.0.0');
    for (const into of [at('public.json'), at('public.json', 'plugins')]) {
      const { code, complained } = await plugin('install', file, '--into', into, '--key', at('public.json'));
      assert.equal(code, 2);
      assert.match(complained, /cannot be written \((EEXIST|ENOTDIR)\)\. Name a folder that holds plugins/);
    }
  });

  it('installs what is signed, runs none of it, and shows how it is enabled', async (t) => {
    const { at, release, install, version } = await workshop(t);
    const { code, printed, complained } = await install(await release('1.0.0'));
    assert.deepEqual([code, complained, await version()], [0, '', '1.0.0']);
    assert.match(
      printed,
      /It asks for:\n {2}kind: guardrail\n {2}limits\.memoryMb: 32\n {2}limits\.outboundCalls: 10\n {2}permissions\.net: a\.example:443/,
    );
    const { x } = JSON.parse(await readFile(at('public.json'), 'utf8'));
    assert.match(printed, /trust: sandboxed\n +require_signature: true/);
    assert.ok(printed.includes(`- { kty: OKP, crv: Ed25519, x: ${x} }`));
  });

  it('takes the keys of the operator’s file, and a folder in the place of a package', async (t) => {
    const { at, release, version } = await workshop(t);
    await release('1.0.0');
    const { x } = JSON.parse(await readFile(at('public.json'), 'utf8'));
    const config = at('portcullis.yaml');
    await writeFile(config, `plugins:\n  signing_keys:\n    - { kty: OKP, crv: Ed25519, x: ${x} }\n`);
    const printed = await done('install', at('acme'), '--into', at('plugins'), '--config', config);
    assert.match(printed, /- path: "plugins"/);
    assert.equal(await version(), '1.0.0');
  });

  it('refuses what is altered, or signed by nobody who is known, and leaves nothing behind', async (t) => {
    const { at, release, install } = await workshop(t);
    await release('1.0.0');
    await appendFile(at('acme', 'index.ts'), ' ');
    assert.match((await install(at('acme'))).complained, /index\.ts was altered/);
    await done('pack', at('acme'), '--out', at('altered.tgz'));
    assert.match((await install(at('altered.tgz'))).complained, /index\.ts was altered/);
    await rm(at('acme', 'plugin.sig'));
    assert.match((await install(at('acme'))).complained, /plugin\.sig is missing/);
    const bare = await plugin('install', at('altered.tgz'), '--into', at('plugins'));
    assert.match(bare.complained, /Name the keys that you trust/);
    assert.deepEqual(await readdir(at('plugins')).catch(() => []), []);
  });

  it('takes what nobody has signed only when that is said, and warns', async (t) => {
    const { at, release, install, version } = await workshop(t);
    const file = await release('1.0.0');
    assert.match((await install(file, '--unsigned')).complained, /not both/);
    const { code, printed, complained } = await plugin('install', file, '--into', at('plugins'), '--unsigned');
    assert.deepEqual([code, await version()], [0, '1.0.0']);
    assert.match(complained, /Nobody vouches/);
    assert.doesNotMatch(printed, /require_signature/);
  });

  it('refuses a plugin for another sdk, or by another name, and leaves nothing behind', async (t) => {
    const { at, release, install } = await workshop(t);
    const file = await release('1.0.0');
    await writeFile(at('acme', 'plugin.json'), manifestText({ sdk: '^9.0.0' }));
    assert.match((await install(at('acme'))).complained, /sdk does not admit/);
    const packed = (name: string, manifest: string) =>
      writeFile(at('made.tgz'), tarballOf(name, filesOf({ 'plugin.json': manifest })));
    const unsigned = () => plugin('install', at('made.tgz'), '--into', at('plugins'), '--unsigned');
    await packed('acme', manifestText({ sdk: '^9.0.0' }));
    assert.match((await unsigned()).complained, /sdk does not admit/);
    await packed('other', manifestText());
    assert.match((await unsigned()).complained, /name must be that of its folder, other/);
    assert.deepEqual(await readdir(at('plugins')), []);
    assert.equal((await install(file)).code, 0);
  });

  it('upgrades, and asks before a plugin may do more', async (t) => {
    const { release, install, version } = await workshop(t);
    assert.equal((await install(await release('1.0.0'))).code, 0);
    assert.equal((await install(await release('1.0.1'))).code, 0);
    const more = await release('1.1.0', { permissions: { net: ['b.example:443'] } });
    const { code, printed, complained } = await install(more);
    assert.deepEqual([code, await version()], [2, '1.0.1']);
    assert.match(printed, /1\.1\.0 in place of 1\.0\.1/);
    assert.match(printed, /\n\+ permissions\.net: b\.example:443\n[\s\S]*\n- permissions\.net: a\.example:443/);
    assert.match(complained, /asks for more than 1\.0\.1 did: permissions\.net: b\.example:443\. Agree by/);
    assert.equal((await install(more, '--accept-permissions')).code, 0);
    assert.equal(await version(), '1.1.0');
    const most = await release('1.2.0', { permissions: { net: ['*:*'] } });
    assert.equal((await install(most, '--yes')).code, 0);
  });

  it('goes back to an older version only when that is said', async (t) => {
    const { release, install, version } = await workshop(t);
    const old = await release('1.0.0');
    assert.equal((await install(await release('1.10.0'))).code, 0);
    const refused = await install(old);
    assert.deepEqual([refused.code, await version()], [2, '1.10.0']);
    assert.match(refused.complained, /acme 1\.10\.0 is there, which is newer/);
    assert.equal((await install(old, '--allow-downgrade')).code, 0);
    assert.equal(await version(), '1.0.0');
  });

  it('shows what a package says of itself, and lets none of it steer the terminal', async (t) => {
    const { release, install } = await workshop(t);
    const title = '\u001b[2K\u202eAcme\nIt asks for:\n  nothing';
    const { code, printed } = await install(await release('1.0.0', { title }));
    assert.equal(code, 0);
    assert.ok(
      printed.startsWith('acme 1.0.0: \ufffd[2K\ufffdAcme It asks for: nothing\nIt asks for:\n  kind: guardrail'),
    );
  });

  it('goes on when nobody reads what it prints any more', async (t) => {
    const { at, release } = await workshop(t);
    const program = join(import.meta.dirname, '..', '..', '..', 'core', 'main.ts');
    const argv = ['plugin', 'install', await release('1.0.0'), '--into', at('plugins'), '--key', at('public.json')];
    const child = spawn(process.execPath, [program, ...argv], { stdio: ['ignore', 'pipe', 'pipe'] });
    child.stdout.destroy();
    const complained = child.stderr.toArray();
    assert.deepEqual(await once(child, 'exit'), [0, null]);
    assert.equal(Buffer.concat(await complained).toString(), '');
    assert.deepEqual(await readdir(at('plugins')), ['acme']);
  });

  it('never writes over a folder that is no plugin', async (t) => {
    const { at, release, install } = await workshop(t);
    await mkdir(at('plugins', 'acme'), { recursive: true });
    await writeFile(at('plugins', 'acme', 'mine.txt'), 'mine');
    const { code, complained } = await install(await release('1.0.0'), '--yes', '--allow-downgrade');
    assert.equal(code, 2);
    assert.match(complained, /no folder of the plugin acme, and stays as it is/);
    assert.deepEqual(await readdir(at('plugins')), ['acme']);
    assert.equal(await readFile(at('plugins', 'acme', 'mine.txt'), 'utf8'), 'mine');
  });
});
