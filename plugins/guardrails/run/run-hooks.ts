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
  { hooks, imposed }: HookList,
  part: JsonObject,
  lookAt: LookAgain,
  running: Running,
): MaybePromise<PhaseRun> {
  const phase = { imposed, lookAt, running };
  const due = hooks.filter(({ async }) => !async);
  const own = imposed.size === 0 ? [] : due.filter((hook) => imposed.has(hook));
  if (own.length === 0 || own.length === due.length)
    return whenDone(runAll(due, { runs: [], part }, phase), (ran) => insisted(ran, phase));
  // What others make of a text must not be the first that a sequential one sees.
  const ran = own.some(({ sequential }) => sequential)
    ? whenDone(runAll(own, { runs: [], part }, phase), (first) =>
        runAll(
          due.filter((hook) => !imposed.has(hook)),
          first,
          phase,
        ),
      )
    : runAll(due, { runs: [], part }, phase);
  return whenDone(ran, (all) => insisted(all, phase));
}

function insisted(ran: PhaseRun, { imposed, lookAt, running }: Phase): MaybePromise<PhaseRun> {
  return imposed.size === 0 ? ran : imposedAgain(ran, imposed, lookAt, running);
}

function runAll(hooks: readonly Hook[], before: PhaseRun, phase: Phase): MaybePromise<PhaseRun> {
  if (before.runs.some(denies)) return before;
  const parallel = hooks.filter(({ type, sequential }) => type === 'guardrail' && !sequential);
  const ordered = [
    ...hooks.filter(({ type, sequential }) => type === 'guardrail' && sequential),
    ...hooks.filter(({ type }) => type === 'mutator'),
  ];
  return whenDone(runParallel(parallel, before, phase), (ran) => runOrdered(ordered, ran, phase));
}

function runParallel(
  hooks: readonly Hook[],
  before: PhaseRun,
  { imposed, lookAt, running }: Phase,
): MaybePromise<PhaseRun> {
  if (hooks.length === 0) return before;
  const look = lookAt(before.part);
  return whenDone(runBeside({ hooks, imposed }, look, running), (given) => {
    const { runs, part } = applied(before.part, look, given, imposed);
    return { runs: [...before.runs, ...runs], part };
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
