import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { checkInput } from 'portcullis/sdk/testing';
import { bundleCode } from '../../../core/sandbox/bundle.ts';
import { Paces } from '../../../core/sandbox/paces.ts';
import { payloadOf } from '../../../core/sandbox/payload.ts';
import { type Ended, type Job, SandboxProcess } from '../../../core/sandbox/process.ts';

/** The engine looks at no clock while it searches. */
const monster = `export default ({ text }) => {
  if (text !== 'now') return { pass: true };
  const long = 'a'.repeat(2 ** 21);
  return { pass: long.lastIndexOf('a'.repeat(2 ** 19) + 'b') > 0 };
}`;

async function jobOf(key: string, code: string): Promise<(text: string, timeoutMs: number) => Job> {
  const source = await bundleCode(code, 'code');
  return (text, timeoutMs) => ({
    key,
    source,
    memoryMb: 32,
    payload: payloadOf({ step: 'run', check: 'default', config: {}, input: checkInput({ text }) }),
    timeoutMs,
    call: async () => '{"value":null}',
    log: () => {},
  });
}

const faultOf = (ended: Ended) => ('fault' in ended ? ended.fault : 'none');

/** A process in which the monster counts as quick, and has contexts that stand ready. */
async function processWith(t: TestContext) {
  const paces = new Paces();
  for (let run = 0; run < 5; run += 1) paces.ended('monster', true);
  const events = { onWorn: () => {}, onOverdue: () => {}, onGone: () => {} };
  const process = new SandboxProcess(paces, events);
  t.after(() => process.close());
  assert.ok(await process.ready());
  const jobs = {
    monster: await jobOf('monster', monster),
    innocent: await jobOf('innocent', 'export default () => ({ pass: true })'),
  };
  assert.equal(faultOf(await process.run(jobs.monster('', 5000))), 'none');
  await delay(300);
  // On a busy machine that run may have been slow.
  while (!paces.isQuick('monster')) paces.ended('monster', true);
  return { process, paces, ...jobs };
}

describe('a quick run that holds up its process', () => {
  it('is found out, may try again, and is not quick any more', async (t) => {
    const { process, paces, monster } = await processWith(t);
    assert.equal(faultOf(await process.run(monster('now', 5000))), 'lost');
    assert.equal(paces.isQuick('monster'), false);
  });

  it('is to blame when its own time is over', async (t) => {
    const { process, monster } = await processWith(t);
    assert.equal(faultOf(await process.run(monster('now', 20))), 'killed');
  });

  it('is to blame when the time of others is over before its own', async (t) => {
    const { process, paces, monster, innocent } = await processWith(t);
    const quick = process.run(monster('now', 5000));
    const others = await Promise.all([20, 30].map((timeoutMs) => process.run(innocent('', timeoutMs))));
    assert.deepEqual(others.map(faultOf), ['lost', 'lost']);
    assert.equal(faultOf(await quick), 'lost');
    assert.equal(paces.isQuick('monster'), false);
  });
});

describe('a program', () => {
  it('is quick after five quick runs in a row, and after more when it had to be cut off', () => {
    const paces = new Paces();
    const runs = (count: number) => {
      for (let run = 0; run < count; run += 1) paces.ended('a', true);
      return paces.isQuick('a');
    };
    assert.equal(runs(4), false);
    paces.ended('a', false);
    assert.equal(runs(4), false);
    assert.equal(runs(1), true);
    paces.failed('a', 'cut');
    assert.deepEqual([runs(99), runs(1)], [false, true]);
    paces.failed('a', 'stuck');
    paces.failed('a', 'cut');
    assert.deepEqual([runs(9999), runs(1)], [false, true]);
    assert.equal(paces.isQuick('b'), false);
  });
});
