import {
  Answer,
  GatewayError,
  type JsonObject,
  type MaybePromise,
  type Outcome,
  type TargetContext,
} from 'portcullis/sdk';
import { keepAffinity } from '../affinity/keep.ts';
import { holdsLines, judgeLines } from '../batches/lines-in.ts';
import { holdsOutput, judgeOutput } from '../batches/lines-out.ts';
import { uploadFor } from '../batches/upload.ts';
import type { Leaf } from '../routing/plan.ts';
import { unitFailure, unwritable } from '../upstream/misread.ts';
import { buildOutbound, type Outbound, type OutboundSources } from '../upstream/outbound.ts';
import { errorOutcome, type OutcomeFacts } from '../upstream/outcome.ts';
import { allowedModel } from './allowed-models.ts';
import type { Exchange } from './exchange.ts';
import { giveUp, noteReply } from './given-up.ts';
import { identityOf } from './identity.ts';
import { judged } from './judge.ts';
import type { ResolvedPlan } from './plans.ts';
import { targetBody } from './prompts.ts';
import type { Runtime } from './runtime.ts';
import type { TargetProvider } from './target-provider.ts';

/** Faults that no other target can mend: they end the request. */
const final: ReadonlySet<string> = new Set(['internal', 'plugin_failed', 'client_closed']);
/** How a call ends whose client has left. */
const left = { status: 499, error: 'client_closed' } as const;

/** Takes one target through the target phases. Whatever a fallback may react to is an outcome, not a throw. */
export async function runTarget(
  runtime: Runtime,
  exchange: Exchange,
  plan: ResolvedPlan,
  leaf: Leaf,
): Promise<Outcome> {
  let provider: TargetProvider | undefined;
  try {
    if (exchange.replied !== undefined) await giveUp(runtime, exchange);
    exchange.providerSlug = undefined;
    exchange.sentAs = undefined;
    const filling = targetBody(runtime, exchange, plan, leaf);
    const body = filling instanceof Promise ? await filling : filling;
    const found = runtime.settings.providerOf(leaf, exchange, body);
    provider = found instanceof Promise ? await found : found;
    exchange.providerSlug = provider.slug;
    const prepared = prepareTarget(runtime, exchange, plan, leaf, provider, body);
    const target = prepared instanceof Promise ? await prepared : prepared;
    if (target instanceof Answer) return target.outcome;
    const denied = holdsLines(exchange, provider, target)
      ? await judgeLines(runtime, exchange, provider, target)
      : undefined;
    if (denied !== undefined) return denied.outcome;
    const answer = target.cache === undefined ? undefined : await lookedUp(runtime, exchange, target);
    exchange.clock.called();
    if (answer !== undefined) return await judged(runtime, exchange, target, answer);
    return await attempted(runtime, exchange, plan, leaf, provider, target);
  } catch (error) {
    return outcomeOfError(runtime, exchange, error, factsOf(exchange, provider, undefined, leaf));
  }
}

async function lookedUp(
  { pipeline }: Runtime,
  { clock }: Exchange,
  target: TargetContext,
): Promise<Outcome | undefined> {
  const since = performance.now();
  try {
    return await pipeline.lookup(target);
  } finally {
    clock.spend('cache', since);
  }
}

/** Builds the request and calls the provider, through the plugins that wrap the call: what denies a reply is inside, so that a retry sees it. */
function attempted(
  runtime: Runtime,
  exchange: Exchange,
  plan: ResolvedPlan,
  leaf: Leaf,
  provider: TargetProvider,
  target: TargetContext,
): Promise<Outcome> {
  const { log } = runtime;
  exchange.called = target;
  const outbound = outboundOf(runtime, exchange, plan, leaf, provider, target);
  exchange.calledModel = outbound.facts.model;
  const { name } = provider.unit;
  if (outbound.dropped.length > 0) {
    log.info('fields_dropped', { request: exchange.id, provider: name, fields: outbound.dropped });
  }
  const call = async (): Promise<Outcome> => {
    if (exchange.replied !== undefined) {
      await giveUp(runtime, exchange);
      await runtime.pipeline.again(target);
    }
    const since = performance.now();
    try {
      const outcome = await runtime.upstream.call(outbound, {
        request: exchange,
        cancellation: exchange.cancellation,
        path: leaf.path,
        strict: target.strict,
        requestTimeoutMs: leaf.requestTimeoutMs,
        socketProtocols: exchange.socketProtocols,
        sends: (as) => {
          exchange.sentAs = as;
        },
        dropped: (field) => log.debug('reply_field_dropped', { request: exchange.id, provider: name, field }),
      });
      noteAttempt(exchange, outcome, since);
      const keeping = keepAffinity(runtime, exchange, plan, leaf, provider, outcome);
      const kept = keeping instanceof Promise ? await keeping : keeping;
      const judging = judged(runtime, exchange, target, kept);
      const final = judging instanceof Promise ? await judging : judging;
      const outputHeld = holdsOutput(exchange, target);
      const answer = outputHeld ? await judgeOutput(runtime, exchange, target, final) : final;
      noteReply(exchange, answer);
      return answer;
    } catch (error) {
      const facts = factsOf(exchange, provider, outbound.facts.model, leaf);
      // Who leaves ends the request by a throw, and has been waiting for this call.
      if (exchange.cancellation.cancelled) noteAttempt(exchange, { ...facts, ...left }, since);
      const outcome = outcomeOfError(runtime, exchange, error, facts);
      noteAttempt(exchange, outcome, since);
      return outcome;
    }
  };
  let endedAt: number | undefined;
  return runtime.pipeline.attempt(target, async () => {
    // Whoever pauses before the next call waits for the provider.
    if (endedAt !== undefined) exchange.clock.spend('upstream', endedAt);
    try {
      return await call();
    } finally {
      endedAt = performance.now();
    }
  });
}

