import { execFileSync } from 'node:child_process';
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { allOnCosts } from './all-on.ts';
import { bareKoa } from './bare-koa.ts';
import { checkCosts, renderCosts } from './checks.ts';
import { direct } from './direct.ts';
import { fullGatewayRow, gatewayRow, guardedGatewayRow, storedGatewayRow } from './gateway.ts';
import { guardrailCosts } from './guardrails.ts';
import { loadProgram } from './load.ts';
import { measure, type Plan } from './measure.ts';
import { renderNeighbours } from './neighbours.ts';
import { nginxRow } from './nginx.ts';
import { peer } from './peer.ts';
import { canPin } from './programs.ts';
import { promptCosts } from './prompts.ts';
import { failures, renderTable } from './table.ts';
import type { Scenario } from './traffic.ts';

const usage = `npm run bench -- [flags]
  --seconds N        length of each repeat, 1 to 60 (5)
  --repeats N        repeats of each measurement, 1 to 50 (3)
  --only json|stream one half of the table
  --peer             also installs and measures the open-source peer
  --short            300 requests and 5 streams a row: proves that the bench runs
  --checks           the cost of guardrail checks on a text of 10 KB, and nothing else
  --all-on           everything on beside the bare proxy, in turns, and nothing else
  --guardrails       a request with five native checks beside the same without, in turns, and nothing else
  --prompts          a saved prompt beside the same chat completion, in turns, and nothing else
  --profile FOLDER   writes a CPU profile of the gateway there
`;

/** What is measured two and two. */
const inTurns = { 'all-on': allOnCosts, guardrails: guardrailCosts, prompts: promptCosts } as const;
type Turns = keyof typeof inTurns;

interface Flags {
  readonly seconds: number;
  readonly repeats: number;
  readonly only: 'json' | 'stream' | undefined;
  readonly peer: boolean;
  readonly short: boolean;
  readonly checks: boolean;
  readonly turns: Turns | undefined;
  readonly profile: string | undefined;
}

try {
  await run(readFlags());
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}

async function run(flags: Flags): Promise<void> {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
  if (flags.checks) {
    // Not pinned: the sandbox's process would have to share one core with this one, which gives way to nobody.
    process.stdout.write(`${renderCosts(await checkCosts(flags.short ? 5 : 300))}\n`);
    return;
  }
  const pinned = !flags.short && canPin();
  // This process makes the load when there is no wrk, and its children inherit its place.
  if (pinned) execFileSync('taskset', ['-acp', '0', String(process.pid)], { stdio: 'ignore' });
  const cores = pinned ? { proxy: 1, load: 0 } : { proxy: undefined, load: undefined };
  if (flags.turns !== undefined) {
    const bound = flags.short ? { requests: 300 } : { seconds: flags.seconds };
    const costs = await inTurns[flags.turns]({ bound, repeats: flags.short ? 1 : flags.repeats, cores });
    process.stdout.write(`${costs.map(renderNeighbours).join('\n\n')}\n`);
    return;
  }
  const profiling = flags.profile === undefined ? [] : ['--cpu-prof', '--cpu-prof-dir', flags.profile];
  const optional = [nginxRow(), flags.peer ? peer : undefined];
  const rows = [
    direct,
    bareKoa,
    gatewayRow(),
    storedGatewayRow(),
    guardedGatewayRow(),
    fullGatewayRow({ nodeFlags: profiling }),
    ...optional.filter((row) => row !== undefined),
  ];
  const plan: Plan = {
    rows,
    scenarios: scenariosOf(flags.only),
    repeats: flags.short ? 1 : flags.repeats,
    bound: flags.short ? { requests: { json: 300, saturated: 5, spaced: 5 } } : { seconds: flags.seconds },
    cores,
    progress: (line) => void process.stderr.write(`${line}\n`),
  };
  const results = await measure(plan);
  process.stdout.write(`${heading(plan, pinned)}\n\n${renderTable(results, bareKoa.name)}\n\n`);
  for (const { name, about } of results) process.stdout.write(`${name}: ${about}\n`);
  if (results.some((row) => failures(row) > 0)) process.exitCode = 1;
}

function scenariosOf(only: Flags['only']): readonly Scenario[] {
  if (only === 'json') return ['json'];
  if (only === 'stream') return ['saturated', 'spaced'];
  return ['json', 'saturated', 'spaced'];
}

function heading({ bound, repeats }: Plan, pinned: boolean): string {
  const place = pinned ? 'proxy on core 1, load and upstream on core 0' : 'not pinned to cores';
  const length =
    'seconds' in bound
      ? `${repeats} x ${bound.seconds} s with ${loadProgram()}`
      : 'short form of cold processes, whose figures say nothing';
  return [
    `Node ${process.versions.node}, ${cpus().length} x ${cpus()[0]?.model ?? 'unknown'}; ${place}; ${length}.`,
    'JSON: 64 connections, 1 KB request, 2 KB reply. Streams: 32 connections, 100 chunks of 169 bytes, at once or 5 ms apart.',
    'CPU time is user and system time of the proxy with all its threads. CPU and ratios: best / median of the repeats.',
  ].join('\n');
}

function readFlags(): Flags {
  const { values } = parseArgs({
    options: {
      seconds: { type: 'string', default: '5' },
      repeats: { type: 'string', default: '3' },
      only: { type: 'string' },
      peer: { type: 'boolean', default: false },
      short: { type: 'boolean', default: false },
      checks: { type: 'boolean', default: false },
      'all-on': { type: 'boolean', default: false },
      guardrails: { type: 'boolean', default: false },
      prompts: { type: 'boolean', default: false },
      profile: { type: 'string' },
    },
  });
  const { only } = values;
  if (only !== undefined && only !== 'json' && only !== 'stream')
    throw new Error(`--only takes json or stream, not "${only}".\n\n${usage}`);
  return {
    seconds: wholeNumber('seconds', values.seconds, 60),
    repeats: wholeNumber('repeats', values.repeats, 50),
    only,
    peer: values.peer,
    short: values.short,
    checks: values.checks,
    turns: (Object.keys(inTurns) as Turns[]).find((name) => values[name]),
    profile: values.profile,
  };
}

function wholeNumber(flag: string, text: string, max: number): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= 1 && value <= max) return value;
  throw new Error(`--${flag} takes a whole number from 1 to ${max}, not "${text}".\n\n${usage}`);
}
