import { type CheckRun, type HookRun, hookRun, passes, transforms } from './runs.ts';

/** The runs of hooks over several looks, each hook's as one: it failed when one of them did, and says why. */
export function mergedRuns(known: readonly HookRun[], next: readonly HookRun[]): readonly HookRun[] {
  const merged = known.map((run) => {
    const later = next.find(({ hook }) => hook === run.hook);
    return later === undefined ? run : merge(run, later);
  });
  return [...merged, ...next.filter(({ hook }) => !known.some((run) => run.hook === hook))];
}

function merge(earlier: HookRun, later: HookRun): HookRun {
  const checks = earlier.checks.map((check, index) => {
    const again = later.checks[index];
    return again === undefined ? check : telling(check, again);
  });
  return {
    ...hookRun(earlier.hook, checks),
    transformed: earlier.transformed || later.transformed,
    verdict: earlier.verdict && later.verdict,
    startedAt: earlier.startedAt,
    durationMs: earlier.durationMs + later.durationMs,
  };
}

/** Of two runs of a check the one that says more: the first that failed, else the first that changed something, else the last. */
function telling(earlier: CheckRun, later: CheckRun): CheckRun {
  const durationMs = earlier.durationMs + later.durationMs;
  const chosen = !passes(earlier) || (passes(later) && transforms(earlier)) ? earlier : later;
  return { ...chosen, startedAt: earlier.startedAt, durationMs };
}
