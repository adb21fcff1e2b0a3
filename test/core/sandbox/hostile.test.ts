import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { GatewayError, type Verdict } from 'portcullis/sdk';
import { checkInput, createCheckHost } from 'portcullis/sdk/testing';
import { createCodeRunner } from '../../../core/sandbox/code-runner.ts';
import { type HostileCase, hostileCases, timeOf } from './hostile-cases.ts';
import { isAlive, testSandbox } from './sandboxed.ts';

const { sandbox } = testSandbox();
const input = checkInput({ text: 'Hello.' });
const healthy = 'export default (input) => ({ pass: true, data: input.text })';
const reply = { status: 200, headers: {}, body: Buffer.from('{}') };

/** Each in an organisation of its own; the clock of the cases is short, that of the healthy one is not. */
function attempt(
  organisation: string,
  source: string,
  timeoutMs: number,
  net: readonly string[] = [],
): Promise<Verdict> {
  const host = createCheckHost({ fetch: () => reply });
  return createCodeRunner(sandbox, { organisation, host }).run({ source, net, timeoutMs, memoryMb: 32 }, input);
}

async function settled(hostile: HostileCase): Promise<{ verdict?: Verdict; error?: unknown }> {
  return attempt('hostile', hostile.code, timeOf(hostile), hostile.net).then(
    (verdict) => ({ verdict }),
    (error: unknown) => ({ error }),
  );
}

/** The most work that the event loop did between two of its turns: of time in which the machine ran something else, it knows nothing. */
function longestTurn(): { stop(): number } {
  let longestMs = 0;
  let before = process.threadCpuUsage();
  const timer = setInterval(() => {
    const { user, system } = process.threadCpuUsage(before);
    before = process.threadCpuUsage();
    longestMs = Math.max(longestMs, (user + system) / 1000);
  }, 2);
  return {
    stop: () => {
      clearInterval(timer);
      return longestMs;
    },
  };
}

describe('code', () => {
  let turns: ReturnType<typeof longestTurn>;
  const pids = new Set<number>();
  before(async () => {
    await attempt('healthy', healthy, 5000);
    turns = longestTurn();
  });
  after(() => turns.stop());

  for (const [kind, cases] of Object.entries(hostileCases)) {
    describe(kind, () => {
      for (const hostile of cases) {
        it(`${hostile.name} harms nobody`, async () => {
          const { verdict, error } = await settled(hostile);
          if (hostile.error === undefined) {
            assert.deepEqual(verdict, { pass: true, data: hostile.data }, String(error));
          } else {
            assert.ok(GatewayError.is(error), `${JSON.stringify(verdict)} ${error}`);
            assert.equal(error.code, 'check_failed');
            assert.match(error.message, hostile.error);
          }
          for (const pid of sandbox.state.pids) pids.add(pid);
          assert.deepEqual(await attempt('healthy', healthy, 5000), { pass: true, data: 'Hello.' });
        });
      }
    });
  }

  it('leaves the event loop of the gateway free', async () => {
    let longestMs = turns.stop();
    if (longestMs >= 50) {
      const again = longestTurn();
      for (const hostile of Object.values(hostileCases).flatMap((cases) => cases.slice(0, 4))) await settled(hostile);
      longestMs = again.stop();
    }
    assert.ok(longestMs < 50, `a turn of ${longestMs} ms`);
  });

  it('leaves no process behind', async () => {
    assert.ok(pids.size >= 2, `${pids.size} processes`);
    await sandbox.close();
    assert.deepEqual([...pids].filter(isAlive), []);
    assert.equal(sandbox.state.processes, 0);
    await assert.rejects(attempt('healthy', healthy, 5000), /The sandbox is closed/);
  });
});
