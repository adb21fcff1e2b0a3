import { setImmediate } from 'node:timers/promises';
import type { MaybePromise } from 'portcullis/sdk';
import type { Hook, HookCheck, HookList } from '../definition/hook.ts';
import { type Running, runCheck } from './run-check.ts';
import { type CheckRun, type HookRun, hookRun } from './runs.ts';
import { settled } from './settled.ts';
import type { Look } from './subject.ts';

/** Milliseconds that checks may take at a stretch before others have their turn. */
export const longestStretchMs = 20;

/** @param at when it starts; undefined: nobody has looked at a clock */
type Start = (check: HookCheck, hook: Hook, at: number | undefined) => MaybePromise<CheckRun>;

/** Runs hooks side by side on one look, whatever their order, and applies no edit: what they want is in their runs. */
export function runBeside(
  { hooks, imposed }: HookList,
  look: Look,
  running: Running,
): MaybePromise<readonly HookRun[]> {
  return startAll(hooks, (check, hook, at) => runCheck(check, look, running, imposed.has(hook), at));
}

/** Starts all checks of the hooks, in their order. No promise where no check needs one and all are done soon. */
export function startAll(hooks: readonly Hook[], start: Start): MaybePromise<readonly HookRun[]> {
  const started: MaybePromise<CheckRun>[][] = hooks.map(() => []);
  const later = startFrom(hooks, started, start);
  return later === undefined ? runsOf(hooks, started) : later.then(() => runsOf(hooks, started));
}

function runsOf(
  hooks: readonly Hook[],
  started: readonly (readonly MaybePromise<CheckRun>[])[],
): MaybePromise<readonly HookRun[]> {
  return settled(
    hooks.map((hook, index) => settled(started[index] ?? [], (all) => hookRun(hook, all))),
    (all) => all,
  );
}

function startFrom(
  hooks: readonly Hook[],
  started: readonly MaybePromise<CheckRun>[][],
  start: Start,
): Promise<void> | undefined {
  let stretchMs = 0;
  let index = 0;
  let at: number | undefined;
  for (const hook of hooks) {
    const own = started[index] ?? [];
    index += 1;
    for (let place = own.length; place < hook.checks.length; place += 1) {
      if (stretchMs > longestStretchMs) return setImmediate().then(() => startFrom(hooks, started, start));
      const run = start(hook.checks[place] as HookCheck, hook, at);
      // One that is done ends when the next one starts.
      at = run instanceof Promise ? undefined : run.startedAt + run.durationMs;
      if (!(run instanceof Promise)) stretchMs += run.durationMs;
      own.push(run);
    }
  }
  return undefined;
}
