import {
  type CheckCall,
  GatewayError,
  type Host,
  type JsonObject,
  type MaybePromise,
  type RequestContext,
  type Verdict,
} from 'portcullis/sdk';
import type { HookCheck } from '../definition/hook.ts';
import type { CheckTime } from './check-time.ts';
import { forwardedFor } from './forward-headers.ts';
import type { CheckRun } from './runs.ts';
import type { Look } from './subject.ts';

/** What runs need beside the look itself. */
export interface Running {
  /** What checks may take up of the gateway's own time; those of imposed hooks count, and run in any case. */
  readonly time: CheckTime;
  readonly now: () => number;
  readonly log: Host['log'];
  /** The reply is out already: that its client leaves means nothing. */
  readonly detached: boolean;
  /** What is stored for the vendor of a unit. */
  readonly credentialsOf: (request: RequestContext, unit: string) => MaybePromise<JsonObject | undefined>;
}

const never = new AbortController().signal;
const noHeaders: Readonly<Record<string, string>> = Object.freeze({});

/** A check that has begun. */
interface Begun {
  readonly check: HookCheck;
  readonly scan: CheckRun['scan'];
  readonly startedAt: number;
}

/**
 * Runs one check; whatever happens is in what it gives. No promise where the check needs none.
 * @param startedAt where it is known: clocks cost as much as small checks
 */
export function runCheck(
  check: HookCheck,
  look: Look,
  running: Running,
  imposed: boolean,
  startedAt = running.now(),
): MaybePromise<CheckRun> {
  const { scans, id, remote, credentials: needed } = check.ready.summary;
  const { scan, input } = scans ? look.at(check.scope, check.strip) : look.at('last_message', false);
  const begun = { check, scan, startedAt };
  try {
    const skipped = nothingToCheck(check, look);
    if (skipped !== undefined) return done(begun, running, undefined, undefined, skipped);
    refuseUnsupported(check, look);
    if (remote !== undefined || needed !== undefined) return later(begun, running, runRemote(check, look, running));
    const { request } = look.target;
    if (!imposed) running.time.refuseLate(request, id);
    const verdict = check.ready.run(input, new LocalCall(check, request, running));
    if (verdict instanceof Promise) {
      running.time.add(request, running.now() - startedAt);
      return later(begun, running, verdict);
    }
    const run = done(begun, running, verdict);
    running.time.add(request, run.durationMs);
    return run;
  } catch (error) {
    return done(begun, running, undefined, asFailure(error, check, running));
  }
}

async function later(begun: Begun, running: Running, pending: Promise<Verdict>): Promise<CheckRun> {
  try {
    return done(begun, running, await pending);
  } catch (error) {
    return done(begun, running, undefined, asFailure(error, begun.check, running));
  }
}

function done(
  { check, scan, startedAt }: Begun,
  { now }: Running,
  verdict: Verdict | undefined,
  error?: GatewayError,
  skipped?: string,
): CheckRun {
  return { check, verdict, error, skipped, startedAt, durationMs: now() - startedAt, scan };
}

/** Where there can be no text, a check of texts has nothing to say. */
function nothingToCheck({ ready }: HookCheck, { reading }: Look): string | undefined {
  return ready.summary.scans && !reading.bearsText ? 'There is no text here that it could look at.' : undefined;
}

/** @throws GatewayError `check_failed` for what the check cannot look at here: never skipped in silence */
function refuseUnsupported({ ready }: HookCheck, { target, reading }: Look): void {
  const { id, endpoints, scans } = ready.summary;
  const { endpoint } = target.request;
  if (endpoints !== undefined && !endpoints.includes(endpoint))
    throw new GatewayError('check_failed', `${id} does not run on ${endpoint}; it runs on ${endpoints.join(', ')}.`);
  const [unreadable] = reading.unreadable;
  if (scans && unreadable !== undefined) throw new GatewayError('check_failed', `${id} cannot look: ${unreadable}`);
}

/** For checks that call nobody: what costs something is made when it is asked for. */
class LocalCall implements CheckCall {
  readonly credentials = undefined;
  readonly forward = noHeaders;
  readonly timeoutMs: number;
  readonly #request: RequestContext;
  readonly #detached: boolean;

  constructor({ timeoutMs }: HookCheck, request: RequestContext, { detached }: Running) {
    this.timeoutMs = timeoutMs;
    this.#request = request;
    this.#detached = detached;
  }

  get principal() {
    return this.#request.principal;
  }

  get traceId() {
    return this.#request.traceId;
  }

  get headers() {
    return this.#request.headers;
  }

  get signal() {
    return this.#detached ? never : this.#request.signal;
  }
}

async function runRemote(check: HookCheck, look: Look, { credentialsOf, detached }: Running): Promise<Verdict> {
  const { request } = look.target;
  const { timeoutMs, ready, scope, strip } = check;
  const abort = new AbortController();
  const leave = () => abort.abort();
  if (!detached) request.signal.addEventListener('abort', leave, { once: true });
  let timer: NodeJS.Timeout | undefined;
  const expired = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new GatewayError('check_failed', `${ready.summary.id} gave no verdict within ${timeoutMs} ms.`));
    }, timeoutMs);
    abort.signal.addEventListener('abort', () => {
      reject(new GatewayError('check_failed', `${ready.summary.id} was given up: nobody waits for it.`));
    });
  });
  expired.catch(() => {});
  try {
    const asked = async () => {
      const credentials = check.credentials ?? (await credentialsOf(request, ready.summary.unit));
      return ready.run(look.at(scope, strip).input, {
        principal: request.principal,
        traceId: request.traceId,
        credentials,
        timeoutMs,
        signal: abort.signal,
        forward: forwardedFor(request, check.forwardHeaders),
        headers: request.headers,
      });
    };
    return await Promise.race([asked(), expired]);
  } finally {
    clearTimeout(timer);
    request.signal.removeEventListener('abort', leave);
    abort.abort();
  }
}

function asFailure(error: unknown, { ready }: HookCheck, { log }: Running): GatewayError {
  if (GatewayError.is(error)) return error;
  const { id, unit, version } = ready.summary;
  log.error('check_crashed', {
    check: id,
    unit: `${unit}@${version}`,
    error: error instanceof Error ? error.name : 'not an error',
  });
  return new GatewayError('check_failed', `${id} failed.`, { cause: error });
}
