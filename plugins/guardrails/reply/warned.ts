import type { Outcome } from 'portcullis/sdk';
import { type HookRun, warns } from '../run/runs.ts';

/** 246 says that a guardrail failed, and that the reply is there all the same. */
export function warned({ status }: Outcome, runs: readonly HookRun[]): number {
  return status === 200 && runs.some(warns) ? 246 : status;
}
