import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { root } from '../../repo/tree.ts';

const plugins = join(root, 'test/support/plugins');

/** Starts the program with a plugin that leaves a promise behind which fails. */
function start(folder: string) {
  const file = join(folder, 'portcullis.yaml');
  writeFileSync(
    file,
    `plugins: { folders: [{ path: ${plugins}, trust: trusted, require_signature: false }] }\nphases: { log: [test-careless] }\n`,
  );
  const env = { ...process.env, DATA_DIR: join(folder, 'data'), PORT: '0' };
  const child = spawn(process.execPath, [join(root, 'core/main.ts'), '--config', file], { cwd: folder, env });
  let printed = '';
  const ended = new Promise<never>((_, reject) => {
    child.once('exit', (code) => reject(new Error(`It ended with ${code}: ${printed.slice(-500)}`)));
  });
  ended.catch(() => {});
  child.stderr.on('data', (piece) => {
    printed += piece;
  });
  /** What is found in all that it prints, once it is there. */
  const says = (wanted: RegExp) =>
    Promise.race([
      ended,
      new Promise<string>((resolve) => {
        const look = () => {
          const [, found] = wanted.exec(printed) ?? [];
          if (found !== undefined) resolve(found);
        };
        child.stdout.on('data', (piece) => {
          printed += piece;
          look();
        });
        look();
      }),
    ]);
  return { child, says };
}

describe('a promise that a request has left behind', () => {
  it('is told in the log when it fails, and ends nothing', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'portcullis-careless-'));
    const { child, says } = start(folder);
    try {
      const url = await says(/Portcullis serves (\S+)\/v1/);
      const ask = async () => {
        const body = JSON.stringify({ model: 'echo', messages: [{ role: 'user', content: 'x' }] });
        const headers = { 'content-type': 'application/json', 'x-gw-provider': 'echo' };
        return (await fetch(`${url}/v1/chat/completions`, { method: 'POST', headers, body })).status;
      };
      assert.equal(await ask(), 200);
      assert.equal(await says(/"error":"([^"]*)","msg":"unhandled_rejection"/), 'nobody heard this');
      assert.equal(await ask(), 200);
    } finally {
      child.kill('SIGKILL');
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    }
  });
});
