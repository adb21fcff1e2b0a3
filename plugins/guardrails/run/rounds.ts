import { setImmediate } from 'node:timers/promises';
import { GatewayError, type MaybePromise } from 'portcullis/sdk';
import type { Hook, HookList } from '../definition/hook.ts';
import { longestStretchMs, runBeside } from './beside.ts';
import { type Running, runCheck } from './run-check.ts';
import { type CheckRun, denies, type HookRun, hookRun, transforms } from './runs.ts';
import { whenDone } from './settled.ts';
import type { Look } from './subject.ts';

/** What hooks have come to, and the part that they are about, after all edits. */
export interface RoundsRun<Part> {
  readonly runs: readonly HookRun[];
  readonly part: Part;
}

/** What a part is, to those who run hooks on it. */
export interface PartRules<Part> {
  /** A look at the part as it stands after edits. */
  readonly lookAt: (part: Part) => Look;
  /** The part after all edits of runs that looked at it together. */
  readonly applied: (part: Part, look: Look, given: readonly HookRun[]) => RoundsRun<Part>;
  /** The part after the edits of one check, or why they cannot be applied. */
  readonly tried: (part: Part, look: Look, run: CheckRun) => Part | GatewayError;
}

/** What all runs of a phase share. */
interface Phase<Part> extends PartRules<Part> {
  readonly imposed: ReadonlySet<Hook>;
  readonly running: Running;
}

/** Of one round, those that stand side by side, and those that run one after the other. */
export interface Round {
  readonly beside: readonly Hook[];
  readonly ordered: readonly Hook[];
}

/** Who runs when. */
export function roundsOf({ hooks, imposed }: HookList): readonly Round[] {
  const due = hooks.filter(({ async }) => !async);
  const own = due.filter((hook) => imposed.has(hook));
  // What others make of a text must not be the first that a sequential one sees.
  const apart = own.length < due.length && own.some(({ sequential }) => sequential);
  return (apart ? [own, due.filter((hook) => !imposed.has(hook))] : [due]).map(roundOf);
}

function roundOf(hooks: readonly Hook[]): Round {
  const guardrails = hooks.filter(({ type }) => type === 'guardrail');
  const sequential = guardrails.filter((hook) => hook.sequential);
  const mutators = hooks.filter(({ type }) => type === 'mutator');
  return { beside: guardrails.filter((hook) => !hook.sequential), ordered: [...sequential, ...mutators] };
}

/**
 * Guardrails that stand side by side, all at once; then sequential ones, each on what those before it made; then mutators in
 * their order. A denial ends it. No promise where no check needs one.
 */
export function runRounds<Part>(
  rounds: readonly Round[],
  before: RoundsRun<Part>,
  phase: Phase<Part>,
  from = 0,
): MaybePromise<RoundsRun<Part>> {
  let current = before;
  for (let index = from; index < rounds.length && !current.runs.some(denies); index += 1) {
    const next = runRound(rounds[index] as Round, current, phase);
    if (next instanceof Promise) return next.then((ran) => runRounds(rounds, ran, phase, index + 1));
    current = next;
  }
  return current;
}

function runRound<Part>(
  { beside, ordered }: Round,
  before: RoundsRun<Part>,
  phase: Phase<Part>,
): MaybePromise<RoundsRun<Part>> {
  const ran = runParallel(beside, before, phase);
  if (ordered.length === 0) return ran;
  return whenDone(ran, (after) => runOrdered(ordered, after, phase));
}

function runParallel<Part>(
  hooks: readonly Hook[],
  before: RoundsRun<Part>,
  { imposed, lookAt, applied, running }: Phase<Part>,
): MaybePromise<RoundsRun<Part>> {
  if (hooks.length === 0) return before;
  const look = lookAt(before.part);
  return whenDone(runBeside({ hooks, imposed }, look, running), (given) => {
    const ran = applied(before.part, look, given);
    return before.runs.length === 0 ? ran : { runs: [...before.runs, ...ran.runs], part: ran.part };
  });
}

function runOrdered<Part>(
  hooks: readonly Hook[],
  before: RoundsRun<Part>,
  phase: Phase<Part>,
  from = 0,
): MaybePromise<RoundsRun<Part>> {
  let current = before;
  for (let index = from; index < hooks.length && !current.runs.some(denies); index += 1) {
    const hook = hooks[index];
    if (hook === undefined) break;
    const { runs, part } = current;
    const next = runInOrder(hook, part, phase);
    const add = (one: { readonly run: HookRun; readonly part: Part }): RoundsRun<Part> => ({
      runs: [...runs, one.run],
      part: denies(one.run) ? part : one.part,
    });
    if (next instanceof Promise) return next.then((one) => runOrdered(hooks, add(one), phase, index + 1));
    current = add(next);
  }
  return current;
}

/** The checks of one hook, each on what the one before it made. */
function runInOrder<Part>(
  hook: Hook,
  part: Part,
  phase: Phase<Part>,
  done: readonly CheckRun[] = [],
): MaybePromise<{ readonly run: HookRun; readonly part: Part }> {
  const check = hook.checks[done.length];
  if (check === undefined) return { run: hookRun(hook, done), part };
  const look = phase.lookAt(part);
  const next = (run: CheckRun) => {
    if (hook.shadow || !transforms(run)) return runInOrder(hook, part, phase, [...done, run]);
    const edited = phase.tried(part, look, run);
    if (!GatewayError.is(edited)) return runInOrder(hook, edited, phase, [...done, run]);
    return runInOrder(hook, part, phase, [...done, { ...run, verdict: undefined, error: edited }]);
  };
  const run = runCheck(check, look, phase.running, phase.imposed.has(hook));
  if (run instanceof Promise) return run.then(next);
  return run.durationMs > longestStretchMs ? setImmediate(run).then(next) : next(run);
}
