import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { GatewayError } from 'portcullis/sdk';
import { checkInput, createCheckHost } from 'portcullis/sdk/testing';
import { environmentOf, isAlive, programOf, residentMb, runOf, testSandbox } from './sandboxed.ts';

const { sandbox } = testSandbox();
const lost = (why: RegExp) => (error: unknown) =>
  GatewayError.is(error) && error.code === 'check_failed' && why.test(error.message);

/** A fetch that says when it was called, and answers when it is told to. */
function heldFetch() {
  const called = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<void>();
  const fetch = async () => {
    called.resolve();
    await answer.promise;
    return { status: 200, headers: {}, body: Buffer.from('ok') };
  };
  return { fetch, called: called.promise, answer: () => answer.resolve() };
}

const answering = () => ({ status: 200, headers: {}, body: Buffer.from('ok') });

/** After so many deaths, the next process is some time in coming. */
async function onceStarted<T>(run: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await run();
    } catch (error) {
      if (!/cannot be started/.test(String(error))) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

const fetching = `export default async (input, host) => {
  const { status } = await host.fetch('https://api.example.com/');
  return { pass: true, data: status };
}`;

describe('a run', () => {
  it('starts no process before the first one', async () => {
    const { sandbox: idle } = testSandbox();
    assert.equal(idle.state.processes, 0);
    await runOf(idle, await programOf('export default () => ({ pass: true })'));
    assert.ok(idle.state.processes > 0);
  });

  it('gets all that a check gets', async () => {
    const input = checkInput({
      texts: [
        { role: 'system', text: 'Be short.' },
        { role: 'user', text: 'Größe? 😀 \u2028' },
        { role: 'assistant', kind: 'tool-arguments', text: '{"a":1}' },
        { role: 'user', text: 'Größe? 😀 \u2028' },
        { role: 'user', text: 'More.', message: 3, adjoins: true },
        { role: 'user', text: 'And more', message: 4, goesOn: true },
      ],
      images: ['https://example.com/a.png'],
      body: { model: 'm', messages: [{ role: 'user', content: '\u0000' }] },
      headers: { accept: '*/*' },
      metadata: { team: 'a' },
      workspaceId: 'w',
      stream: true,
    });
    const program = await programOf(
      'export default (input) => ({ pass: "reply" in input && "organisationId" in input, data: input })',
    );
    const verdict = await runOf(sandbox, program, { input });
    assert.equal(verdict.pass, true);
    assert.deepEqual(verdict.data, JSON.parse(JSON.stringify(input)));
  });

  it('gets the reply where there is one', async () => {
    const input = checkInput({ phase: 'afterRequest', text: 'Hi', reply: { choices: [] } });
    const program = await programOf('export default ({ reply }) => ({ pass: true, data: reply })');
    assert.deepEqual((await runOf(sandbox, program, { input })).data, { choices: [] });
  });

  it('knows the time of the host', async () => {
    const program = await programOf('export default (input, host) => ({ pass: true, data: host.now() })');
    const { data } = await runOf(sandbox, program, { host: { now: 86_400_000 } });
    assert.ok(Number(data) >= 86_400_000 && Number(data) < 86_400_000 + 5000, String(data));
  });

  it('may change what it was given, and nobody sees it', async () => {
    const input = checkInput({ text: 'a' });
    const program = await programOf(
      'export default (input) => { input.texts[0].text = "b"; return { pass: input.texts[0].text === "b" } }',
    );
    assert.deepEqual(await runOf(sandbox, program, { input }), { pass: true });
    assert.equal(input.texts[0]?.text, 'a');
  });

  it('finds nothing of the runs before it, of its own program or of others', async () => {
    const spoiling = `let runs = 0;
      export default () => {
        const found = [...Object.keys(Object.prototype), String(globalThis.left), typeof [].planted, JSON.stringify({ a: 1 })];
        Object.prototype.planted = 1; Array.prototype.planted = 1; globalThis.left = 1; runs += 1;
        const verdict = { pass: true, data: [...found, runs] };
        const stringify = JSON.stringify;
        JSON.stringify = () => '"spoilt"'; JSON.parse = () => ({}); Promise.prototype.then = () => {};
        Object.defineProperty(Array.prototype, 'map', { value: null }); Reflect.apply = null; Function.prototype.call = null;
        return verdict;
      }`;
    const expected = { pass: true, data: ['undefined', 'undefined', '{"a":1}', 1] };
    for (const organisation of ['acme', 'acme', 'other', 'acme'])
      assert.deepEqual(await runOf(sandbox, await programOf(spoiling, { organisation })), expected);
  });

  it('that has spoilt the promises of its context still ends', async () => {
    const program = await programOf(`export default async (input, host) => {
      Promise.prototype.then = null; Object.defineProperty(Promise.prototype, 'constructor', { get() { throw 1 } });
      return { pass: true };
    }`);
    await assert.rejects(runOf(sandbox, program, { timeoutMs: 300 }), (error) => GatewayError.is(error));
    assert.deepEqual(await runOf(sandbox, await programOf('export default () => ({ pass: true })')), { pass: true });
  });

  it('writes to the log of the host, and so much of it', async () => {
    const host = createCheckHost();
    const program = await programOf(`export default (input, host) => {
      host.log.warn('seen', { count: 1 }); console.error('bad', { a: [1] }, null);
      for (let i = 0; i < 30; i++) console.log('x'.repeat(2000));
      return { pass: true };
    }`);
    await sandbox.run(program, { check: 'default', config: {}, input: checkInput(), host, timeoutMs: 5000 });
    const [first, second, third, ...others] = host.logged;
    assert.deepEqual(first, { level: 'warn', event: 'guest_log', fields: { text: 'seen {"count":1}' } });
    assert.deepEqual(second, { level: 'error', event: 'guest_log', fields: { text: 'bad {"a":[1]} null' } });
    assert.equal(third?.fields.text, 'x'.repeat(1024));
    assert.equal(others.length, 18);
    assert.deepEqual(others.at(-1), { level: 'warn', event: 'guest_log_dropped', fields: { lines: 12 } });
  });

  it('uses the cache of the host', async () => {
    const program = await programOf(`export default async (input, host) => {
      const before = await host.cache.get('a');
      await host.cache.set('a', { n: 1 }, 60);
      return { pass: before === undefined, data: await host.cache.get('a') };
    }`);
    assert.deepEqual(await runOf(sandbox, program), { pass: true, data: { n: 1 } });
  });

  it('asks models where its unit may', async () => {
    const source = `export default async (input, host) => ({ pass: true, data: await host.ask({ model: 'm', system: 's', user: 'u', maxTokens: 5 }) })`;
    const host = { ask: ({ user }: { user: string }) => `said ${user}` };
    assert.deepEqual(await runOf(sandbox, await programOf(source, { models: true }), { host }), {
      pass: true,
      data: 'said u',
    });
    await assert.rejects(runOf(sandbox, await programOf(source), { host }), /does not grant permissions.models/);
  });

  it('gets bytes and headers of what it fetches', async () => {
    const program = await programOf(`export default async (input, host) => {
      const { status, headers, body } = await host.fetch('https://api.example.com/a', { method: 'PUT', headers: { a: 'b' }, body: 'ü' });
      return { pass: body instanceof Uint8Array, data: [status, headers, new TextDecoder().decode(body), [...body].slice(0, 2)] };
    }`);
    const host = createCheckHost({
      fetch: (_, { method, headers, body }) => ({
        status: 418,
        headers: { ...headers, method: String(method) },
        body: Buffer.from(`ü😀${body}`),
      }),
    });
    const run = { check: 'default', config: {}, input: checkInput(), host, timeoutMs: 5000 };
    assert.deepEqual(await sandbox.run(program, run), {
      pass: true,
      data: [418, { a: 'b', method: 'PUT' }, 'ü😀ü', [0xc3, 0xbc]],
    });
  });
});

describe('a program', () => {
  it('is described without its functions', async () => {
    assert.deepEqual(await sandbox.describe(await programOf('export default () => ({ pass: true })')), {
      function: true,
    });
    const unit = await programOf(
      `import { check, guardrail, schema, secret } from 'portcullis/sdk';
       const one = check({ title: 'One', config: schema.Object({ n: schema.Integer() }), phases: ['beforeRequest'], run: () => ({ pass: true }) });
       export default guardrail({ credentials: schema.Object({ apiKey: secret() }), checks: { one } });`,
      { kind: 'guardrail' },
    );
    const declared = (await sandbox.describe(unit)) as { checks: { one: object }; credentials: object };
    assert.deepEqual(declared.checks.one, {
      title: 'One',
      config: { type: 'object', required: ['n'], properties: { n: { type: 'integer' } } },
      phases: ['beforeRequest'],
      functions: ['run'],
    });
  });

  it('pauses after five runs that had to be ended, and is tried again after 30 s', async () => {
    let now = 1_000_000;
    const { sandbox: clocked } = testSandbox({ now: () => now });
    const program = await programOf(
      "export default ({ text }) => { if (text === 'loop') for (;;); return { pass: true } }",
    );
    const loop = () => runOf(clocked, program, { timeoutMs: 50, input: checkInput({ text: 'loop' }) });
    for (let strike = 0; strike < 5; strike += 1) await assert.rejects(loop(), lost(/did not end in its time/));
    await assert.rejects(runOf(clocked, program), lost(/not run for another 30 s/));
    assert.equal(clocked.state.paused, 1);
    const other = await programOf('export default () => ({ pass: true })');
    assert.deepEqual(await runOf(clocked, other), { pass: true });
    now += 30_000;
    await assert.rejects(loop(), lost(/did not end in its time/));
    await assert.rejects(runOf(clocked, program), lost(/not run for another 30 s/));
    now += 30_000;
    assert.deepEqual(await runOf(clocked, program), { pass: true });
    assert.deepEqual(await runOf(clocked, program), { pass: true });
    assert.equal(clocked.state.paused, 0);
  });

  it('is refused when it brought down the process again and again, and others are not', async () => {
    let now = 1_000_000;
    const { sandbox: shaken } = testSandbox({ now: () => now });
    const held = heldFetch();
    const innocent = await programOf(fetching, { organisation: 'other' });
    const answered = () => ({ status: 200, headers: {}, body: Buffer.from('ok') });
    assert.equal((await runOf(shaken, innocent, { host: { fetch: answered } })).pass, true);
    const deadly = await programOf(`${fetching} // deadly`);
    const fetch = () => {
      process.kill(shaken.state.pids[0] ?? 0, 'SIGKILL');
      return new Promise<never>(() => {});
    };
    const waiting = Promise.allSettled(
      Array.from({ length: 3 }, () => runOf(shaken, innocent, { host: { fetch: held.fetch }, timeoutMs: 30_000 })),
    );
    await held.called;
    const said: string[] = [];
    while (said.length < 100 && !said.some((text) => /is not run/.test(text))) {
      await runOf(shaken, deadly, { host: { fetch } }).catch((error: unknown) => said.push(String(error)));
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    assert.match(
      said.at(-1) ?? '',
      /custom\.code is not run for another 30 s: it brought down the sandbox's process 5 times in a row/,
    );
    assert.equal(shaken.state.paused, 1);
    const look = shaken.accept(deadly, { check: 'default', config: {}, host: createCheckHost(), timeoutMs: 5000 });
    await assert.rejects(look, { code: 'check_failed', headers: {} });
    held.answer();
    await waiting;
    assert.equal((await onceStarted(() => runOf(shaken, innocent, { host: { fetch: answered } }))).pass, true);
    now += 30_000;
    assert.equal((await onceStarted(() => runOf(shaken, deadly, { host: { fetch: answered } }))).pass, true);
    assert.equal(shaken.state.paused, 0);
  });

  it('is not blamed by one death of its process for all of its runs', async () => {
    const { sandbox: shaken } = testSandbox();
    const program = await programOf(fetching);
    const called = Promise.withResolvers<void>();
    let calls = 0;
    const fetch = () => {
      calls += 1;
      if (calls === 6) called.resolve();
      return calls > 6 ? { status: 200, headers: {}, body: Buffer.from('ok') } : new Promise<never>(() => {});
    };
    const runs = Array.from({ length: 6 }, () => runOf(shaken, program, { host: { fetch } }));
    await called.promise;
    process.kill(shaken.state.pids[0] ?? 0, 'SIGKILL');
    assert.deepEqual(new Set((await Promise.all(runs)).map(({ pass }) => pass)), new Set([true]));
  });

  it('says no more of what it throws than is taken, in whatever shape', async () => {
    for (const [body, why] of [
      ["{ return { message: 'x'.repeat(200_000) } }", /threw Error: x{2000}$/],
      ['{ return null }', /threw Error: something that cannot be read$/],
      ['{ return [1] }', /threw Error: something that cannot be read$/],
    ] as const) {
      const source = `Object.prototype.toJSON = function () ${body}; export default () => { throw new Error('e') }`;
      await assert.rejects(runOf(sandbox, await programOf(source)), lost(why));
    }
  });

  it('is not paused by what it throws', async () => {
    const program = await programOf("export default () => { throw new Error('x') }");
    for (let run = 0; run < 8; run += 1) await assert.rejects(runOf(sandbox, program), lost(/threw Error: x/));
  });

  it('can be run in 8 MB', async () => {
    const program = await programOf('export default (input) => ({ pass: true })', { memoryMb: 8 });
    for (let run = 0; run < 50; run += 1) assert.deepEqual(await runOf(sandbox, program), { pass: true });
  });

  it('runs thousands of times in the same memory', async () => {
    const { sandbox: long, logged } = testSandbox();
    const program = await programOf(
      'const seen = []; export default ({ text }) => { seen.push(text.repeat(10)); return { pass: true } }',
    );
    const input = checkInput({ text: 'x'.repeat(10_000) });
    const runs = (count: number) =>
      Promise.all(
        Array.from({ length: 8 }, async () => {
          for (let run = 0; run < count / 8; run += 1) await runOf(long, program, { input });
        }),
      );
    await runs(400);
    const [pid = 0] = long.state.pids;
    const before = residentMb(pid);
    await runs(2000);
    assert.equal(long.state.pids[0], pid);
    const grown = residentMb(pid) - before;
    assert.ok(grown < 64, `${grown} MB`);
    assert.deepEqual(logged, []);
  });
});

describe('a process of the sandbox', () => {
  it('that dies is replaced at once, and what ran in it runs again', async () => {
    const { sandbox: shaken } = testSandbox();
    const held = heldFetch();
    const run = runOf(shaken, await programOf(fetching), { host: { fetch: held.fetch } });
    await held.called;
    const [first = 0] = shaken.state.pids;
    process.kill(first, 'SIGKILL');
    held.answer();
    assert.deepEqual(await run, { pass: true, data: 200 });
    assert.equal(shaken.state.kills, 1);
    assert.equal(shaken.state.pids.includes(first), false);
  });

  it('that answers nobody is killed, and its other runs are not lost', async () => {
    const { sandbox: stuck, logged } = testSandbox();
    const held = heldFetch();
    const waiting = runOf(stuck, await programOf(fetching), { host: { fetch: held.fetch }, timeoutMs: 30_000 });
    await held.called;
    process.kill(stuck.state.pids[0] ?? 0, 'SIGSTOP');
    const program = await programOf('export default () => ({ pass: true })', { organisation: 'other' });
    await assert.rejects(runOf(stuck, program, { timeoutMs: 100 }), lost(/its process had to be killed: 100 ms/));
    held.answer();
    assert.deepEqual(await waiting, { pass: true, data: 200 });
    assert.deepEqual(await runOf(stuck, program), { pass: true });
    assert.deepEqual(
      logged.map(({ event, fields }) => [event, fields.why]),
      [['sandbox_process_lost', 'a run did not end']],
    );
  });

  it('is not the one of others for an organisation of which five runs were ended by force of late', async () => {
    const { sandbox: shared } = testSandbox();
    const ofOther = (source: string) => programOf(source, { organisation: 'other' });
    const mine = await programOf(fetching);
    assert.equal((await runOf(shared, mine, { host: { fetch: answering } })).pass, true);
    // A new program each time: none of them has to pause.
    for (let run = 0; run < 5; run += 1) {
      const looping = await ofOther(`export default () => { globalThis.run = ${run}; for (;;); }`);
      await assert.rejects(runOf(shared, looping, { timeoutMs: 50 }), lost(/did not end in its time/));
    }
    const held = heldFetch();
    let called = 0;
    const fetch = () => {
      called += 1;
      return held.fetch();
    };
    const waiting = runOf(shared, mine, { host: { fetch }, timeoutMs: 30_000 });
    await held.called;
    const before = new Set(shared.state.pids);
    const apart: number[] = [];
    const killing = () => {
      if (apart.length === 0) {
        apart.push(...shared.state.pids.filter((pid) => !before.has(pid)));
        for (const pid of apart) process.kill(pid, 'SIGKILL');
      }
      return answering();
    };
    assert.equal(
      (await onceStarted(async () => runOf(shared, await ofOther(fetching), { host: { fetch: killing } }))).pass,
      true,
    );
    held.answer();
    assert.equal((await waiting).pass, true);
    assert.deepEqual([called, apart.length > 0], [1, true]);
  });

  it('takes its runs with it when it is the second', async () => {
    const { sandbox: shaken } = testSandbox();
    const calls: string[] = [];
    const called = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const fetch = () => {
      called[calls.push('fetch') - 1]?.resolve();
      return new Promise<never>(() => {});
    };
    const run = runOf(shaken, await programOf(fetching), { host: { fetch } });
    const ended = assert.rejects(run, lost(/interrupted twice by the end of its process/));
    for (const each of called) {
      await each.promise;
      process.kill(shaken.state.pids[0] ?? 0, 'SIGKILL');
    }
    await ended;
    assert.equal(calls.length, 2);
  });

  it('does not hold up those who wait for a fetch while another run of the program loops', async () => {
    const held = heldFetch();
    const source = `export default async (input, host) => {
      const { status } = await host.fetch('https://api.example.com/');
      if (input.text === 'loop') for (;;);
      return { pass: true, data: status };
    }`;
    const program = await programOf(source);
    const waiting = runOf(sandbox, program, { host: { fetch: held.fetch } });
    await held.called;
    const looping = runOf(sandbox, program, {
      host: { fetch: () => ({ status: 200, headers: {}, body: Buffer.from('') }) },
      timeoutMs: 100,
      input: checkInput({ text: 'loop' }),
    });
    await assert.rejects(looping, lost(/did not end in its time/));
    held.answer();
    assert.deepEqual(await waiting, { pass: true, data: 200 });
  });

  it('is told when nobody waits any more, and the program is not blamed', async () => {
    const controller = new AbortController();
    const called = Promise.withResolvers<void>();
    const fetch = () => {
      called.resolve();
      return new Promise<never>(() => {});
    };
    const program = await programOf(fetching);
    const run = runOf(sandbox, program, { host: { fetch, signal: controller.signal }, timeoutMs: 60_000 });
    await called.promise;
    controller.abort(new GatewayError('client_closed', 'The client left.'));
    await assert.rejects(run, (error) => GatewayError.is(error) && error.code === 'client_closed');
    await assert.rejects(runOf(sandbox, program, { host: { signal: controller.signal } }), /The client left/);
    while (sandbox.state.runs > 0) await new Promise((resolve) => setTimeout(resolve, 5));
    assert.equal(sandbox.state.paused, 0);
  });

  it('does not go on with a run that was given up before it came up', async () => {
    const { sandbox: fresh } = testSandbox();
    const controller = new AbortController();
    const program = await programOf('export default () => new Promise(() => {})');
    const run = runOf(fresh, program, { host: { signal: controller.signal }, timeoutMs: 3_600_000 });
    controller.abort(new GatewayError('client_closed', 'The client left.'));
    await assert.rejects(run, /The client left/);
    while (fresh.state.runs > 0) await new Promise((resolve) => setTimeout(resolve, 5));
  });

  it('takes so many runs, and lets so many wait', async () => {
    const bounds = { running: 1, runningEach: 1, memoryMb: 128, memoryEachMb: 128, waiting: 1, waitingEach: 1 };
    const { sandbox: narrow } = testSandbox({ bounds });
    const held = heldFetch();
    const program = await programOf(fetching);
    const host = { fetch: held.fetch };
    const runs = [runOf(narrow, program, { host }), runOf(narrow, program, { host })];
    await held.called;
    assert.deepEqual([narrow.state.runs, narrow.state.queued], [1, 1]);
    await assert.rejects(runOf(narrow, program, { host }), lost(/The sandbox is busy/));
    held.answer();
    assert.deepEqual(await Promise.all(runs), [
      { pass: true, data: 200 },
      { pass: true, data: 200 },
    ]);
    assert.deepEqual([narrow.state.runs, narrow.state.queued], [0, 0]);
  });

  it('knows nothing of the environment', async () => {
    await runOf(sandbox, await programOf('export default () => ({ pass: true })'));
    const [pid = 0] = sandbox.state.pids;
    const names = environmentOf(pid).map((entry) => entry.split('=')[0]);
    assert.deepEqual(
      names.filter((name) => name !== 'LIBC'),
      [],
    );
  });

  it('is started later where there are no descriptors now', async () => {
    const script = `ulimit -n 60; exec "$0" "$1"`;
    const { stdout } = await promisify(execFile)(
      'sh',
      ['-c', script, process.execPath, `${import.meta.dirname}/no-descriptors.ts`],
      { timeout: 30_000 },
    );
    assert.equal(stdout, 'true false true\n');
  });

  it('keeps nobody alive, and ends with the gateway', async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [`${import.meta.dirname}/left-open.ts`], {
      timeout: 30_000,
    });
    const [verdict, ...pids] = stdout.trim().split(' ');
    assert.equal(verdict, 'true');
    assert.ok(pids.length > 0);
    const deadline = Date.now() + 10_000;
    while (pids.some((pid) => isAlive(Number(pid))) && Date.now() < deadline)
      await new Promise((resolve) => setTimeout(resolve, 20));
    assert.deepEqual(
      pids.filter((pid) => isAlive(Number(pid))),
      [],
    );
  });
});
