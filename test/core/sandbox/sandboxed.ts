import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { after } from 'node:test';
import type { CheckInput, Json, Verdict } from 'portcullis/sdk';
import { type CheckHostOptions, checkInput, createCheckHost } from 'portcullis/sdk/testing';
import { bundleCode } from '../../../core/sandbox/bundle.ts';
import { createSandbox, type Program, type Sandbox, type SandboxOptions } from '../../../core/sandbox/sandbox.ts';
import { recordingLog } from '../../support/recording-log.ts';

/** A sandbox that is closed after the tests, with the log that it writes. */
export function testSandbox(options: Partial<SandboxOptions> = {}) {
  const { log, logged } = recordingLog();
  const sandbox = createSandbox({ log, now: () => Date.now(), ...options });
  after(() => sandbox.close());
  return { sandbox, logged };
}

/** Code as a program of an organisation. */
export async function programOf(source: string, facts: Partial<Program> = {}): Promise<Program> {
  return {
    id: 'custom.code',
    organisation: 'acme',
    source: await bundleCode(source, 'code'),
    memoryMb: 32,
    outboundCalls: 10,
    kind: 'code',
    ...facts,
  };
}

export interface Try {
  readonly host?: CheckHostOptions;
  readonly input?: CheckInput;
  readonly timeoutMs?: number;
  readonly check?: string;
  readonly config?: Json;
  readonly credentials?: { readonly [key: string]: Json };
}

/** One run with a host of its own. Times are generous: other tests run beside it. */
export function runOf(sandbox: Sandbox, program: Program, attempt: Try = {}): Promise<Verdict> {
  const { host, input = checkInput(), timeoutMs = 5000, check = 'default', config = {}, credentials } = attempt;
  return sandbox.run(program, {
    check,
    config,
    input,
    host: createCheckHost(host),
    timeoutMs,
    ...(credentials === undefined ? {} : { credentials }),
  });
}

export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Resident memory of a process in MB. */
export function residentMb(pid: number): number {
  const status = `/proc/${pid}/status`;
  if (existsSync(status)) return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(status, 'utf8'))?.[1]) / 1024;
  return Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })) / 1024;
}

/** `NAME=value` of each variable that a process was started with. */
export function environmentOf(pid: number): readonly string[] {
  const file = `/proc/${pid}/environ`;
  const text = existsSync(file)
    ? readFileSync(file, 'utf8').replaceAll('\0', ' ')
    : execFileSync('ps', ['-E', '-o', 'command=', '-p', String(pid)], { encoding: 'utf8' });
  return text.split(' ').filter((word) => /^[A-Z_]+=/.test(word));
}
