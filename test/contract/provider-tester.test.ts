import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { caseNames, readCase } from 'portcullis/sdk/testing';

const root = fileURLToPath(new URL('../../', import.meta.url));
const run = promisify(execFile);

/** A provider outside the repository, with one whole case and one streamed case of our own. */
let folder: string;
let unit: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'portcullis-tester-'));
  unit = join(folder, 'partner');
  await cp(join(root, 'providers/groq'), unit, { recursive: true, filter: (path) => !path.includes('fixtures') });
  await write('plugin.json', { name: 'partner', kind: 'provider', version: '2.1.0', sdk: '^1.0.0', title: 'Partner' });
  await writeFile(
    join(unit, 'index.ts'),
    `import { provider, schema, secret } from 'portcullis/sdk';
     export default provider({
       settings: schema.Object({ apiKey: secret() }),
       base: 'https://api.partner.test/v1',
       auth: { kind: 'bearer', from: 'apiKey' },
       endpoints: { chatComplete: { path: '/chat/completions', dialect: 'chat' } },
     });`,
  );
  const body = { model: 'm', messages: [{ role: 'user', content: 'Hi' }] };
  const settings = { api_key: 'test-key' };
  const request = {
    method: 'POST',
    url: 'https://api.partner.test/v1/chat/completions',
    headers: { authorization: 'Bearer test-key' },
  };
  await write('fixtures/chat.call.json', { path: '/v1/chat/completions', settings, body });
  await write('fixtures/chat.request.json', { ...request, body });
  await write('fixtures/chat.upstream.json', { status: 200, body: { id: 'x', choices: [] } });
  await write('fixtures/chat.reply.json', { status: 200, body: { id: 'x', choices: [] } });
  const streamed = { ...body, stream: true };
  await write('fixtures/stream.call.json', { path: '/v1/chat/completions', settings, body: streamed });
  await write('fixtures/stream.request.json', { ...request, body: streamed });
  await writeFile(join(unit, 'fixtures/stream.stream.txt'), 'data: {"id":"ü"}\n\ndata: [DONE]\n\n');
  await write('fixtures/stream.deltas.json', [{ data: { id: 'ü' } }, { data: '[DONE]' }]);
});
afterEach(() => rm(folder, { recursive: true }));

async function write(file: string, value: unknown): Promise<void> {
  const path = join(unit, file);
  if (file.includes('/'))
    await import('node:fs/promises').then(({ mkdir }) => mkdir(join(path, '..'), { recursive: true }));
  await writeFile(path, JSON.stringify(value));
}

async function tested(): Promise<{ readonly passed: boolean; readonly output: string }> {
  const script = join(folder, 'run.test.mts');
  const testing = new URL('../../sdk/testing/index.ts', import.meta.url).href;
  await writeFile(
    script,
    `import { testProvider } from ${JSON.stringify(testing)}; testProvider(${JSON.stringify(unit)});`,
  );
  const args = ['--test', '--test-reporter=tap', script];
  // The runner refuses to run inside another one unless this variable is gone.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  try {
    const { stdout } = await run(process.execPath, args, { cwd: root, env });
    return { passed: true, output: stdout };
  } catch (error) {
    return { passed: false, output: String((error as { stdout?: string }).stdout) };
  }
}

describe('the provider tester', () => {
  it('passes a provider outside the repository whose recordings fit, streams cut in three ways', async () => {
    const { passed, output } = await tested();
    assert.ok(passed, output);
    assert.match(output, /# pass 5/);
  });

  const faults: readonly (readonly [what: string, file: string, change: (text: string) => string])[] = [
    ['another URL', 'chat.request.json', (text) => text.replace('partner.test', 'other.test')],
    ['another header', 'chat.request.json', (text) => text.replace('Bearer test-key', 'Bearer other')],
    ['another request body', 'chat.request.json', (text) => text.replace('"Hi"', '"Ho"')],
    ['another reply', 'chat.reply.json', (text) => text.replace('"x"', '"y"')],
    ['another status', 'chat.reply.json', (text) => text.replace('200', '201')],
    ['another event', 'stream.deltas.json', (text) => text.replace('ü', 'u')],
    ['a missing setting', 'chat.call.json', (text) => text.replace('api_key', 'api_kay')],
  ];
  for (const [what, file, change] of faults) {
    it(`fails on ${what} and names the file`, async () => {
      const path = join(unit, 'fixtures', file);
      await writeFile(path, change(await readFile(path, 'utf8')));
      const { passed, output } = await tested();
      assert.ok(!passed);
      assert.ok(output.includes(file === 'chat.call.json' ? 'api_kay' : path), output);
    });
  }
});

describe('reading fixtures', () => {
  const fixtures = () => join(unit, 'fixtures');
  it('names the cases', () => assert.deepEqual(caseNames(fixtures()), ['chat', 'stream']));
  it('finds none where there is no folder', () => assert.deepEqual(caseNames(join(unit, 'none')), []));
  it('refuses a file that is no fixture', async () => {
    await write('fixtures/chat.repyl.json', {});
    assert.throws(() => caseNames(fixtures()), /chat\.repyl\.json/);
  });
  it('names the file that is missing', async () => {
    await rm(join(fixtures(), 'chat.reply.json'));
    assert.throws(
      () => readCase(fixtures(), 'chat'),
      /chat\.reply\.json: a case needs either this file or chat\.deltas\.json/,
    );
  });
  it('names the file that is no JSON', async () => {
    await writeFile(join(fixtures(), 'chat.call.json'), '{');
    assert.throws(() => readCase(fixtures(), 'chat'), /chat\.call\.json/);
  });
  it('names the field that is missing', async () => {
    await write('fixtures/chat.request.json', { method: 'POST' });
    assert.throws(() => readCase(fixtures(), 'chat'), /chat\.request\.json: url is missing/);
  });
});
