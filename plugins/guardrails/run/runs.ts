import type { GatewayError, Verdict } from 'portcullis/sdk';
import type { Hook, HookCheck } from '../definition/hook.ts';
import type { Scan } from '../scan/scan.ts';

/** What became of one check. */
export interface CheckRun {
  readonly check: HookCheck;
  /** Undefined: it gave none. */
  readonly verdict: Verdict | undefined;
  /** What kept it from giving one. */
  readonly error: GatewayError | undefined;
  /** Why there was nothing for it to look at. */
  readonly skipped: string | undefined;
  /** Epoch milliseconds. */
  readonly startedAt: number;
  readonly durationMs: number;
  /** What its edits count in. */
  readonly scan: Scan;
}

/** What became of one hook. */
export interface HookRun {
  readonly hook: Hook;
  readonly checks: readonly CheckRun[];
  readonly verdict: boolean;
  readonly transformed: boolean;
  readonly startedAt: number;
  readonly durationMs: number;
  /** Of a stream that was looked at piece by piece. */
  readonly windows?: WindowCost;
}

/** What looking at a stream piece by piece has cost. */
export interface WindowCost {
  readonly looks: number;
  /** Milliseconds that the first text had to wait; undefined: no text has gone out. */
  readonly addedMs: number | undefined;
}

/** Whether a check counts as passed, by what is said of checks without verdict. */
export function passes({ check, verdict, error }: CheckRun): boolean {
  if (verdict !== undefined) return verdict.pass;
  return error === undefined || check.onError === 'pass';
}

export function denies({ hook, verdict }: HookRun): boolean {
  return !verdict && hook.deny && !hook.async && !hook.shadow;
}

/** It failed, and the request goes on. */
export function warns({ hook, verdict, checks }: HookRun): boolean {
  if (hook.async || hook.shadow || hook.deny) return false;
  return !verdict || (hook.type === 'mutator' && checks.some(({ error }) => error !== undefined));
}

export function transforms({ verdict }: CheckRun): boolean {
  return (verdict?.edits?.length ?? 0) > 0;
}

export function hookRun(hook: Hook, checks: readonly CheckRun[]): HookRun {
  let [startedAt, endedAt, verdict, transformed] = [Number.POSITIVE_INFINITY, 0, true, false];
  for (const run of checks) {
    startedAt = Math.min(startedAt, run.startedAt);
    endedAt = Math.max(endedAt, run.startedAt + run.durationMs);
    verdict &&= passes(run);
    transformed ||= transforms(run);
  }
  return {
    hook,
    checks,
    verdict,
    transformed: transformed && !hook.shadow,
    startedAt,
    durationMs: endedAt - startedAt,
  };
}
