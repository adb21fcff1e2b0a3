import { GatewayError, type JsonObject } from 'portcullis/sdk';
import type { Hook } from '../definition/hook.ts';
import { patched } from '../scan/patch.ts';
import { givingWay } from './give-way.ts';
import type { RoundsRun } from './rounds.ts';
import { type CheckRun, denies, type HookRun, hookRun, transforms } from './runs.ts';
import type { Look } from './subject.ts';

/** What a phase came to; its part is the very object that was given when there were no edits. */
export type PhaseRun = RoundsRun<JsonObject>;

/** All edits of the runs that count, together: none of them is lost, unless something is denied. */
export function applied(part: JsonObject, look: Look, given: readonly HookRun[], imposed: ReadonlySet<Hook>): PhaseRun {
  if (!given.some(({ transformed }) => transformed) || given.some(denies)) return { runs: given, part };
  const runs = givingWay(given, imposed);
  const checks = runs.filter(({ transformed }) => transformed).flatMap((run) => run.checks.filter(transforms));
  if (checks.length === 0) return { runs, part };
  try {
    return { runs, part: edit(part, look, checks) };
  } catch (error) {
    const left = runs.map((run) => withoutUnappliable(part, look, run));
    // Each can be applied alone: what they do to each other is nobody's fault, and must not be let through.
    if (left.every((run, index) => run === runs[index])) throw error;
    return applied(part, look, left, imposed);
  }
}

/** A check whose edits cannot be applied has given no verdict. */
function withoutUnappliable(part: JsonObject, look: Look, run: HookRun): HookRun {
  if (!run.transformed) return run;
  const checks = run.checks.map((check) => {
    const edited = transforms(check) ? tried(part, look, check) : part;
    return GatewayError.is(edited) ? { ...check, verdict: undefined, error: edited } : check;
  });
  return checks.every((check, index) => check === run.checks[index]) ? run : hookRun(run.hook, checks);
}

/** The part after the edits of one check, or why they cannot be applied. */
export function tried(part: JsonObject, look: Look, run: CheckRun): JsonObject | GatewayError {
  try {
    return edit(part, look, [run]);
  } catch (error) {
    if (GatewayError.is(error)) return error;
    throw error;
  }
}

function edit(part: JsonObject, { reading, phase, target }: Look, runs: readonly CheckRun[]): JsonObject {
  const edits = runs.map(({ scan, verdict }) => ({ scan, edits: verdict?.edits ?? [] }));
  return patched(part, reading, edits, {
    dialect: target.request.dialect,
    part: phase === 'beforeRequest' ? 'request' : 'reply',
  });
}