/** A call that went wrong behind its reply has been noted already. */
function noteAttempt(
  { attempts, clock, startedAt }: Exchange,
  outcome: Pick<Outcome, 'path' | 'provider' | 'status' | 'error'>,
  since: number,
): void {
  const { path, provider, status, error } = outcome;
  const at = startedAt + clock.offset(since);
  if (attempts.at(-1)?.startedAt === at) return;
  clock.spend('upstream', since);
  const durationMs = performance.now() - since;
  attempts.push({
    target: path,
    provider,
    status,
    startedAt: at,
    durationMs,
    ...(error === undefined ? {} : { error }),
  });
}

function outcomeOfError({ log }: Runtime, exchange: Exchange, error: unknown, facts: OutcomeFacts): Outcome {
  if (exchange.cancellation.cancelled) {
    throw new GatewayError('client_closed', 'The client left before the reply was complete.', { cause: error });
  }
  if (!GatewayError.is(error) || final.has(error.code)) throw error;
  const at = unitFailure(error);
  if (at !== undefined) log.warn('provider_unit_failed', { request: exchange.id, provider: facts.provider ?? '', at });
  return errorOutcome(error, facts);
}

function factsOf(
  exchange: Exchange,
  provider: TargetProvider | undefined,
  model: string | undefined,
  leaf: Leaf,
): OutcomeFacts {
  return { requestId: exchange.id, dialect: exchange.dialect, provider: provider?.unit.name, model, path: leaf.path };
}

/** The target after the phases that may change its body, or what one of them answers in its place. */
function prepareTarget(
  runtime: Runtime,
  exchange: Exchange,
  plan: ResolvedPlan,
  leaf: Leaf,
  provider: TargetProvider,
  body: JsonObject,
): MaybePromise<TargetContext | Answer> {
  const target = shapeTarget(runtime, exchange, plan, leaf, provider, body);
  return target instanceof Promise
    ? target.then((shaped) => checkedTarget(runtime, exchange, shaped))
    : checkedTarget(runtime, exchange, target);
}

function checkedTarget(
  runtime: Runtime,
  { clock }: Exchange,
  target: TargetContext,
): MaybePromise<TargetContext | Answer> {
  const since = performance.now();
  const passed = passTarget(runtime, target);
  if (passed instanceof Promise) return passed.finally(() => clock.spend('guardrailsBefore', since));
  clock.spend('guardrailsBefore', since);
  return passed;
}

/** The target as plugins that may answer in the place of its provider get it. */
export function shapeTarget(
  runtime: Runtime,
  exchange: Exchange,
  plan: ResolvedPlan,
  leaf: Leaf,
  provider: TargetProvider,
  given: JsonObject,
): MaybePromise<TargetContext> {
  const target: TargetContext = {
    request: exchange,
    path: leaf.path,
    name: leaf.name,
    provider: provider.unit.name,
    providerSlug: provider.slug,
    body: given,
    strict: exchange.strict && leaf.strict !== false,
    retry: leaf.retry,
    overrideParams: leaf.overrideParams,
    defaultParams: leaf.defaultParams,
    dropParams: leaf.dropParams,
    hooks: leaf.hooks,
    cache: leaf.cache,
    identity() {
      return identityOf(runtime, exchange, plan, leaf, provider, this);
    },
    region() {
      const { region } = provider.unit.definition;
      if (region === undefined) return undefined;
      const model = allowedModel(exchange, provider, this);
      return region(runtime.settings.settingsOf(leaf, provider, plan, exchange, model).settings);
    },
  };
  const body = runtime.pipeline.prepare(target);
  return body instanceof Promise ? body.then((made) => withBody(target, made)) : withBody(target, body);
}

/** The target with the body that leaves, or what a plugin answers in the place of its provider. */
export function passTarget({ pipeline }: Runtime, target: TargetContext): MaybePromise<TargetContext | Answer> {
  const body = pipeline.beforeRequest(target);
  return body instanceof Promise ? body.then((made) => passedOn(target, made)) : passedOn(target, body);
}

function passedOn(target: TargetContext, body: TargetContext['body'] | Answer): TargetContext | Answer {
  return body instanceof Answer ? body : withBody(target, body);
}

function withBody(target: TargetContext, body: TargetContext['body']): TargetContext {
  return body === target.body ? target : { ...target, body };
}

/** The request that would leave for this target. */
export function outboundOf(
  runtime: Runtime,
  exchange: Exchange,
  plan: ResolvedPlan,
  leaf: Leaf,
  provider: TargetProvider,
  target: TargetContext,
): Outbound {
  const model = allowedModel(exchange, provider, target);
  const sources: OutboundSources = {
    request: exchange,
    leaf,
    unit: provider.unit,
    settings: runtime.settings.settingsOf(leaf, provider, plan, exchange, model),
    body: target.body,
    model,
    limited: provider.models !== undefined,
    rawBody: exchange.rawBody,
    upload: uploadFor(target) ?? exchange.upload,
    trace: exchange.traceHeaders,
    strict: target.strict,
    vendors: runtime.config.server.headerVendors,
    askUsage: runtime.config.ledger?.askUsage ?? true,
    refusals: runtime.upstream.usageRefusals,
  };
  try {
    return buildOutbound(sources);
  } catch (error) {
    throw unwritable(provider.unit.name, error);
  }
}
