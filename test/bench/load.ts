import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runToEnd } from './children.ts';
import { temporaryFolder } from './folders.ts';
import { generate } from './generator.ts';
import { findProgram } from './programs.ts';
import type { RunningRow } from './row.ts';
import { chatPath, requestBody, type Scenario } from './traffic.ts';

export interface Load {
  readonly target: Pick<RunningRow, 'origin' | 'headers'>;
  readonly scenario: Scenario;
  readonly connections: number;
  /** What is asked in the place of the chat request of the scenario. */
  readonly asks?: { readonly path: string; readonly body: string };
  /** How long, or how many requests. */
  readonly bound: { readonly seconds: number } | { readonly requests: number };
}

export interface LoadResult {
  readonly completed: number;
  readonly failed: number;
  readonly seconds: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** Which program makes the load that is bounded by time. */
export function loadProgram(): 'wrk' | 'undici' {
  return findProgram('wrk') === undefined ? 'undici' : 'wrk';
}

/** Loads a row with as many connections as asked, each sending its next request when the last one is answered. */
export function applyLoad(load: Load): Promise<LoadResult> {
  if ('seconds' in load.bound && loadProgram() === 'wrk') return runWrk(load, load.bound.seconds);
  return generate(load);
}

async function runWrk(load: Load, seconds: number): Promise<LoadResult> {
  const folder = temporaryFolder('wrk');
  try {
    const script = join(folder.path, 'post.lua');
    await writeFile(script, scriptText(load));
    const url = load.target.origin + (load.asks?.path ?? chatPath);
    const args = ['-t1', `-c${load.connections}`, `-d${seconds}s`, '--timeout', '15s', '-s', script, url];
    const output = await runToEnd('wrk', args, (seconds + 30) * 1000);
    const line = /^result (\{.*\})$/m.exec(output)?.[1];
    if (line === undefined) throw new Error(`wrk gave no result: ${output}`);
    return JSON.parse(line) as LoadResult;
  } finally {
    folder.remove();
  }
}

function scriptText({ target, scenario, asks }: Load): string {
  const headers = Object.entries({ ...target.headers, 'content-type': 'application/json' });
  return `
wrk.method = "POST"
wrk.body = [==[${asks?.body ?? requestBody(scenario)}]==]
${headers.map(([name, value]) => `wrk.headers["${name}"] = [==[${value}]==]`).join('\n')}
function done(summary, latency)
  local errors = summary.errors
  local failed = errors.connect + errors.read + errors.write + errors.status + errors.timeout
  io.write(string.format('result {"completed":%d,"failed":%d,"seconds":%f,"p50Ms":%f,"p99Ms":%f}\\n',
    summary.requests, failed, summary.duration / 1e6, latency:percentile(50) / 1e3, latency:percentile(99) / 1e3))
end
`;
}
