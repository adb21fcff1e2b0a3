import type { MaybePromise, TargetContext } from 'portcullis/sdk';
import type { HookList } from '../definition/hook.ts';
import { runBeside } from '../run/beside.ts';
import { lookAtStream } from '../run/look-at.ts';
import { mergedRuns } from '../run/merged-runs.ts';
import { type PartRules, roundsOf, runRounds } from '../run/rounds.ts';
import type { Running } from '../run/run-check.ts';
import { denies, type HookRun, passes } from '../run/runs.ts';
import { whenDone } from '../run/settled.ts';
import type { Look } from '../run/subject.ts';
import type { Reading } from '../scan/reading.ts';
import { editsByPart, editsInAll, editsOfChecks, heldEditsOf, readingAsSent } from './held-edits.ts';
import { behindSaid, heldAlone } from './said.ts';
import type { HeldEdits } from './window-buffer.ts';
import type { Looked, WindowOptions } from './window-options.ts';

/** Of the request whose stream it is. */
export interface LookingFacts {
  readonly target: TargetContext;
  readonly running: Running;
  /** Whether guardrails have changed the request. */
  readonly changed: boolean;
}

const softText = 'The answer was stopped by a guardrail.';
const unedited: HeldEdits = new Map();

/**
 * Looks at what is held of one stream, in the order in which hooks look at whole replies: side by side as the model said
 * it, then one by one as those before them made it. All edits are made together when the piece is released. Once
 * something has been changed that an imposed hook has not seen, imposed ones also look at what the client would get,
 * behind what it has got.
 */
export function heldLook({ target, running, changed: request }: LookingFacts, list: HookList): WindowOptions['look'] {
  const { imposed } = list;
  const rounds = roundsOf(list);
  const insisting = { imposed, hooks: list.hooks.filter((hook) => imposed.has(hook) && !hook.shadow) };
  const alone = insisting.hooks.length === 1;
  const bearsOthers = insisting.hooks.length > 0 && list.hooks.length > 1;
  const lookAt = (reading: Reading, reply: boolean) => lookAtStream(target, reading, { request, reply });
  let changed = false;
  return (reading, sent, said) => {
    const phase = { imposed, running, ...rulesOf(lookAt, list, reading) };
    return whenDone(runRounds(rounds, { runs: [], part: unedited }, phase), ({ runs, part }): MaybePromise<Looked> => {
      const edits = behindSaid(part, said);
      changed ||= bearsOthers && runs.some(({ hook, transformed }) => transformed && (!alone || !imposed.has(hook)));
      if (!changed || runs.some(denies)) return looked(runs, edits);
      const held = heldAlone(reading, said);
      const asSent = readingAsSent(held, edits, sent);
      return whenDone(runBeside(insisting, lookAt(asSent, edits.size > 0), running), (again) =>
        looked(mergedRuns(runs, again), editsInAll(held, edits, editsByPart(again), sent)),
      );
    });
  };
}

/** What is edited of a reading are its edits so far: what they are made in stays as the model said it. */
function rulesOf(
  lookAt: (reading: Reading, changed: boolean) => Look,
  { imposed }: HookList,
  reading: Reading,
): PartRules<HeldEdits> {
  return {
    lookAt: (edits) =>
      edits === unedited ? lookAt(reading, false) : lookAt(readingAsSent(reading, edits), edits.size > 0),
    applied: (edits, _, runs) => {
      if (!runs.some(({ transformed }) => transformed) || runs.some(denies)) return { runs, part: edits };
      return { runs, part: editsInAll(reading, edits, heldEditsOf(runs, imposed)) };
    },
    tried: (edits, _, run) => editsInAll(reading, edits, editsOfChecks([run])),
  };
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
