import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type CheckCall, type CheckInput, GatewayError, type JsonObject, type ReadyCheck } from 'portcullis/sdk';
import { checkInput } from 'portcullis/sdk/testing';
import { loadGuardrails } from '../../core/checks/load-guardrails.ts';
import { createChecks } from '../../core/checks/registry.ts';
import { loadUnits } from '../../core/loader/load.ts';
import { createCodeRunner } from '../../core/sandbox/code-runner.ts';
import { createSandbox } from '../../core/sandbox/sandbox.ts';
import { repository } from './children.ts';
import { quantile } from './quantile.ts';

/** What one run of a check costs on a text of 10 KB. */
export interface CheckCost {
  readonly id: string;
  /** Microseconds: CPU of this thread on average, or for the sandbox the median of the wall clock. */
  readonly micros: number;
}

const text = 'The third shelf of the east room holds nine of them, and two more wait at the gate. '.repeat(122);
const batch = 20;
const warmUpsEach = 8;
const code =
  'export default (input) => ({ pass: !/forbidden \\w{1,20}/.test(input.text), data: { length: input.text.length } });';

const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const call: CheckCall = {
  principal: { id: 'bench', kind: 'anonymous' },
  traceId: 'bench',
  credentials: undefined,
  timeoutMs: 5000,
  signal: new AbortController().signal,
  forward: {},
  headers: {},
};

/**
 * Runs every built-in check that calls nobody, with the parameters of its first fixture, and a check in the sandbox.
 * @param rounds 20 runs each; for the sandbox one
 */
export async function checkCosts(rounds: number): Promise<readonly CheckCost[]> {
  const sandbox = createSandbox({ log: silent, now: Date.now });
  try {
    const units = await loadUnits({ pluginFolders: [], signingKeys: [] });
    const checks = createChecks(await loadGuardrails(units.guardrails.units, unavailable, () => false), {
      log: () => silent,
      now: Date.now,
      send: unavailable,
      ask: unavailable,
      code: (host, organisation = '') => createCodeRunner(sandbox, { organisation, host }),
    });
    const local = checks.summaries.filter(({ remote, runsCode }) => remote === undefined && !runsCode);
    const costs: CheckCost[] = [];
    for (const { id, unit, phases } of local) {
      const parameters = exampleOf(unit, id);
      if (parameters === undefined) continue;
      const [phase = 'beforeRequest'] = phases;
      costs.push(
        await costOf(id, checks.ready(id, parameters, id), checkInput({ text, phase, model: 'bench' }), rounds),
      );
    }
    costs.push(await sandboxedCost(checks.ready('custom.code', { code }, 'custom.code'), rounds));
    return costs;
  } finally {
    await sandbox.close();
  }
}

const unavailable = (): never => {
  throw new GatewayError('check_failed', 'There is nothing to call here.');
};

/** The parameters of a check's first fixture; `{}` where it has none and needs none. */
function exampleOf(unit: string, id: string): JsonObject | undefined {
  const folder = join(repository, 'guardrails', unit, 'fixtures');
  const check = id.slice(unit.length + 1);
  const name = listed(folder).find((file) => file.startsWith(`${check}.`));
  if (name === undefined) return {};
  const { parameters = {}, exchanges = [] } = JSON.parse(readFileSync(join(folder, name), 'utf8')) as {
    parameters?: JsonObject;
    exchanges?: readonly unknown[];
  };
  return exchanges.length > 0 ? undefined : parameters;
}

function listed(folder: string): readonly string[] {
  try {
    return readdirSync(folder).toSorted();
  } catch {
    return [];
  }
}

async function costOf(id: string, ready: ReadyCheck, input: CheckInput, rounds: number): Promise<CheckCost> {
  const runs = rounds * batch;
  const all = async () => {
    for (let run = 0; run < runs; run += 1) {
      const verdict = ready.run(input, call);
      if (verdict instanceof Promise) await verdict;
    }
  };
  await all();
  // Of this thread alone, what else the machine does is no cost of the check; and over all runs, for the clock is coarse.
  const start = process.threadCpuUsage();
  await all();
  const { user, system } = process.threadCpuUsage(start);
  return { id, micros: (user + system) / runs };
}

/**
 * In wall clock, for the work is done elsewhere: warm, which for the engine means some thousand runs, one at a time, with the pause between two requests in which contexts are
 * made ready. The loop turns meanwhile, as that of a gateway with other requests does: how long a machine takes to wake a
 * sleeping process is no cost of the check.
 */
async function sandboxedCost(ready: ReadyCheck, rounds: number): Promise<CheckCost> {
  const input = checkInput({ text });
  const samples: number[] = [];
  let turning = true;
  const turn = () => {
    if (turning) setImmediate(turn);
  };
  turn();
  const warmUps = rounds * warmUpsEach;
  for (let run = 0; run < warmUps + rounds; run += 1) {
    const start = performance.now();
    await ready.run(input, call);
    if (run >= warmUps) samples.push((performance.now() - start) * 1000);
    await delay(2);
  }
  turning = false;
  return { id: 'custom.code in the sandbox', micros: quantile(samples, 0.5) };
}

export function renderCosts(costs: readonly CheckCost[]): string {
  const rows = costs.map(({ id, micros }) => `| ${id} | ${micros.toFixed(1)} |`);
  return ['| check on 10 KB | µs (CPU; in the sandbox the wall clock) |', '|---|--:|', ...rows].join('\n');
}
