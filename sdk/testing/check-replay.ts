import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import type { AnyCheck, CodeRunner, Verdict } from '../contracts/guardrail.ts';
import type { Manifest } from '../contracts/manifest.ts';
import { GatewayError } from '../errors.ts';
import { parseJson } from '../json.ts';
import type { CheckFixture, VendorExchange } from './check-fixture.ts';
import { type CheckHostOptions, createCheckHost, type TestCheckHost } from './check-host.ts';
import { checkInput, visibleInput } from './check-input.ts';
import { runCheck } from './check-run.ts';
import { failAnswer, isModelFault, type ModelFault, modelFaults } from './model-faults.ts';
import { failReply, type VendorFault, vendorFaults } from './vendor-faults.ts';
import { startVendorServer, type VendorCall } from './vendor-server.ts';

export interface Replay {
  readonly verdict: Verdict | undefined;
  /** What was thrown in the place of a verdict. */
  readonly error: unknown;
  readonly host: TestCheckHost;
  readonly calls: readonly VendorCall[];
  /** Calls beyond those that are recorded. */
  readonly strays: readonly string[];
  /** Exchanges that nobody asked for. */
  readonly missed: readonly string[];
}

export interface ReplayFault {
  readonly kind: VendorFault | ModelFault;
  /** The exchange or the answer that fails; those before it go as recorded. */
  readonly at: number;
}

/** A busy machine is no fault of the check. */
const leastMs = 10_000;

/** Every fault at every place of a fixture. */
export function faultsOf({ exchanges = [], answers = [] }: CheckFixture): readonly ReplayFault[] {
  return [
    ...exchanges.flatMap((_, at) => vendorFaults.map((kind) => ({ kind, at }))),
    ...answers.flatMap((_, at) => modelFaults.map((kind) => ({ kind, at }))),
  ];
}

/** Runs a fixture against a server that answers as recorded, or that fails in one place. */
export async function replayFixture(
  check: AnyCheck,
  fixture: CheckFixture,
  manifest: Manifest,
  fault?: ReplayFault,
): Promise<Replay> {
  const time = new AbortController();
  const timeUp = () => time.abort();
  const calls: VendorCall[] = [];
  const strays: string[] = [];
  const open = [...(fixture.exchanges ?? [])];
  const server = await startVendorServer(async (call, reply) => {
    calls.push(call);
    const exchange = take(open, call);
    if (exchange === undefined) {
      strays.push(`${call.method} ${call.url} was called, which is not recorded`);
      reply.writeHead(404).end();
    } else if (fault === undefined || isModelFault(fault.kind) || calls.length <= fault.at) answer(reply, exchange);
    else failReply(reply, fault.kind, timeUp);
  });
  const timer = setTimeout(timeUp, Math.max(check.remote?.timeoutMs ?? 0, leastMs));
  const late = overdue(time.signal);
  const host = hostOf(fixture, manifest, {
    fetch: server.network,
    signal: time.signal,
    ask: answering(fixture.answers ?? [], fault, timeUp),
  });
  try {
    const input = visibleInput(checkInput({ phase: check.phases[0], ...fixture.input }), manifest);
    const run = runCheck(check, fixture.parameters ?? {}, input, host);
    const [result] = await Promise.allSettled([Promise.race([run, late.promise])]);
    return {
      verdict: result.status === 'fulfilled' ? result.value : undefined,
      error: result.status === 'rejected' ? result.reason : undefined,
      host,
      calls,
      strays,
      missed: open.map(({ request }) => `${request.method} ${request.url} was not called`),
    };
  } finally {
    clearTimeout(timer);
    late.cancel();
    await server.close();
  }
}

/** @throws AssertionError when a call differs from what is recorded for it */
export function compareCalls({ exchanges = [] }: CheckFixture, { calls, strays }: Replay): void {
  assert.deepEqual(strays, []);
  const open = [...exchanges];
  for (const call of calls) {
    const recorded = take(open, call)?.request;
    if (recorded === undefined) continue;
    const named = Object.keys(recorded.headers ?? {}).map((name) => [name, call.headers[name.toLowerCase()]]);
    assert.deepEqual(
      { method: call.method, url: call.url, headers: Object.fromEntries(named), body: bodyOf(call) },
      {
        method: recorded.method,
        url: new URL(recorded.url).href,
        headers: recorded.headers ?? {},
        body: recorded.body,
      },
    );
  }
}

function hostOf(
  { credentials = {}, now, input, sandbox }: CheckFixture,
  manifest: Manifest,
  world: Required<Pick<CheckHostOptions, 'fetch' | 'signal' | 'ask'>>,
): TestCheckHost {
  return createCheckHost({
    manifest,
    credentials,
    ...world,
    ...(now === undefined ? {} : { now }),
    headers: input?.headers ?? {},
    ...(sandbox === undefined ? {} : { code: sandboxThatSays(sandbox) }),
  });
}

/** The recorded answers in turn. */
function answering(answers: readonly string[], fault: ReplayFault | undefined, timeUp: () => void) {
  let asked = 0;
  return () => {
    const text = answers[asked];
    asked += 1;
    if (text === undefined) throw new GatewayError('upstream_unreachable', 'No further answer is recorded.');
    return fault === undefined || !isModelFault(fault.kind) || asked <= fault.at
      ? text
      : failAnswer(fault.kind, timeUp);
  };
}

function sandboxThatSays(verdict: Verdict): CodeRunner {
  return { accept: async () => {}, run: async () => verdict };
}

/** The exchange that the call is most like: calls that run side by side come in any order. */
function take(open: VendorExchange[], call: VendorCall): VendorExchange | undefined {
  const place = ({ request }: VendorExchange) =>
    request.method === call.method && new URL(request.url).href === call.url;
  const body = JSON.stringify(bodyOf(call));
  const exact = open.findIndex((one) => place(one) && JSON.stringify(one.request.body) === body);
  const close = open.findIndex(place);
  const index = exact !== -1 ? exact : close !== -1 ? close : 0;
  return open.splice(index, 1)[0];
}

function bodyOf({ body }: VendorCall) {
  return body === '' ? undefined : (parseJson(body) ?? body);
}

function answer(response: ServerResponse, { reply }: VendorExchange): void {
  const { status, headers = {}, body } = reply;
  const text = body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body);
  const type = typeof body === 'string' || body === undefined ? {} : { 'content-type': 'application/json' };
  response.writeHead(status, { ...type, ...headers }).end(text);
}

/** Rejects a while after the time is up: until then the check may end by itself. */
function overdue(signal: AbortSignal): { readonly promise: Promise<never>; cancel(): void } {
  const { promise, reject } = Promise.withResolvers<never>();
  let timer: NodeJS.Timeout | undefined;
  const wait = () => {
    timer = setTimeout(() => reject(new Error('The check went on after its time was up.')), leastMs);
  };
  signal.addEventListener('abort', wait, { once: true });
  return {
    promise,
    cancel: () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', wait);
    },
  };
}
