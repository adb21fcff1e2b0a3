import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmod, cp, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { textOf } from '../repo/tree.ts';
import { freshFolder, type Running, startProcess } from './control/processes.ts';

const run = promisify(execFile);
const main = join(import.meta.dirname, '..', '..', 'core', 'main.ts');
const section = /^## Publishing a guardrail\n([\s\S]*?)^## /m.exec(textOf('README.md'))?.[1] ?? '';
const blocks = (language: string) =>
  [...section.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))].map(([, text = '']) => text);

describe('a guardrail of a partner, by the commands of the README', () => {
  const removals: (() => void)[] = [];
  const folder = freshFolder({ after: (remove) => void removals.push(remove as () => void) });
  const env = { ...process.env, PATH: `${join(folder, 'bin')}${delimiter}${process.env.PATH}` };
  const shell = (script: string) => run('sh', ['-e', '-c', script], { cwd: folder, env, timeout: 120_000 });
  const unit = join(folder, 'plugins', 'acme-words');
  const start = (t: Parameters<typeof startProcess>[0]) =>
    startProcess(t, { folder, env: { DATA_DIR: join(folder, 'data') } });
  after(() => {
    for (const remove of removals) remove();
  });

  before(async () => {
    await mkdir(join(folder, 'bin'));
    const command = join(folder, 'bin', 'portcullis');
    await writeFile(command, `#!/bin/sh\nexec "${process.execPath}" "${main}" "$@"\n`);
    await chmod(command, 0o755);
  });

  it('is made, tested, signed, packed, verified and installed', async () => {
    const commands = blocks('sh').join('');
    assert.deepEqual(
      [...commands.matchAll(/^portcullis plugin (\w+)/gm)].map(([, action]) => action),
      ['new', 'test', 'test', 'keygen', 'sign', 'pack', 'verify', 'install'],
    );
    const { stdout, stderr } = await shell(commands);
    assert.equal(stderr, '');
    assert.equal(stdout.match(/acme-words 1\.0\.0 conforms/g)?.length, 2, stdout);
    assert.match(
      stdout,
      /It asks for:\n {2}kind: guardrail\n {2}limits\.memoryMb: 32\n {2}limits\.outboundCalls: 10\n {2}permissions\.net: api\.example\.com:443/,
    );
    const { d } = JSON.parse(await readFile(join(folder, 'acme.key.json'), 'utf8')) as { d: string };
    assert.ok(!stdout.includes(d), 'the private key is printed');

    // What the README shows is what the command prints, and it is enabled by that.
    const [example = ''] = blocks('yaml');
    const printed = stdout.slice(stdout.lastIndexOf('plugins:\n  folders:'));
    const shape = (text: string) =>
      text
        .replace(/x: \S+/, 'x: ...')
        .replaceAll('"', '')
        .trim();
    const [enabling = '', routing = ''] = example.split(/^(?=guardrail_credentials:)/m);
    assert.equal(shape(printed), shape(enabling));
    await writeFile(join(folder, 'portcullis.yaml'), `${printed}${routing}`);
  });

  it('serves in the sandbox of a real gateway', async (t) => {
    const gateway = await start(t);
    const denied = await ask(gateway, 'Tell me the TOP secret.');
    assert.equal(denied.status, 446);
    assert.match(denied.text, /"found":1/);
    const passed = await ask(gateway, 'Good morning.');
    assert.equal(passed.status, 200, passed.text);
    assert.equal(await gateway.stop(), 0);
  });

  it('lets types be checked where the author works', async () => {
    const tsc = join(import.meta.dirname, '..', '..', 'node_modules', 'typescript', 'bin', 'tsc');
    await run(process.execPath, [tsc, '-p', join(folder, 'acme-words')]);
  });

  const changes: readonly [string, () => Promise<unknown>, RegExp][] = [
    [
      'whose index.ts has another byte',
      async () => {
        const file = join(unit, 'index.ts');
        const bytes = await readFile(file);
        bytes[bytes.length - 1] = 0x20;
        await writeFile(file, bytes);
      },
      /^\S+acme-words.index\.ts was altered after it was signed\.\n$/,
    ],
    [
      'with a file more',
      () => writeFile(join(unit, 'more.ts'), ''),
      /^\S+acme-words.more\.ts was added after the plugin was signed\.\n$/,
    ],
    [
      'signed by another key',
      () =>
        shell(
          'portcullis plugin keygen --out other.json && portcullis plugin sign plugins/acme-words --key other.json',
        ),
      /^\S+acme-words.plugin\.sig is by the key \S+, which is not among those that are accepted\.\n$/,
    ],
  ];
  for (const [what, change, message] of changes) {
    it(`keeps the gateway from starting ${what}`, async () => {
      const kept = join(folder, 'kept');
      await cp(unit, kept, { recursive: true });
      await change();
      const refused = await shell('exec portcullis start').then(
        () => assert.fail('it started'),
        (error: { code: number; stderr: string }) => error,
      );
      assert.equal(refused.code, 2);
      assert.match(refused.stderr, message);
      await rm(unit, { recursive: true });
      await rename(kept, unit);
    });
  }

  const ask = (gateway: Running, content: string) =>
    gateway.call('POST', '/v1/chat/completions', { body: { model: 'm', messages: [{ role: 'user', content }] } });
});
