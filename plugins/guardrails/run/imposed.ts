import type { Edit, MaybePromise } from 'portcullis/sdk';
import type { Hook } from '../definition/hook.ts';
import type { Reading } from '../scan/reading.ts';
import { applied, type PhaseRun } from './apply.ts';
import { startAll } from './beside.ts';
import { mergedRuns } from './merged-runs.ts';
import { type Running, runCheck } from './run-check.ts';
import { type CheckRun, denies, type HookRun, hookRun } from './runs.ts';
import { whenDone } from './settled.ts';
import type { Look } from './subject.ts';

type MessageEdit = Extract<Edit, { message: string }>;

/**
 * Has imposed hooks look once more, side by side, at what the edits of all others have made: what was not there when they
 * looked may be there now. Once is enough to bound the work, and where nobody else changed anything, nothing is done.
 */
export function imposedAgain(
  phase: PhaseRun,
  imposed: ReadonlySet<Hook>,
  lookAt: (part: PhaseRun['part']) => Look,
  running: Running,
): MaybePromise<PhaseRun> {
  const { runs, part } = phase;
  const stale = runs.filter((run, index) => imposed.has(run.hook) && !run.hook.shadow && changedSince(runs, index));
  if (stale.length === 0 || runs.some(denies)) return phase;
  const look = lookAt(part);
  const known = new Map(stale.flatMap(({ checks }) => checks.map((run) => [run.check, run] as const)));
  const again = startAll(
    stale.map(({ hook }) => hook),
    (check) => {
      const earlier = known.get(check);
      if (earlier === undefined || !onlyAdds(earlier)) return runCheck(check, look, running, true);
      return { ...earlier, durationMs: 0 };
    },
  );
  return whenDone(again, (next) => {
    const second = applied(
      part,
      look,
      next.map((run) => withoutAddedTwice(run, look.reading)),
      imposed,
    );
    return { runs: mergedRuns(runs, second.runs), part: second.part };
  });
}

/** Sequential ones have seen the edits of those before them. */
function changedSince(runs: readonly HookRun[], index: number): boolean {
  const from = runs[index]?.hook.sequential === true ? index : -1;
  return runs.some(({ transformed }, other) => transformed && other !== index && other > from);
}

/** It judges nothing, and what it has added need not be made again. */
function onlyAdds({ check, verdict }: CheckRun): boolean {
  return check.ready.summary.edits === 'only' && verdict?.edits?.some((edit) => 'message' in edit) === true;
}

/** What was added, and still stands there, is not added once more. */
function withoutAddedTwice(run: HookRun, reading: Reading): HookRun {
  if (!run.checks.some(({ verdict }) => verdict?.edits?.some((edit) => 'message' in edit) === true)) return run;
  const checks = run.checks.map((check) => {
    const { verdict } = check;
    if (verdict?.edits === undefined) return check;
    const adds = onlyAdds(check);
    const edits = verdict.edits.filter((edit) => ('message' in edit ? !stands(edit, reading) : !adds));
    return { ...check, verdict: { ...verdict, edits } };
  });
  return hookRun(run.hook, checks);
}

function stands({ message, add }: MessageEdit, { fragments }: Reading): boolean {
  return fragments.some(({ role, text }) => role === message && text.includes(add));
}
