import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { glob, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { runCommand } from '../../core/cli/command.ts';
import { readmeSections, withSections } from '../../core/cli/docs.ts';
import { effectiveConfig } from '../../core/config/effective.ts';
import { readEnvironment } from '../../core/config/env.ts';
import { parseOperatorFile } from '../../core/config/operator-file.ts';
import { startControl } from '../support/control.ts';
import { startGateway } from '../support/gateway.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../..', import.meta.url));
const readme = await readFile(join(root, 'README.md'), 'utf8');

/** The code blocks that stand under a file name: `name` on a line of its own, then the block. */
function filesIn(text: string): readonly { name: string; content: string }[] {
  return [...text.matchAll(/^`([\w./-]+)`\n```\w+\n([\s\S]*?)^```$/gm)].map(([, name = '', content = '']) => ({
    name,
    content,
  }));
}

async function withFolder(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'portcullis-readme-'));
  try {
    await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

describe('the README', () => {
  it('has generated sections that are up to date (npm run docs)', async () => {
    assert.equal(withSections(readme, await readmeSections()), readme);
  });

  it('shows a provider whose own test passes and that an operator can enable', () =>
    withFolder(async (folder) => {
      const files = filesIn(readme);
      assert.ok(files.length >= 7, 'the ten-minute provider consists of several files');
      for (const { name, content } of files) {
        await mkdir(dirname(join(folder, name)), { recursive: true });
        await writeFile(join(folder, name), content);
      }
      await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
      await mkdir(join(folder, 'node_modules'));
      await symlink(root, join(folder, 'node_modules', 'portcullis'));

      const { NODE_TEST_CONTEXT: _, ...env } = process.env;
      const node = ['--test', '--test-reporter', 'spec', 'acme/acme.test.ts'];
      const { stdout } = await run(process.execPath, node, { cwd: folder, env });
      assert.match(stdout, /pass [1-9]/);
      assert.match(stdout, /fail 0/);

      const printed: string[] = [];
      const out = { print: (text: string) => printed.push(text), complain: (text: string) => printed.push(text) };
      assert.equal(
        await runCommand(['check', '--config', join(folder, 'portcullis.yaml')], out),
        0,
        printed.join('\n'),
      );
    }));

  it('shows commands that make a key with the control plane, and call a model with it', async (t) => {
    const script = /^```sh\n(GATEWAY=[\s\S]*?)^```$/m.exec(readme)?.[1];
    assert.ok(script !== undefined);
    const control = await startControl(t);
    const { stdout } = await run('sh', ['-e', '-c', script], {
      env: { ...process.env, GATEWAY: `${control.url}/v1`, ADMIN_KEY: control.adminKey },
    });
    assert.match(stdout, /"object":"chat\.completion"/);
    assert.match(stdout, /Hello/);
  });

  it('shows a walk from an empty gateway to a published prompt', async (t) => {
    const section = /^## Prompts\n([\s\S]*?)^## /m.exec(readme)?.[1] ?? '';
    const script = /^```sh\n([\s\S]*?)^```$/m.exec(section)?.[1];
    assert.ok(script !== undefined);
    const control = await startControl(t);
    const { stdout } = await run('sh', ['-e', '-c', script], {
      env: { ...process.env, GATEWAY: `${control.url}/v1`, ADMIN_KEY: control.adminKey },
    });
    const said = [...stdout.matchAll(/"choices":\[\{"index":0,"message":\{[^}]*?"content":"([^"]*)"/g)].map(
      ([, text]) => text,
    );
    assert.deepEqual([...new Set(said)], ['Greet Ada.', 'Welcome Ada.']);
    assert.match(
      stdout,
      /\{"success":true,"data":\{"model":"echo","messages":\[\{"role":"user","content":"Welcome Ada\."\}\],"temperature":1\}\}$/,
    );
  });

  it('shows guardrails that do what it says, and code that the sandbox runs', async (t) => {
    const example = /^```yaml\n(guardrails:\n[\s\S]*?)^```$/m.exec(readme)?.[1];
    const code = /^```ts\n(import type \{ CheckInput[\s\S]*?)^```$/m.exec(readme)?.[1];
    assert.ok(example !== undefined && code !== undefined);
    const parsed = parseOperatorFile(example, () => undefined, { path: 'portcullis.yaml' });
    assert.ok('file' in parsed, JSON.stringify(parsed));
    const { guardrails, defaultGuardrails, configs } = effectiveConfig(parsed.file, readEnvironment({}));
    const gateway = await startGateway(t, {
      guardrails: {
        ...guardrails,
        code: { checks: [{ id: 'custom.code', parameters: { code } }], actions: { deny: true } },
      },
      ...(defaultGuardrails === undefined ? {} : { defaultGuardrails }),
      configs: { ...configs, coded: { provider: 'echo', input_guardrails: ['code'] } },
    });
    const ask = async (content: string, config: string) => {
      const messages = [{ role: 'user', content }];
      return gateway.post('/v1/chat/completions', { model: 'echo', messages }, { 'x-gw-config': config });
    };
    assert.equal((await ask('this is internal only', 'main')).status, 446);
    assert.match((await ask('write to ada@example.com', 'main')).text, /"content":"write to \[EMAIL_ADDRESS\]"/);
    assert.equal((await ask('see invoice 123456', 'coded')).status, 446);
    assert.equal((await ask('see page 12', 'coded')).status, 200);
  });

  it('names each header of the gateway that a request may carry', async () => {
    const read = new Set<string>();
    for (const folder of ['core', 'plugins']) {
      for await (const file of glob(join(root, folder, '**/*.ts'))) {
        const text = await readFile(file, 'utf8');
        for (const [, name = ''] of text.matchAll(/\bcontrol\('([a-z-]+)'\)/g)) read.add(name);
      }
    }
    const missing = [...read].filter((name) => !new RegExp(`x-gw-${name}\\b(?!-)`).test(readme));
    // One stands for `gw-Beta`, the other is between the gateways of a deployment.
    assert.deepEqual(missing.sort(), ['interface-version', 'service-token']);
  });

  it("shows an operator's file that the gateway accepts", () =>
    withFolder(async (folder) => {
      const example = /^```yaml\n(# yaml-language-server[\s\S]*?)^```$/m.exec(readme)?.[1];
      assert.ok(example !== undefined);
      const file = join(folder, 'portcullis.yaml');
      await writeFile(file, example);
      const printed: string[] = [];
      const out = { print: (text: string) => printed.push(text), complain: (text: string) => printed.push(text) };
      assert.equal(await runCommand(['check', '--config', file], out), 0, printed.join('\n'));
    }));
});
