import { setImmediate } from 'node:timers/promises';
import { GatewayError, type JsonObject, type MaybePromise } from 'portcullis/sdk';
import type { Hook, HookList } from '../definition/hook.ts';
import { applied, type PhaseRun, tried } from './apply.ts';
import { longestStretchMs, runBeside } from './beside.ts';
import { imposedAgain } from './imposed.ts';
import { type Running, runCheck } from './run-check.ts';
import { type CheckRun, denies, type HookRun, hookRun, transforms } from './runs.ts';
import { whenDone } from './settled.ts';
import type { Look } from './subject.ts';

/** A look at the part as it stands after edits. */
export type LookAgain = (part: JsonObject) => Look;

/** What all runs of a phase share. */
interface Phase {
  readonly imposed: ReadonlySet<Hook>;
  readonly lookAt: LookAgain;
  readonly running: Running;
}

/**
 * Runs the hooks of a phase that are not async: guardrails that stand side by side on the original text, all at once; then
 * sequential ones, each on what those before it made; then mutators in their order. A denial ends it. Imposed ones run
 * before all others where one of them is sequential, and look again at the end at what others have changed.
 * No promise where no check needs one.
 */
export function runHooks(
  list: HookList,
  part: JsonObject,
  lookAt: LookAgain,
  running: Running,
): MaybePromise<PhaseRun> {
  const { imposed } = list;
  const phase = { imposed, lookAt, running };
  const ran = runRounds(roundsOf(list), { runs: [], part }, phase);
  return imposed.size === 0 ? ran : whenDone(ran, (all) => imposedAgain(all, imposed, lookAt, running));
}

/** Of one round, those that stand side by side, and those that run one after the other. */
interface Round {
  readonly beside: readonly Hook[];
  readonly ordered: readonly Hook[];
}

const arranged = new WeakMap<HookList, readonly Round[]>();

/** Who runs when. Lists stay the same from request to request. */
function roundsOf(list: HookList): readonly Round[] {
  const known = arranged.get(list);
  if (known !== undefined) return known;
  const { hooks, imposed } = list;
  const due = hooks.filter(({ async }) => !async);
  const own = due.filter((hook) => imposed.has(hook));
  // What others make of a text must not be the first that a sequential one sees.
  const apart = own.length < due.length && own.some(({ sequential }) => sequential);
  const rounds = (apart ? [own, due.filter((hook) => !imposed.has(hook))] : [due]).map(roundOf);
  arranged.set(list, rounds);
  return rounds;
}

function roundOf(hooks: readonly Hook[]): Round {
  const guardrails = hooks.filter(({ type }) => type === 'guardrail');
  const sequential = guardrails.filter((hook) => hook.sequential);
  const mutators = hooks.filter(({ type }) => type === 'mutator');
  return { beside: guardrails.filter((hook) => !hook.sequential), ordered: [...sequential, ...mutators] };
}

function runRounds(rounds: readonly Round[], before: PhaseRun, phase: Phase, from = 0): MaybePromise<PhaseRun> {
  let current = before;
  for (let index = from; index < rounds.length && !current.runs.some(denies); index += 1) {
    const next = runRound(rounds[index] as Round, current, phase);
    if (next instanceof Promise) return next.then((ran) => runRounds(rounds, ran, phase, index + 1));
    current = next;
  }
  return current;
}

function runRound({ beside, ordered }: Round, before: PhaseRun, phase: Phase): MaybePromise<PhaseRun> {
  const ran = runParallel(beside, before, phase);
  if (ordered.length === 0) return ran;
  return whenDone(ran, (after) => runOrdered(ordered, after, phase));
}

function runParallel(
  hooks: readonly Hook[],
  before: PhaseRun,
  { imposed, lookAt, running }: Phase,
): MaybePromise<PhaseRun> {
  if (hooks.length === 0) return before;
  const look = lookAt(before.part);
  return whenDone(runBeside({ hooks, imposed }, look, running), (given) => {
    const ran = applied(before.part, look, given, imposed);
    return before.runs.length === 0 ? ran : { runs: [...before.runs, ...ran.runs], part: ran.part };
  });
}

function runOrdered(hooks: readonly Hook[], before: PhaseRun, phase: Phase, from = 0): MaybePromise<PhaseRun> {
  let current = before;
  for (let index = from; index < hooks.length && !current.runs.some(denies); index += 1) {
    const hook = hooks[index];
    if (hook === undefined) break;
    const { runs, part } = current;
    const next = runInOrder(hook, part, phase);
    const add = (one: { readonly run: HookRun; readonly part: JsonObject }): PhaseRun => ({
      runs: [...runs, one.run],
      part: denies(one.run) ? part : one.part,
    });
    if (next instanceof Promise) return next.then((one) => runOrdered(hooks, add(one), phase, index + 1));
    current = add(next);
  }
  return current;
}

/** The checks of one hook, each on what the one before it made. */
function runInOrder(
  hook: Hook,
  part: JsonObject,
  phase: Phase,
  done: readonly CheckRun[] = [],
): MaybePromise<{ readonly run: HookRun; readonly part: JsonObject }> {
  const check = hook.checks[done.length];
  if (check === undefined) return { run: hookRun(hook, done), part };
  const look = phase.lookAt(part);
  const next = (run: CheckRun) => {
    if (hook.shadow || !transforms(run)) return runInOrder(hook, part, phase, [...done, run]);
    const edited = tried(part, look, run);
    if (!GatewayError.is(edited)) return runInOrder(hook, edited, phase, [...done, run]);
    return runInOrder(hook, part, phase, [...done, { ...run, verdict: undefined, error: edited }]);
  };
  const run = runCheck(check, look, phase.running, phase.imposed.has(hook));
  if (run instanceof Promise) return run.then(next);
  return run.durationMs > longestStretchMs ? setImmediate(run).then(next) : next(run);
}
