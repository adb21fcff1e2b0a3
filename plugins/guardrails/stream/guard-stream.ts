import type { MaybePromise, Outcome, ReplyContext, ReplyStream, TargetContext } from 'portcullis/sdk';
import type { Hook, HookList, StreamRule } from '../definition/hook.ts';
import { isEventStream } from '../reply/append.ts';
import { generationOf } from '../reply/denial.ts';
import { hookResult, hookResults } from '../reply/results.ts';
import { runBeside } from '../run/beside.ts';
import { lookAtStream } from '../run/look-at.ts';
import type { Running } from '../run/run-check.ts';
import type { HookRun } from '../run/runs.ts';
import type { Look } from '../run/subject.ts';
import { streamOf } from './bytes-stream.ts';
import { type ClientFormat, isClient } from './events.ts';
import { heldLook } from './look-at-held.ts';
import { ReportingStream } from './reporting.ts';
import type { Speech } from './speech.ts';
import { WindowedStream } from './windowed.ts';

export interface StreamFacts {
  readonly target: TargetContext;
  /** Runs of the request. */
  readonly before: readonly HookRun[];
  /** Whether they have changed it. */
  readonly changed: boolean;
  /** Hooks of the reply. */
  readonly list: HookList;
  readonly running: Running;
  readonly newId: () => string;
  /** Told once, when the stream is over: the runs on it, and looks at what it said. */
  readonly finished: (runs: readonly HookRun[], look: () => Look) => void;
}

export type Guarded =
  | { readonly kind: 'stream'; readonly stream: ReplyStream }
  | { readonly kind: 'denied'; readonly runs: readonly HookRun[] };

/** The stream of an outcome under the hooks of its reply; undefined: it holds none that the gateway reads. */
export function guardStream(facts: StreamFacts, outcome: Outcome): MaybePromise<Guarded> | undefined {
  const { target, list } = facts;
  const { endpoint, dialect: clients } = target.request;
  // What passes unread may be events of any kind, whatever its errors are written in.
  const dialect = endpoint === 'proxy' ? undefined : generationOf(clients);
  if (dialect === undefined || !isClient(dialect) || !isEventStream(outcome)) return undefined;
  const source = outcome.body.kind === 'stream' ? outcome.body.stream : streamOf(outcome.body.bytes);
  const due = list.hooks.filter(({ async }) => !async);
  const windowed = due.filter(inWindows);
  const context = contextOf(facts);
  const reporting = (inner: ReplyStream, window: WindowedStream | undefined): Guarded => ({
    kind: 'stream',
    stream: reportingStream(facts, dialect, context, inner, window),
  });
  if (windowed.length === 0) return reporting(source, undefined);
  const window = new WindowedStream({
    source,
    dialect,
    context,
    rule: widest(windowed),
    whole: windowed.some(judgesWhole),
    look: heldLook(facts, { ...list, hooks: windowed }),
    now: facts.running.now,
  });
  return window.open().then((denied) => {
    if (!denied) return reporting(window, window);
    return { kind: 'denied', runs: window.looks.runs };
  });
}

function reportingStream(
  facts: StreamFacts,
  dialect: ClientFormat,
  context: ReplyContext,
  source: ReplyStream,
  window: WindowedStream | undefined,
): ReplyStream {
  const { target, before, list, running } = facts;
  const later = list.hooks.filter((hook) => !hook.async && !inWindows(hook));
  const tells = !target.strict;
  let runs: readonly HookRun[] = [];
  const judge = (speech: Speech): MaybePromise<void> => {
    const reply = window?.looks.runs.some(({ transformed }) => transformed) === true;
    const look = () => lookAtStream(target, speech.reading(), { request: facts.changed, reply });
    const done = (ran: readonly HookRun[]) => {
      runs = [...(window?.looks.runs ?? []), ...ran];
      facts.finished(runs, look);
    };
    // Edits come too late for what has been sent, and denials too: both are told, have no effect, and concern nobody who left.
    const ran = runBeside({ ...list, hooks: later }, look(), { ...running, detached: true });
    return ran instanceof Promise ? ran.then(done) : done(ran);
  };
  return new ReportingStream({
    source,
    dialect,
    context,
    first: tells && before.length > 0 ? hookResults(before, undefined) : undefined,
    judge,
    last:
      tells && (later.length > 0 || window !== undefined)
        ? () => ({ after_request_hooks: runs.map(hookResult) })
        : undefined,
  });
}

/** A shadow keeps no client waiting: what it says of whole replies, it says afterwards. */
function inWindows(hook: Hook): boolean {
  return hook.stream.mode === 'window' && !(hook.shadow && judgesWhole(hook));
}

function judgesWhole({ checks }: Hook): boolean {
  return checks.some(({ ready }) => ready.whole);
}

/** Several guardrails share the windows: the largest of each bound holds, so that none of them sees less than it asks for. */
function widest(hooks: readonly Hook[]): StreamRule {
  const rules = hooks.map(({ stream }) => stream);
  return {
    mode: 'window',
    tokens: Math.max(...rules.map(({ tokens }) => tokens)),
    ms: Math.max(...rules.map(({ ms }) => ms)),
    overlap: Math.max(...rules.map(({ overlap }) => overlap)),
  };
}

function contextOf({ target, newId, running }: StreamFacts): ReplyContext {
  return {
    // What the provider said beyond the format was let through already, or was not.
    strict: target.strict,
    reasoningField: 'reasoning_content',
    dropped: () => {},
    request: target.body,
    newId: (prefix) => prefix + newId().replaceAll('-', ''),
    nowSeconds: () => Math.floor(running.now() / 1000),
  };
}
