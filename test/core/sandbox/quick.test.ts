import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { GatewayError, type Verdict } from 'portcullis/sdk';
import { checkInput, createCheckHost } from 'portcullis/sdk/testing';
import { cutMs } from '../../../core/sandbox/messages.ts';
import type { Program, Sandbox } from '../../../core/sandbox/sandbox.ts';
import { programOf, runOf, testSandbox } from './sandboxed.ts';

/** Five in a row make a program quick; on a machine that does much else, some are not. */
const trusting = 16;
const hostile = checkInput({ text: 'now' });
/** The engine looks at no clock while it searches. */
const native =
  "const text = 'a'.repeat(2 ** 21); return { pass: text.lastIndexOf('a'.repeat(2 ** 19) + 'b') > 0, data: 'found' }";

/** A program that behaves until the text says `now`. */
const turning = (statements: string, facts: Partial<Program> = {}) =>
  programOf(
    `export default (input, host) => { if (input.text !== 'now') return { pass: true, data: 'good' };\n${statements}\n}`,
    facts,
  );

/** Runs it until it counts as quick, with pauses in which contexts are made. */
async function prove(sandbox: Sandbox, program: Program, runs = trusting): Promise<void> {
  for (let run = 0; run < runs; run += 1) {
    assert.deepEqual(await runOf(sandbox, program), { pass: true, data: 'good' });
    await delay(5);
  }
}

async function endOf(run: Promise<Verdict>): Promise<{ readonly verdict?: Verdict; readonly error?: unknown }> {
  return run.then(
    (verdict) => ({ verdict }),
    (error: unknown) => ({ error }),
  );
}

const late = /did not end in its time/;
const memory = /took more memory|allocation failed|Invalid string length|did not end in its time/i;

/** What a program does after it has proved quick: by what the error says, or what the verdict's data are. */
const turns: readonly {
  readonly name: string;
  readonly code: string;
  readonly error?: RegExp;
  readonly data?: string;
}[] = [
  { name: 'a loop', code: 'for (;;);', error: late },
  {
    name: 'a chain of microtasks',
    code: 'const again = () => Promise.resolve().then(again); again(); return { pass: true }',
    error: memory,
  },
  {
    name: 'a chain of microtasks behind a promise',
    code: 'const again = () => Promise.resolve().then(again); return again()',
    error: memory,
  },
  { name: 'a promise that never settles', code: 'return new Promise(() => {})', error: late },
  {
    name: 'a regular expression that backtracks',
    code: "return { pass: /^(a+)+$/.test('a'.repeat(40) + '!') }",
    error: late,
  },
  { name: 'recursion', code: 'const deeper = () => deeper() + 1; return deeper()', error: /Maximum call stack/ },
  {
    name: 'recursion through what the harness calls',
    code: 'const deeper = () => ({ get pass() { return JSON.stringify(deeper()) } }); return deeper()',
    error: /Maximum call stack/,
  },
  { name: 'a heap that grows', code: 'const all = []; for (;;) all.push(new Array(1e4).fill({}))', error: memory },
  { name: 'buffers that pile up', code: 'const all = []; for (;;) all.push(new ArrayBuffer(1e6))', error: memory },
  { name: 'one huge buffer', code: 'return new ArrayBuffer(2 ** 40)', error: /allocation failed|memory/i },
  { name: 'a text that doubles', code: "let text = 'ab'; for (;;) text += text", error: memory },
  { name: 'a search that nothing ends', code: native, error: late },
  {
    name: 'numbers of many bits',
    code: 'let n = 3n; for (let i = 0; i < 26; i += 1) n *= n; return n',
    error: late,
  },
  { name: 'a number that is written for minutes', code: 'return (2n ** (2n ** 24n)).toString()', error: late },
  {
    name: 'a sort with a comparison that loops',
    code: 'return [3, 2, 1].sort(() => { for (;;); })',
    error: late,
  },
  { name: 'a getter of the result that loops', code: 'return { get pass() { for (;;); } }', error: late },
  { name: 'a getter of an error that loops', code: 'throw { get message() { for (;;); } }', error: late },
  {
    name: 'a rejected error with a getter that loops',
    code: "Promise.reject({ get message() { for (;;); }, get stack() { for (;;); } }); return { pass: true, data: 'kept' }",
    error: late,
  },
  { name: 'what it throws', code: "throw new TypeError('bad')", error: /threw TypeError: bad/ },
  { name: 'too large a result', code: "return { pass: true, data: 'x'.repeat(300_000) }", error: /more than 256 KiB/ },
  {
    name: 'calls of the host without an end',
    code: "return (async () => { for (;;) await host.cache.get('a') })()",
    error: /A run may call the host 200 times/,
  },
  {
    name: 'a rejection that nobody handles',
    code: "for (let i = 0; i < 300; i++) host.cache.get('a'); return { pass: true }",
    error: /broke off: A run may call the host 200 times/,
  },
];

