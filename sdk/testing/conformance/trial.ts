import { Script } from 'node:vm';
import type { CheckInput, Verdict } from '../../contracts/guardrail.ts';
import type { MaybePromise } from '../../contracts/plugin.ts';
import { GatewayError } from '../../errors.ts';
import { type CheckNetwork, createCheckHost, type TestCheckHost } from '../check-host.ts';
import { checkInput, type GivenInput, visibleInput } from '../check-input.ts';
import { readyCheck, type TestedCheck } from '../check-run.ts';
import type { Example } from './examples.ts';
import type { Subject } from './report.ts';
import { watchedHost, watchedInput } from './usage.ts';

/** One run of a check, and all that can be known of it. */
export interface Trial {
  readonly input: CheckInput;
  readonly verdict: Verdict | undefined;
  /** What was thrown in the place of a verdict. */
  readonly error: unknown;
  /** It had not ended when its time was up, or would not have ended by itself. */
  readonly overdue: boolean;
  readonly host: TestCheckHost;
}

const mark = Symbol.for('portcullis.conformance');
const callMarked = new Script(`globalThis[Symbol.for('portcullis.conformance')]()`);
const standardTimeMs = 10_000;

/** Runs a check once. Vendors, models and code of others answer as the example's fixture has recorded them. */
export async function attempt(
  subject: Subject,
  example: Example,
  given: GivenInput,
  ready: TestedCheck = readyCheck(subject.check, example.parameters),
): Promise<Trial> {
  const { unit, check, options, usage } = subject;
  const timeMs = options.timeMs ?? standardTimeMs;
  const timeUp = new AbortController();
  const host = hostOf(subject, example, timeUp.signal);
  const [phase] = check.phases;
  const input = visibleInput(checkInput({ phase, ...given }), unit.manifest);
  const seen = unit.sandboxed === true ? input : watchedInput(input, usage);
  const startedAt = performance.now();
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    timeUp.abort();
    late.reject(overdue);
  }, timeMs);
  try {
    const run = stoppable(() => ready.run(seen, watchedHost(host, usage)), timeMs);
    return { input, verdict: await Promise.race([run, late.promise]), error: undefined, overdue: false, host };
  } catch (error) {
    const hung = isOverdue(error) || options.endedByForce?.(error) === true;
    usage.hung ||= hung;
    return { input, verdict: undefined, error, overdue: hung, host };
  } finally {
    clearTimeout(timer);
    usage.spentMs += performance.now() - startedAt;
  }
}

/** What is wrong with how a run ended; undefined when it ended in a verdict or an error of the gateway. */
export function endingFault({ overdue: late, verdict, error }: Trial): string | undefined {
  if (late)
    return GatewayError.is(error) ? `had to be ended: ${error.message.replace(/\.$/, '')}` : 'did not end in time';
  if (verdict !== undefined || GatewayError.is(error)) return undefined;
  return error === undefined ? 'gave nothing' : `threw what is no GatewayError: ${String(error).slice(0, 200)}`;
}

const overdue = new Error('The time was up.');

function isOverdue(error: unknown): boolean {
  return error === overdue || (error as { code?: unknown } | undefined)?.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
}

/** A loop that never waits cannot be interrupted by a timer; a script can, up to the first time that it waits. */
function stoppable(work: () => MaybePromise<Verdict>, timeMs: number): MaybePromise<Verdict> {
  Reflect.set(globalThis, mark, work);
  try {
    return callMarked.runInThisContext({ timeout: timeMs });
  } finally {
    Reflect.deleteProperty(globalThis, mark);
  }
}

/** A host on which vendors, models and code of others answer as recorded. */
export function hostOf({ unit, options }: Subject, { fixture }: Example, signal: AbortSignal): TestCheckHost {
  const { credentials = {}, now, input, answers = [], sandbox } = fixture ?? {};
  let asked = 0;
  const code =
    options.code ?? (sandbox === undefined ? undefined : { accept: async () => {}, run: async () => sandbox });
  return createCheckHost({
    manifest: unit.manifest,
    credentials,
    signal,
    fetch: recorded(fixture?.exchanges ?? []),
    headers: input?.headers ?? {},
    ask: () => {
      const text = answers[asked % answers.length];
      asked += 1;
      if (text === undefined) throw new GatewayError('upstream_unreachable', 'No answer of a model is recorded.');
      return text;
    },
    ...(now === undefined ? {} : { now }),
    ...(code === undefined ? {} : { code }),
  });
}

type Exchanges = NonNullable<NonNullable<Example['fixture']>['exchanges']>;

/** Answers any call with the recorded reply that is the most like it: of the URL, the path, or the host. */
function recorded(exchanges: Exchanges): CheckNetwork {
  return (url, { method }) => {
    const urls = exchanges.map(({ request, reply }) => ({ request, reply, of: new URL(request.url) }));
    const found =
      urls.find(({ request, of }) => of.href === url.href && request.method === method) ??
      urls.find(({ of }) => of.origin === url.origin && of.pathname === url.pathname) ??
      urls.find(({ of }) => of.host === url.host);
    if (found === undefined) throw new GatewayError('upstream_unreachable', `${url.host} could not be reached.`);
    const { status, headers = {}, body } = found.reply;
    const text = body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body);
    return { status, headers, body: Buffer.from(text) };
  };
}
