import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { promisify } from 'node:util';
import { root } from '../../repo/tree.ts';

const run = promisify(execFile);

/** One check in the sandbox, whose verdict goes to standard output. */
const program = `
import { checkInput, createCheckHost } from 'portcullis/sdk/testing';
import { bundleCode } from './core/sandbox/bundle.ts';
import { createSandbox } from './core/sandbox/sandbox.ts';

const quiet = () => {};
const log = { debug: quiet, info: quiet, warn: quiet, error: quiet };
const sandbox = createSandbox({ log, now: Date.now });
try {
  const source = await bundleCode("export default (input) => ({ pass: input.texts[0].text === 'Hi' })", 'code');
  const guest = { id: 'custom.code', organisation: 'acme', source, memoryMb: 32, outboundCalls: 0, kind: 'code' };
  const input = checkInput({ texts: [{ role: 'user', text: 'Hi' }] });
  const verdict = await sandbox.run(guest, { check: 'default', config: {}, input, host: createCheckHost(), timeoutMs: 10_000 });
  process.stdout.write(JSON.stringify(verdict));
} finally {
  await sandbox.close();
}
`;

/** The gateway in a folder of its own, whose packages stand elsewhere. */
function linkedInstallation(t: TestContext): string {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), 'portcullis-linked-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  for (const name of ['core', 'sdk', 'package.json']) {
    cpSync(join(root, name), join(folder, name), { recursive: true });
  }
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'dir');
  writeFileSync(join(folder, 'check.ts'), program);
  return folder;
}

describe('the sandbox of an installation', () => {
  it('runs checks where node_modules is a symbolic link', async (t) => {
    const { stdout } = await run(process.execPath, ['check.ts'], { cwd: linkedInstallation(t), timeout: 60_000 });
    assert.equal(JSON.parse(stdout).pass, true);
  });
});
