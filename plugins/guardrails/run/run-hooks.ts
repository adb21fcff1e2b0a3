import type { JsonObject, MaybePromise } from 'portcullis/sdk';
import type { HookList } from '../definition/hook.ts';
import { applied, type PhaseRun, tried } from './apply.ts';
import { imposedAgain } from './imposed.ts';
import { type Round, roundsOf, runRounds } from './rounds.ts';
import type { Running } from './run-check.ts';
import { whenDone } from './settled.ts';
import type { Look } from './subject.ts';

/** A look at the part as it stands after edits. */
export type LookAgain = (part: JsonObject) => Look;

const arranged = new WeakMap<HookList, readonly Round[]>();

/**
 * Runs the hooks of a phase that are not async, in their rounds. Imposed ones run before all others where one of them is
 * sequential, and look again at the end at what others have changed. No promise where no check needs one.
 */
export function runHooks(
  list: HookList,
  part: JsonObject,
  lookAt: LookAgain,
  running: Running,
): MaybePromise<PhaseRun> {
  const { imposed } = list;
  const phase = {
    imposed,
    lookAt,
    running,
    applied: (before: JsonObject, look: Look, given: PhaseRun['runs']) => applied(before, look, given, imposed),
    tried,
  };
  const ran = runRounds(roundsKept(list), { runs: [], part }, phase);
  return imposed.size === 0 ? ran : whenDone(ran, (all) => imposedAgain(all, imposed, lookAt, running));
}

/** Lists stay the same from request to request. */
function roundsKept(list: HookList): readonly Round[] {
  const known = arranged.get(list);
  if (known !== undefined) return known;
  const rounds = roundsOf(list);
  arranged.set(list, rounds);
  return rounds;
}
