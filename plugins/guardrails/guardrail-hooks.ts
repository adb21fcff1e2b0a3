import {
  Answer,
  type CheckPhase,
  type Hooks,
  type Host,
  type JsonObject,
  type MaybePromise,
  type Outcome,
  type TargetContext,
} from 'portcullis/sdk';
import { acceptEntries } from './definition/accept.ts';
import { ActiveHooks } from './definition/active.ts';
import { type HookList, switchedOn } from './definition/hook.ts';
import { explained } from './explain.ts';
import { isEventStream } from './reply/append.ts';
import { chargedFor, denial } from './reply/denial.ts';
import { hookResults } from './reply/results.ts';
import { toldReply } from './reply/told-reply.ts';
import { isHeard, readWhole, streamedTranscript, type WholeReply, wholeOf } from './reply/transcript.ts';
import { warned } from './reply/warned.ts';
import { CheckTime } from './run/check-time.ts';
import { defer, deferredOf, type State, settleRequest, stateOf } from './run/deferred.ts';
import { lookAtReply, lookAtRequest } from './run/look-at.ts';
import { noteOf } from './run/report.ts';
import type { Running } from './run/run-check.ts';
import { runHooks } from './run/run-hooks.ts';
import { denies, type HookRun } from './run/runs.ts';
import { forgo, whenDone } from './run/settled.ts';
import { credentialsOf } from './run/stored-credentials.ts';
import { guardStream } from './stream/guard-stream.ts';

const tracesVariable = 'EXPERIMENTAL_GEN_AI_OTEL_TRACES_ENABLED';

