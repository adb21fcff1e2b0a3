import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';

const root = join(import.meta.dirname, '..', '..', '..');
/** Tells on standard error which packages a process loads. */
const telling = `import { registerHooks } from 'node:module';
registerHooks({ load: (url, context, next) => {
  process._rawDebug('loaded ' + url);
  return next(url, context);
} });`;

/** The URLs of what a start loads until it serves, with the embedded defaults and a store of its own. */
async function loadedByStart(): Promise<readonly string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-start-'));
  const child = spawn(
    process.execPath,
    ['--import', `data:text/javascript,${encodeURIComponent(telling)}`, join(root, 'core/main.ts')],
    { cwd: folder, env: { ...process.env, DATA_DIR: join(folder, 'data'), PORT: '0' } },
  );
  let errors = '';
  child.stderr.on('data', (piece) => {
    errors += piece;
  });
  try {
    await new Promise<void>((resolve, reject) => {
      child.stdout.on('data', (piece) => String(piece).includes('Portcullis serves') && resolve());
      child.once('exit', (code) => reject(new Error(`It ended with ${code}: ${errors.slice(-500)}`)));
    });
  } finally {
    child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
  return [...errors.matchAll(/^loaded (.*)$/gm)].map(([, url]) => url ?? '');
}

describe('a start', () => {
  it('loads neither libraries nor units that it has no use for', async () => {
    const loaded = await loadedByStart();
    const packages = new Set(loaded.flatMap((url) => /\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1] ?? []));
    assert.ok(packages.has('koa') && packages.has('knex'), 'it says what it loads');
    const late = ['typebox', 'ioredis', 'mysql2', 'nodemailer', 'prom-client', 'yaml', 'esbuild', '@opentelemetry/api'];
    assert.deepEqual(
      late.filter((name) => packages.has(name)),
      [],
    );
    assert.deepEqual(
      loaded.filter((url) => /\/guardrails\/[^/]+\/index\.ts$/.test(url) && !url.includes('/plugins/')),
      [],
    );
  });
});
