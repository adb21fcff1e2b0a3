import type { MaybePromise, TargetContext, TextEdit } from 'portcullis/sdk';
import type { Hook } from '../definition/hook.ts';
import { lookAtStream } from '../run/look-at.ts';
import type { Running } from '../run/run-check.ts';
import { runBeside } from '../run/run-hooks.ts';
import { denies, type HookRun, passes, transforms } from '../run/runs.ts';
import type { Reading } from '../scan/reading.ts';
import type { HeldEdits } from './window-buffer.ts';
import type { Looked } from './window-options.ts';

const softText = 'The answer was stopped by a guardrail.';

/** Looks at what is held. Each hook sees the text as the model said it: all edits are made together when the piece is released. */
export function lookAtHeld(
  target: TargetContext,
  hooks: readonly Hook[],
  reading: Reading,
  running: Running,
): MaybePromise<Looked> {
  const runs = runBeside(hooks, lookAtStream(target, reading), running);
  return runs instanceof Promise ? runs.then(looked) : looked(runs);
}

function looked(runs: readonly HookRun[]): Looked {
  const denying = runs.filter(denies);
  const failed = denying.flatMap(({ checks }) => checks.filter((check) => !passes(check)));
  const soft = failed.length > 0 && failed.every(({ check }) => check.softDeny);
  const message = denying.find(({ hook }) => hook.message !== undefined)?.hook.message;
  return {
    runs,
    denied: denying.length > 0,
    replacement: soft ? (message ?? softText) : undefined,
    edits: editsOf(runs),
  };
}

/** By part; the path of a fragment names it. */
function editsOf(runs: readonly HookRun[]): HeldEdits {
  const edits = new Map<string, TextEdit[]>();
  const checks = runs.filter(({ transformed }) => transformed).flatMap((run) => run.checks.filter(transforms));
  for (const { scan, verdict } of checks) {
    for (const edit of verdict?.edits ?? []) {
      const place = 'text' in edit ? scan.places[edit.text] : undefined;
      if (place === undefined || !('text' in edit)) continue;
      const key = String(place.fragment.path[0]);
      const moved = { start: edit.start + place.offset, end: edit.end + place.offset, with: edit.with };
      edits.set(key, [...(edits.get(key) ?? []), moved]);
    }
  }
  return edits;
}