/** Runs the guardrails of each target, and acts on what they say. */
export function guardrailHooks(host: Host): Hooks {
  const active = new ActiveHooks(host);
  const states = host.slot<State>();
  const traces = /^(true|on|1)$/i.test(host.env(tracesVariable) ?? '');
  const running: Running = {
    time: new CheckTime(),
    now: host.now,
    log: host.log,
    credentialsOf: credentialsOf(host),
    detached: false,
  };
  const facts = (outcome?: Outcome) => ({ ...chargedFor(outcome), now: host.now(), newId: host.newId });
  const report = (target: TargetContext, phase: CheckPhase, runs: readonly HookRun[]) => {
    if (runs.length > 0) host.note(target.request, noteOf(target, phase, runs, { traces }));
  };

  const before = (
    target: TargetContext,
    list: HookList,
    later: HookList,
  ): MaybePromise<JsonObject | Answer | undefined> => {
    const after = switchedOn(later);
    if (list.hooks.length === 0) {
      // Without any hook there is nothing to remember, unless another target has left something.
      if (after.hooks.length === 0 && states.get(target.request) === undefined) return undefined;
      states.set(target.request, stateOf(target, after));
      return undefined;
    }
    const phase = runHooks(list, target.body, (body) => lookAtRequest(target, body), running);
    const finish = ({ runs, part }: { readonly runs: readonly HookRun[]; readonly part: JsonObject }) => {
      report(target, 'beforeRequest', runs);
      const deferred = deferredOf(list, () => lookAtRequest(target, target.body), 'beforeRequest');
      states.set(target.request, stateOf(target, after, runs, deferred));
      if (runs.some(denies)) return new Answer(denial(target, runs, hookResults(runs, []), facts()));
      return part === target.body ? undefined : part;
    };
    return phase instanceof Promise ? phase.then(finish) : finish(phase);
  };

  const after = (target: TargetContext, outcome: Outcome, state: State): MaybePromise<Outcome | undefined> => {
    const { hooks } = state.after;
    if (hooks.length === 0 && state.before.length === 0) return undefined;
    if (outcome.body.kind === 'stream' || isEventStream(outcome)) return afterStream(target, outcome, state);
    const { bytes } = outcome.body;
    if (hooks.length === 0) return toldReply(target, outcome, bytes, state.before, []);
    return afterWhole(target, outcome, readWhole(target.request.endpoint, outcome, bytes), state);
  };

  const afterWhole = (target: TargetContext, outcome: Outcome, whole: WholeReply, state: State) => {
    const { bytes, reply, write } = whole;
    const { after: list } = state;
    const isChanged = (part: JsonObject) => reply !== undefined && part !== reply;
    const look = (part: JsonObject) =>
      lookAtReply(target, reply && part, { request: state.changed, reply: isChanged(part) });
    const finish = ({ runs, part }: { readonly runs: readonly HookRun[]; readonly part: JsonObject }): Outcome => {
      report(target, 'afterRequest', runs);
      defer(state, list, () => look(part));
      if (runs.some(denies)) return denial(target, runs, hookResults(state.before, runs), facts(outcome));
      return toldReply(target, outcome, isChanged(part) ? write(part) : bytes, state.before, runs);
    };
    const phase = runHooks(list, reply ?? {}, look, running);
    return phase instanceof Promise ? phase.then(finish) : finish(phase);
  };

  const afterStream = (target: TargetContext, outcome: Outcome, state: State): MaybePromise<Outcome | undefined> => {
    const { after: list } = state;
    const { hooks } = list;
    const status = warned(outcome, state.before);
    // Nothing to look at, and nothing to tell in it: the bytes pass as they are.
    if (hooks.length === 0 && (target.strict || state.before.length === 0)) return { ...outcome, status };
    if (hooks.length > 0 && isHeard(target.request.endpoint)) return afterHeard(target, outcome, state);
    let done: () => void = () => {};
    const guarded = guardStream(
      {
        target,
        before: state.before,
        changed: state.changed,
        list,
        running,
        newId: host.newId,
        finished: (runs, look) => {
          report(target, 'afterRequest', runs);
          defer(state, list, look);
          done();
        },
      },
      outcome,
    );
    if (guarded === undefined) return unread(target, outcome, state);
    if (hooks.length > 0) {
      state.running.push(
        new Promise((resolve) => {
          done = resolve;
        }),
      );
    }
    const finish = (result: Awaited<NonNullable<typeof guarded>>): Outcome => {
      if (result.kind === 'stream') return { ...outcome, status, body: { kind: 'stream', stream: result.stream } };
      report(target, 'afterRequest', result.runs);
      done();
      return denial(target, result.runs, hookResults(state.before, result.runs), facts(outcome));
    };
    return guarded instanceof Promise ? guarded.then(finish) : finish(guarded);
  };

  /** A transcript that is streamed waits until it is whole: what a check finds in it may be told in any of its events. */
  const afterHeard = async (target: TargetContext, outcome: Outcome, state: State): Promise<Outcome | undefined> => {
    const bytes = await wholeOf(outcome);
    const whole: Outcome = { ...outcome, body: { kind: 'bytes', bytes } };
    const transcript = streamedTranscript(outcome, bytes);
    if (transcript === undefined) return unread(target, whole, state);
    return afterWhole(target, whole, { bytes, ...transcript }, state);
  };

  /** Bytes that the gateway does not read: checks that look at texts cannot, and count as they say they do. */
  const unread = (target: TargetContext, outcome: Outcome, state: State): MaybePromise<Outcome | undefined> => {
    const look = () => lookAtReply(target, undefined, { request: state.changed, reply: false });
    const phase = runHooks(state.after, {}, look, running);
    const finish = ({ runs }: { readonly runs: readonly HookRun[] }): Outcome => {
      report(target, 'afterRequest', runs);
      defer(state, state.after, look);
      if (!runs.some(denies)) return { ...outcome, status: warned(outcome, [...state.before, ...runs]) };
      if (outcome.body.kind === 'stream') outcome.body.stream.abort();
      return denial(target, runs, hookResults(state.before, runs), facts(outcome));
    };
    return phase instanceof Promise ? phase.then(finish) : finish(phase);
  };

  return {
    acceptHooks: (entries, { inline }) => acceptEntries(active, entries, inline),
    beforeRequest: (target) => {
      const hooks = active.of(target, 'beforeRequest');
      try {
        // Asked for now: a guardrail of the reply that is not there must be known before anything is sent.
        const later = active.of(target, 'afterRequest');
        return hooks instanceof Promise || later instanceof Promise
          ? Promise.all([hooks, later]).then(([first, second]) => before(target, switchedOn(first), second))
          : before(target, switchedOn(hooks), later);
      } catch (error) {
        forgo([hooks]);
        throw error;
      }
    },
    afterRequest: (target, outcome) => {
      if (outcome.status < 200 || outcome.status > 299) return undefined;
      const known = states.get(target.request);
      if (known !== undefined) return after(target, outcome, known);
      const found = active.of(target, 'afterRequest');
      return whenDone(found, (list) => after(target, outcome, stateOf(target, switchedOn(list))));
    },
    settle: (request) => {
      const state = states.get(request);
      // Nothing has to wait for most requests, and then nothing is waited for.
      if (state === undefined || state.running.length + state.deferred.length === 0) return undefined;
      return settleRequest(state, { ...running, detached: true }, report);
    },
    explain: (target) => explained(active, target),
  };
}
