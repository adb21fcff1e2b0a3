import { GatewayError, type JsonObject, type MaybePromise } from 'portcullis/sdk';
import type { Hook } from '../definition/hook.ts';
import { patched } from '../scan/patch.ts';
import { type Running, runCheck } from './run-check.ts';
import { type CheckRun, denies, type HookRun, passes, transforms } from './runs.ts';
import type { Look } from './subject.ts';

/** What a phase came to. */
export interface PhaseRun {
  readonly runs: readonly HookRun[];
  /** Of the part that the phase is about, after all edits; the very object that was given when there were none. */
  readonly part: JsonObject;
}

/** A look at the part as it stands after edits. */
export type LookAgain = (part: JsonObject) => Look;

/**
 * Runs the hooks of a phase that are not async: guardrails that stand side by side on the original text, all at once; then
 * sequential ones, each on what those before it made; then mutators in their order. A denial ends it.
 * No promise where no check needs one.
 */
export function runHooks(
  hooks: readonly Hook[],
  part: JsonObject,
  lookAt: LookAgain,
  running: Running,
): MaybePromise<PhaseRun> {
  const due = hooks.filter(({ async }) => !async);
  const parallel = due.filter(({ type, sequential }) => type === 'guardrail' && !sequential);
  const ordered = [
    ...due.filter(({ type, sequential }) => type === 'guardrail' && sequential),
    ...due.filter(({ type }) => type === 'mutator'),
  ];
  const first = runParallel(parallel, part, lookAt, running);
  return first instanceof Promise
    ? first.then((phase) => runOrdered(ordered, phase, lookAt, running))
    : runOrdered(ordered, first, lookAt, running);
}

/** Runs hooks side by side on one look, whatever their order, and applies no edit: what they want is in their runs. */
export function runBeside(hooks: readonly Hook[], look: Look, running: Running): MaybePromise<readonly HookRun[]> {
  const runs = hooks.map((hook) => {
    const checks = hook.checks.map((check) => runCheck(check, look, running));
    return settled(checks, (all) => hookRun(hook, all));
  });
  return settled(runs, (all) => all);
}

function runParallel(
  hooks: readonly Hook[],
  part: JsonObject,
  lookAt: LookAgain,
  running: Running,
): MaybePromise<PhaseRun> {
  if (hooks.length === 0) return { runs: [], part };
  const look = lookAt(part);
  const finished = (runs: readonly HookRun[]) => applied(part, look, runs);
  const runs = runBeside(hooks, look, running);
  return runs instanceof Promise ? runs.then(finished) : finished(runs);
}

function runOrdered(
  hooks: readonly Hook[],
  phase: PhaseRun,
  lookAt: LookAgain,
  running: Running,
  from = 0,
): MaybePromise<PhaseRun> {
  let current = phase;
  for (let index = from; index < hooks.length && !current.runs.some(denies); index += 1) {
    const hook = hooks[index];
    if (hook === undefined) break;
    const { runs, part } = current;
    const next = runInOrder(hook, part, lookAt, running);
    const add = (one: { readonly run: HookRun; readonly part: JsonObject }): PhaseRun => ({
      runs: [...runs, one.run],
      part: denies(one.run) ? part : one.part,
    });
    if (next instanceof Promise) return next.then((one) => runOrdered(hooks, add(one), lookAt, running, index + 1));
    current = add(next);
  }
  return current;
}

/** The checks of one hook, each on what the one before it made. */
function runInOrder(
  hook: Hook,
  part: JsonObject,
  lookAt: LookAgain,
  running: Running,
  done: readonly CheckRun[] = [],
): MaybePromise<{ readonly run: HookRun; readonly part: JsonObject }> {
  const check = hook.checks[done.length];
  if (check === undefined) return { run: hookRun(hook, done), part };
  const look = lookAt(part);
  const next = (run: CheckRun) => {
    if (hook.shadow || !transforms(run)) return runInOrder(hook, part, lookAt, running, [...done, run]);
    const edited = tried(part, look, run);
    if (!GatewayError.is(edited)) return runInOrder(hook, edited, lookAt, running, [...done, run]);
    return runInOrder(hook, part, lookAt, running, [...done, { ...run, verdict: undefined, error: edited }]);
  };
  const run = runCheck(check, look, running);
  return run instanceof Promise ? run.then(next) : next(run);
}

export function hookRun(hook: Hook, checks: readonly CheckRun[]): HookRun {
  const startedAt = Math.min(...checks.map((run) => run.startedAt));
  const endedAt = Math.max(...checks.map((run) => run.startedAt + run.durationMs));
  return {
    hook,
    checks,
    verdict: checks.every(passes),
    transformed: !hook.shadow && checks.some(transforms),
    startedAt,
    durationMs: endedAt - startedAt,
  };
}

/** All edits of the runs that count, together: none of them is lost, unless something is denied. */
function applied(part: JsonObject, look: Look, runs: readonly HookRun[]): PhaseRun {
  if (runs.some(denies)) return { runs, part };
  const checks = runs.filter(({ transformed }) => transformed).flatMap((run) => run.checks.filter(transforms));
  if (checks.length === 0) return { runs, part };
  try {
    return { runs, part: edit(part, look, checks) };
  } catch (error) {
    const left = runs.map((run) => withoutUnappliable(part, look, run));
    // Each can be applied alone: what they do to each other is nobody's fault, and must not be let through.
    if (left.every((run, index) => run === runs[index])) throw error;
    return applied(part, look, left);
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
function tried(part: JsonObject, look: Look, run: CheckRun): JsonObject | GatewayError {
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

/** As Promise.all, but without one where nothing is a promise. */
export function settled<T, R>(items: readonly MaybePromise<T>[], then: (all: readonly T[]) => R): MaybePromise<R> {
  return items.some((item) => item instanceof Promise) ? Promise.all(items).then(then) : then(items as readonly T[]);
}
