import type { CheckPhase, TargetContext } from 'portcullis/sdk';
import type { Hook, HookList } from '../definition/hook.ts';
import { type Running, runCheck } from './run-check.ts';
import { type HookRun, hookRun } from './runs.ts';
import { settled } from './settled.ts';
import type { Look } from './subject.ts';

export interface Deferred {
  readonly hook: Hook;
  readonly imposed: boolean;
  readonly look: () => Look;
  readonly phase: CheckPhase;
}

/** What one request has come to so far, on its last target. */
export interface State {
  readonly target: TargetContext;
  readonly before: readonly HookRun[];
  /** Whether they have changed the request. */
  readonly changed: boolean;
  /** The hooks of the reply. */
  readonly after: HookList;
  /** What waits until the reply is out. */
  readonly deferred: Deferred[];
  /** Checks of a stream that nobody waits for. */
  readonly running: Promise<void>[];
}

/** Of a target whose reply is still to come. @param after the hooks of the reply */
export function stateOf(
  target: TargetContext,
  after: HookList,
  before: readonly HookRun[] = [],
  deferred: Deferred[] = [],
): State {
  return { target, before, changed: before.some(({ transformed }) => transformed), after, deferred, running: [] };
}

/** Runs what had to wait: it feeds logs and feedback, and nothing else. */
export async function settleRequest(
  state: State,
  running: Running,
  report: (target: TargetContext, phase: CheckPhase, runs: readonly HookRun[]) => void,
): Promise<void> {
  await Promise.all(state.running);
  const runs = await Promise.all(
    state.deferred.map(async ({ hook, imposed, look, phase }) => {
      const seen = look();
      const checks = hook.checks.map((check) => runCheck(check, seen, running, imposed));
      return { phase, run: await settled(checks, (all) => hookRun(hook, all)) };
    }),
  );
  for (const { phase, run } of runs) report(state.target, phase, [run]);
}

/** Has the async hooks of a reply wait; those of a reply that was tried again have nothing left to look at. */
export function defer({ deferred }: State, list: HookList, look: () => Look): void {
  if (deferred.length === 0 && list.hooks.every(({ async }) => !async)) return;
  const kept = deferred.filter(({ phase }) => phase === 'beforeRequest');
  deferred.splice(0, deferred.length, ...kept);
  deferred.push(...deferredOf(list, look, 'afterRequest'));
}

export function deferredOf({ hooks, imposed }: HookList, look: () => Look, phase: CheckPhase): Deferred[] {
  return hooks.filter(({ async }) => async).map((hook) => ({ hook, imposed: imposed.has(hook), look, phase }));
}