describe('a program that has proved quick', () => {
  const { sandbox } = testSandbox();
  const healthy = programOf("export default () => ({ pass: true, data: 'good' })", { organisation: 'healthy' });

  for (const { name, code, error, data } of turns) {
    it(`and turns to ${name} harms nobody`, async () => {
      const program = await turning(code, { organisation: 'turning' });
      await prove(sandbox, await healthy);
      await prove(sandbox, program);
      const timeoutMs = error === late || error === memory ? 250 : 5000;
      const [ended, beside] = await Promise.all([
        endOf(runOf(sandbox, program, { input: hostile, timeoutMs })),
        endOf(runOf(sandbox, await healthy)),
      ]);
      if (error === undefined) assert.deepEqual(ended.verdict, { pass: true, data });
      else {
        assert.ok(GatewayError.is(ended.error), `${JSON.stringify(ended.verdict)} ${ended.error}`);
        assert.match(ended.error.message, error);
      }
      assert.deepEqual(beside.verdict, { pass: true, data: 'good' }, String(beside.error));
      assert.deepEqual(await runOf(sandbox, program), { pass: true, data: 'good' });
    });
  }

  it('and was slow once is not lost, and has said everything once', async () => {
    const host = createCheckHost();
    const program = await turning(
      `console.log('begun'); const end = Date.now() + ${cutMs * 4}; while (Date.now() < end); return { pass: true, data: 'slow' }`,
    );
    await prove(sandbox, program);
    const run = { check: 'default', config: {}, input: hostile, host, timeoutMs: 5000 };
    assert.deepEqual(await sandbox.run(program, run), { pass: true, data: 'slow' });
    assert.deepEqual(
      host.logged.map(({ fields }) => fields.text),
      ['begun'],
    );
    assert.equal(sandbox.state.paused, 0);
  });

  it('finds nothing of the runs before it', async () => {
    const program = await programOf(
      "let runs = 0; export default () => { runs += 1; globalThis.left = (globalThis.left ?? 0) + 1; return { pass: true, data: runs === 1 && globalThis.left === 1 ? 'good' : 'bad' } }",
    );
    await prove(sandbox, program, 40);
  });

  it('logs, calls and waits as before', async () => {
    const program = await turning(`return (async () => {
      host.log.info('one'); const a = await host.cache.get('a'); console.warn('two');
      const { status } = await host.fetch('https://api.example.com/'); return { pass: a === undefined, data: status }
    })()`);
    await prove(sandbox, program);
    const host = createCheckHost({ fetch: () => ({ status: 201, headers: {}, body: Buffer.from('') }) });
    const run = { check: 'default', config: {}, input: hostile, host, timeoutMs: 5000 };
    assert.deepEqual(await sandbox.run(program, run), { pass: true, data: 201 });
    assert.deepEqual(
      host.logged.map(({ level, fields }) => [level, fields.text]),
      [
        ['info', 'one'],
        ['warn', 'two'],
      ],
    );
  });

  it('logs no more lines than others', async () => {
    const host = createCheckHost();
    const program = await turning("for (let i = 0; i < 30; i++) console.log('x'.repeat(2000)); return { pass: true }");
    await prove(sandbox, program);
    await sandbox.run(program, { check: 'default', config: {}, input: hostile, host, timeoutMs: 5000 });
    assert.equal(host.logged.length, 21);
    assert.equal(host.logged[0]?.fields.text, 'x'.repeat(1024));
    assert.deepEqual(host.logged.at(-1), { level: 'warn', event: 'guest_log_dropped', fields: { lines: 10 } });
  });
});

describe('an innocent program beside one that nothing can cut off', () => {
  const { sandbox, logged } = testSandbox();

  it('gets its verdicts, and neither a strike nor the blame', async () => {
    const innocent = await programOf("export default () => ({ pass: true, data: 'good' })", {
      organisation: 'innocent',
    });
    const fetching = await programOf(
      "export default async (input, host) => { const { status } = await host.fetch('https://api.example.com/'); return { pass: true, data: status } }",
      { organisation: 'innocent' },
    );
    await prove(sandbox, innocent);
    for (let round = 0; round < 6; round += 1) {
      const program = await turning(`const round = ${round}; ${native}`, { organisation: 'hostile' });
      await prove(sandbox, program);
      const waiting = runOf(sandbox, fetching, {
        host: { fetch: () => delay(100).then(() => ({ status: 200, headers: {}, body: Buffer.from('') })) },
        timeoutMs: 2000,
      });
      await delay(10);
      const monster = endOf(runOf(sandbox, program, { input: hostile, timeoutMs: 400 }));
      const verdicts = await Promise.all(
        Array.from({ length: 4 }, () => runOf(sandbox, innocent, { timeoutMs: 2000 })),
      );
      for (const verdict of verdicts) assert.deepEqual(verdict, { pass: true, data: 'good' });
      assert.deepEqual(await waiting, { pass: true, data: 200 });
      const { error } = await monster;
      assert.match(String(error), late);
      assert.equal(sandbox.state.paused, 0);
    }
    assert.ok(
      logged.every(({ event }) => event.startsWith('sandbox_process_')),
      JSON.stringify(logged),
    );
  });
});
