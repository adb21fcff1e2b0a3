import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { GatewayError, type SandboxedCode } from 'portcullis/sdk';
import { checkInput, createCheckHost } from 'portcullis/sdk/testing';
import { createCodeRunner } from '../../../core/sandbox/code-runner.ts';
import { programOf, runOf, testSandbox } from './sandboxed.ts';

const { sandbox } = testSandbox();
const input = checkInput({ text: 'Hello.' });
const code = (source: string, net: readonly string[] = []): SandboxedCode => ({
  source,
  net,
  timeoutMs: 5000,
  memoryMb: 32,
});
const refusal = (message: RegExp, param: string) => (error: unknown) =>
  GatewayError.is(error) && error.code === 'invalid_config' && error.param === param && message.test(error.message);

describe('the runner of code', () => {
  const host = createCheckHost({ fetch: () => ({ status: 200, headers: {}, body: Buffer.from('') }) });
  const runner = createCodeRunner(sandbox, { organisation: 'acme', host });

  it('accepts a function, and runs it', async () => {
    const own = code('export default ({ text }) => ({ pass: text === "Hello." })');
    await runner.accept(own, 'code');
    assert.deepEqual(await runner.run(own, input), { pass: true });
  });

  it('passes edits on', async () => {
    const own = code("export default () => ({ pass: true, edits: [{ text: 0, start: 0, end: 5, with: 'Bye' }] })");
    assert.deepEqual(await runner.run(own, input), { pass: true, edits: [{ text: 0, start: 0, end: 5, with: 'Bye' }] });
  });

  for (const [name, before] of [
    ['a byte order mark', '\uFEFF'],
    ['a hashbang', '#!/usr/bin/env node\n'],
    ['both', '\uFEFF#!/usr/bin/env node\r\n'],
  ] as const) {
    it(`accepts ${name} before the code`, async () => {
      const own = code(`${before}export default () => ({ pass: true })`);
      await runner.accept(own, 'code');
      assert.deepEqual(await runner.run(own, input), { pass: true });
      const line = before.split('\n').length;
      const place = new RegExp(`^code, line ${line}, column 17`);
      await assert.rejects(runner.accept(code(`${before}export default (`), 'code'), refusal(place, 'code'));
    });
  }

  it('counts characters where it says what is wrong', async () => {
    const own = code("const city = 'Köln 😀'; export default (");
    await assert.rejects(runner.accept(own, 'code'), refusal(/^code, line 1, column 41: /, 'code'));
  });

  for (const [name, source, message] of [
    ['a syntax error', 'export default (', /^code, line 1, column 17/],
    ['no default export', 'export const check = 1', /^code cannot be run: .*default export: a function/],
    ['no export at all', 'const check = () => ({ pass: true })', /^code cannot be run: .*default export: a function/],
    [
      'a default export that is no function',
      'export default { pass: true }',
      /^code must have a function as its default export/,
    ],
    ['a module that throws', "throw new Error('early'); export default () => {}", /^code cannot be run: .*early/],
  ] as const) {
    it(`refuses ${name}`, async () => {
      await assert.rejects(runner.accept(code(source), 'code'), refusal(message, 'code'));
    });
  }

  it('does not refuse for good what the sandbox could not look at', async () => {
    const { sandbox: narrow } = testSandbox({
      bounds: { running: 1, runningEach: 1, memoryMb: 128, memoryEachMb: 128, waiting: 0, waitingEach: 0 },
    });
    const own = createCodeRunner(narrow, { organisation: 'acme', host });
    const called = Promise.withResolvers<void>();
    const answer = Promise.withResolvers<{ status: number; headers: Record<string, string>; body: Buffer }>();
    const fetch = () => {
      called.resolve();
      return answer.promise;
    };
    const source =
      "export default async (input, host) => ({ pass: (await host.fetch('https://a.example.com/')).status === 200 })";
    const held = runOf(narrow, await programOf(source), { host: { fetch } });
    await called.promise;
    const good = code('export default () => ({ pass: true })');
    await assert.rejects(own.accept(good, 'code'), {
      code: 'not_ready',
      status: 503,
      headers: { 'retry-after': '1' },
      message: /The sandbox is busy/,
    });
    answer.resolve({ status: 200, headers: {}, body: Buffer.from('') });
    await held;
    await own.accept(good, 'code');
    await narrow.close();
    await assert.rejects(own.accept(good, 'code'), { code: 'not_ready', message: /The sandbox is closed/ });
  });

  it('says how long code pauses that had to be ended by force', async () => {
    const { sandbox: clocked } = testSandbox({ now: () => 1_000_000 });
    const own = createCodeRunner(clocked, { organisation: 'acme', host });
    const looping = code('export default () => { for (;;); }');
    for (let run = 0; run < 5; run += 1) await assert.rejects(own.run({ ...looping, timeoutMs: 50 }, input));
    await assert.rejects(own.accept(looping, 'code'), { code: 'not_ready', headers: { 'retry-after': '30' } });
  });

  for (const entry of [
    '*',
    '*:*',
    '*:443',
    '*.com:443',
    'example.com',
    'example.com:*',
    'example.com:0',
    'example.com:70000',
    'a b:1',
    ':443',
    '*.*.com:443',
    'https://example.com:443',
  ]) {
    it(`refuses the place ${entry}`, async () => {
      const own = code('export default () => ({ pass: true })', ['api.example.com:443', entry]);
      await assert.rejects(runner.accept(own, 'code'), refusal(/^net\[1\] must be a host and a port/, 'net[1]'));
      await assert.rejects(runner.run(own, input), refusal(/^net\[1\]/, 'net[1]'));
    });
  }

  for (const [url, net, granted] of [
    ['https://api.example.com/x', ['api.example.com:443'], true],
    ['http://api.example.com/x', ['api.example.com:443'], false],
    ['https://API.example.com:8443/', ['api.example.com:8443'], true],
    ['https://a.b.example.com/', ['*.example.com:443'], true],
    ['https://example.com/', ['*.example.com:443'], false],
    ['https://evil.com/?api.example.com:443', ['api.example.com:443'], false],
    ['https://api.example.com/', [], false],
  ] as const) {
    it(`${granted ? 'lets' : 'does not let'} code with ${JSON.stringify(net)} fetch ${url}`, async () => {
      const own = code(
        `export default async (input, host) => ({ pass: true, data: (await host.fetch(${JSON.stringify(url)})).status })`,
        net,
      );
      if (granted) assert.deepEqual(await runner.run(own, input), { pass: true, data: 200 });
      else await assert.rejects(runner.run(own, input), /may not call .*: its net does not list it/);
    });
  }

  it('gives code none of the credentials of its unit', async () => {
    const own = createCodeRunner(sandbox, {
      organisation: 'acme',
      host: createCheckHost({ credentials: { apiKey: 'sk' } }),
    });
    assert.deepEqual(
      await own.run(code('export default (input, { credentials }) => ({ pass: true, data: credentials })'), input),
      { pass: true, data: {} },
    );
  });
});
