import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { LoadedPrograms } from '../../../core/sandbox/loaded-programs.ts';
import { programOf, runOf, testSandbox } from './sandboxed.ts';

const { sandbox } = testSandbox();

/** Counts the runs that are under way by organisation, and the most that there ever were. */
function counter() {
  const now = new Map<string, number>();
  const most = { all: 0, each: 0 };
  return {
    most,
    fetchOf: (organisation: string) => async () => {
      now.set(organisation, (now.get(organisation) ?? 0) + 1);
      most.each = Math.max(most.each, now.get(organisation) ?? 0);
      most.all = Math.max(
        most.all,
        [...now.values()].reduce((sum, count) => sum + count, 0),
      );
      // Until nobody else comes who could.
      await delay(50);
      now.set(organisation, (now.get(organisation) ?? 0) - 1);
      return { status: 200, headers: {}, body: Buffer.from('') };
    },
  };
}

describe('the memory of the sandbox', () => {
  it('is bounded over all programs under way, and over those of one organisation', async () => {
    const { most, fetchOf } = counter();
    const runs = ['a', 'b', 'c', 'd'].flatMap((organisation) =>
      Array.from({ length: 6 }, async (_, index) => {
        const source = `export default async (input, host) => {
          await host.fetch('https://api.example.com/');
          return { pass: true, data: ${index} };
        }`;
        const program = await programOf(source, { organisation, memoryMb: 128 });
        return runOf(sandbox, program, { host: { fetch: fetchOf(organisation) }, timeoutMs: 60_000 });
      }),
    );
    for (const { pass } of await Promise.all(runs)) assert.equal(pass, true);
    assert.ok(most.all <= 8, `${most.all} programs of 128 MB at once`);
    assert.ok(most.each <= 4, `${most.each} of one organisation`);
  });

  it('is given back by a process that takes no more runs', () => {
    const sent: string[] = [];
    const loaded = new LoadedPrograms(
      (message) => void sent.push(`${message.type} ${'key' in message ? message.key : ''}`),
    );
    const facts = { source: '', memoryMb: 32, payload: '', timeoutMs: 1, call: async () => '', log: () => {} };
    for (const key of ['idle', 'busy']) loaded.enter({ key, ...facts });
    loaded.leave('idle');
    loaded.close();
    loaded.leave('busy');
    assert.deepEqual(sent, ['load idle', 'load busy', 'unload idle', 'unload busy']);
  });
});
