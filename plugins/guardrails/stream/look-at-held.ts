import type { MaybePromise, TargetContext } from 'portcullis/sdk';
import type { HookList } from '../definition/hook.ts';
import { runBeside } from '../run/beside.ts';
import { lookAtStream } from '../run/look-at.ts';
import { mergedRuns } from '../run/merged-runs.ts';
import type { Running } from '../run/run-check.ts';
import { denies, type HookRun, passes } from '../run/runs.ts';
import { whenDone } from '../run/settled.ts';
import { editsByPart, editsInAll, heldEditsOf, readingAsSent } from './held-edits.ts';
import { behindSaid, heldAlone } from './said.ts';
import type { HeldEdits } from './window-buffer.ts';
import type { Looked, WindowOptions } from './window-options.ts';

const softText = 'The answer was stopped by a guardrail.';

/**
 * Looks at what is held of one stream. Each hook sees the text as the model said it: all edits are made together when the
 * piece is released. Once something has been changed that an imposed hook has not seen, imposed ones also look at what
 * the client would get, behind what it has got.
 */
export function heldLook(target: TargetContext, list: HookList, running: Running): WindowOptions['look'] {
  const { imposed } = list;
  const insisting = { imposed, hooks: list.hooks.filter((hook) => imposed.has(hook) && !hook.shadow) };
  const alone = insisting.hooks.length === 1;
  const bearsOthers = insisting.hooks.length > 0 && list.hooks.length > 1;
  let changed = false;
  return (reading, sent, said) =>
    whenDone(runBeside(list, lookAtStream(target, reading), running), (runs): MaybePromise<Looked> => {
      const edits = behindSaid(heldEditsOf(runs, imposed), said);
      changed ||= bearsOthers && runs.some(({ hook, transformed }) => transformed && (!alone || !imposed.has(hook)));
      if (!changed || runs.some(denies)) return looked(runs, edits);
      const held = heldAlone(reading, said);
      const asSent = readingAsSent(held, edits, sent);
      return whenDone(runBeside(insisting, lookAtStream(target, asSent), running), (again) =>
        looked(mergedRuns(runs, again), editsInAll(held, edits, sent, editsByPart(again))),
      );
    });
}

function looked(runs: readonly HookRun[], edits: HeldEdits): Looked {
  const denying = runs.filter(denies);
  const failed = denying.flatMap(({ checks }) => checks.filter((check) => !passes(check)));
  const soft = failed.length > 0 && failed.every(({ check }) => check.softDeny);
  const message = denying.find(({ hook }) => hook.message !== undefined)?.hook.message;
  return {
    runs,
    denied: denying.length > 0,
    replacement: soft ? (message ?? softText) : undefined,
    edits,
  };
}
