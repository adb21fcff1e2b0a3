import { compact, type Json, type JsonObject } from 'portcullis/sdk';
import { type CheckRun, type HookRun, transforms, type WindowCost } from '../run/runs.ts';

/** `hook_results` as clients read them. A phase without any hook is an empty list; one still to come is left out. */
export function hookResults(before: readonly HookRun[], after: readonly HookRun[] | undefined): JsonObject {
  return {
    before_request_hooks: before.map(hookResult),
    ...(after === undefined ? {} : { after_request_hooks: after.map(hookResult) }),
  };
}

export function hookResult(run: HookRun): JsonObject {
  const { hook, checks, verdict, transformed, startedAt, durationMs, windows } = run;
  const result = {
    verdict,
    id: hook.id,
    transformed,
    checks: checks.map(checkResult),
    feedback: feedbackOf(run),
    execution_time: durationMs,
    async: hook.async,
    type: hook.type,
    created_at: isoTime(startedAt),
    deny: hook.deny,
  };
  const skipped = checks.length > 0 && checks.every((check) => check.skipped !== undefined);
  if (!hook.shadow && !skipped && windows === undefined) return result;
  return {
    ...result,
    ...(hook.shadow ? { mode: 'shadow' } : {}),
    ...(skipped ? { skipped } : {}),
    ...(windows === undefined ? {} : { stream: windowCost(windows) }),
  };
}

function windowCost({ looks, addedMs }: WindowCost): JsonObject {
  return { mode: 'window', looks, ...(addedMs === undefined ? {} : { added_ttft_ms: addedMs }) };
}

function checkResult(run: CheckRun): JsonObject {
  const { check, verdict, error, skipped, startedAt, durationMs } = run;
  const result = {
    data: dataOf(verdict),
    verdict: verdict?.pass ?? skipped !== undefined,
    id: check.ready.summary.id,
    execution_time: durationMs,
    transformed: transforms(run),
    created_at: isoTime(startedAt),
    fail_on_error: check.onError === 'deny',
  };
  if (error !== undefined) return { ...result, error: { name: error.code, message: error.message } };
  return skipped === undefined ? result : { ...result, skipped: true, reason: skipped };
}

/** A sentence for people goes where programs look as well, when there is nothing else. */
function dataOf(verdict: CheckRun['verdict']): Json {
  if (verdict === undefined) return null;
  return verdict.data ?? (verdict.why === undefined ? null : { explanation: verdict.why });
}

export function feedbackOf({ hook, checks, verdict }: HookRun): JsonObject | null {
  const rule = verdict ? hook.onSuccess : hook.onFail;
  if (rule === undefined) return null;
  const ids = (wanted: (run: CheckRun) => boolean) =>
    checks
      .filter(wanted)
      .map(({ check }) => check.ready.summary.id)
      .join(', ');
  return {
    value: rule.value,
    weight: rule.weight,
    metadata: compact({
      ...rule.metadata,
      successfulChecks: ids((run) => run.verdict?.pass === true),
      failedChecks: ids((run) => run.verdict?.pass === false),
      erroredChecks: ids(({ error }) => error !== undefined),
    }),
  };
}

let lastSecond = -1;
let upToSecond = '';

/** Hooks begin in the same second more often than not, and to write a whole date takes as long as a small check. */
function isoTime(ms: number): string {
  const second = Math.floor(ms / 1000);
  if (second !== lastSecond) {
    lastSecond = second;
    upToSecond = new Date(second * 1000).toISOString().slice(0, -4);
  }
  return `${upToSecond}${String(Math.floor(ms - second * 1000)).padStart(3, '0')}Z`;
}
