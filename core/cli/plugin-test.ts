import { realpath } from 'node:fs/promises';
import { resolve } from 'node:path';
import { GatewayError, type Guardrail, isGuardrail, type JsonObject, type Manifest } from 'portcullis/sdk';
import type { ConformanceReport, ConformanceResult } from 'portcullis/sdk/testing';
import { type FoundUnit, importUnit } from '../loader/import-unit.ts';
import { readManifest } from '../loader/manifest.ts';
import { resolveSdkForUnits } from '../loader/resolve-sdk.ts';
import { silentLog } from '../log.ts';
import { authorityOf } from '../packages/authority.ts';
import { createCodeRunner } from '../sandbox/code-runner.ts';
import { EndedByForce } from '../sandbox/ended-by-force.ts';
import { createSandbox, type Sandbox } from '../sandbox/sandbox.ts';
import { loadSandboxedGuardrail } from '../sandbox/sandboxed-guardrail.ts';
import type { Console } from './command.ts';
import type { PluginOptions } from './plugin.ts';
import { toItsEnd } from './to-its-end.ts';

/** Of the median for a check that asks nobody: the way into the sandbox and back takes its time. */
const sandboxedBudgetMs = 50;

/** Runs the conformance kit on a guardrail, in this process or as an operator would run it; the code is 1 when it fails. */
export async function test(path: string, { sandbox, json }: PluginOptions, out: Console): Promise<number> {
  const folder = resolve(path);
  const manifest = readManifest({ path: folder, kind: undefined });
  if (manifest.kind !== 'guardrail') {
    const text = `${path} is a ${manifest.kind}. The kit is for guardrails; providers have testProvider of portcullis/sdk/testing.`;
    throw new GatewayError('bad_request', text);
  }
  const unit: FoundUnit = { manifest, folder, trust: sandbox === true ? 'sandboxed' : 'trusted' };
  const report = await toItsEnd(() =>
    withSandbox(async (isolates) => {
      // The kit brings a whole gateway along.
      const { conform, createCheckHost } = await import('portcullis/sdk/testing');
      const code = createCodeRunner(isolates, { organisation: '', host: createCheckHost({ manifest }) });
      const definition = sandbox === true ? await loadSandboxedGuardrail(unit, isolates) : await imported(unit);
      const endedByForce = (error: unknown) => error instanceof EndedByForce;
      const options = sandbox === true ? { budgetMs: sandboxedBudgetMs, endedByForce } : {};
      return conform({ folder, manifest, definition, sandboxed: sandbox === true }, { code, ...options });
    }),
  );
  const text = json === true ? JSON.stringify(report, undefined, 2) : shown(report, manifest);
  out.print(text);
  return report.pass ? 0 : 1;
}

async function withSandbox<T>(work: (sandbox: Sandbox) => Promise<T>): Promise<T> {
  const sandbox = createSandbox({ log: silentLog, now: Date.now });
  try {
    return await work(sandbox);
  } finally {
    await sandbox.close();
  }
}

async function imported(unit: FoundUnit): Promise<Guardrail> {
  resolveSdkForUnits([unit.folder, await realpath(unit.folder)]);
  return (await importUnit(unit, isGuardrail)).definition;
}

function shown({ unit, version, pass, results }: ConformanceReport, manifest: Manifest): string {
  const width = Math.max(...results.map(({ group }) => group.length));
  const rows = results.map((result) => rowOf(result, width));
  const failed = results.filter((result) => !result.pass).length;
  const asked = authorityOf({ permissions: manifest.permissions ?? {} } as unknown as JsonObject);
  return [
    ...rows,
    '',
    `Declared: ${asked.length === 0 ? 'no permissions' : asked.join('; ')}.`,
    `${unit} ${version} ${pass ? `conforms: ${results.length} results.` : `does not conform: ${failed} of ${results.length} results are failures.`}`,
  ].join('\n');
}

function rowOf({ group, name, pass, warning, detail }: ConformanceResult, width: number): string {
  const mark = pass ? (warning ? 'warn' : 'ok  ') : 'FAIL';
  const [first = '', ...more] = detail.split('\n');
  // What was found in something that passes is a figure; a fault may take lines of its own.
  const figure =
    first === '' ? '' : pass && !warning ? `  (${first})` : `\n       ${[first, ...more].join('\n       ')}`;
  return `${mark}   ${group.padEnd(width)}  ${name}${figure}`;
}
