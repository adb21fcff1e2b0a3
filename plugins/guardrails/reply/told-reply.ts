import type { Outcome, TargetContext } from 'portcullis/sdk';
import type { HookRun } from '../run/runs.ts';
import { isJson, withResults } from './append.ts';
import { hookResults } from './results.ts';
import { warned } from './warned.ts';

/** The reply with what all hooks said. */
export function toldReply(
  target: TargetContext,
  outcome: Outcome,
  bytes: Uint8Array,
  before: readonly HookRun[],
  after: readonly HookRun[],
): Outcome {
  const tells = before.length + after.length > 0 && isJson(outcome) && target.request.endpoint !== 'proxy';
  const shown = tells ? withResults(bytes, hookResults(before, after)) : bytes;
  return { ...outcome, status: warned(outcome, [...before, ...after]), body: { kind: 'bytes', bytes: shown } };
}
