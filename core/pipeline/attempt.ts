import { GatewayError, type Outcome, type TargetContext } from 'portcullis/sdk';
import { keepAffinity } from '../affinity/keep.ts';
import { holdsOutput, judgeOutput } from '../batches/lines-out.ts';
import { uploadFor } from '../batches/upload.ts';
import type { Leaf } from '../routing/plan.ts';
import { unitFailure, unwritable } from '../upstream/misread.ts';
import { buildOutbound, type Outbound, type OutboundSources } from '../upstream/outbound.ts';
import { errorOutcome, type OutcomeFacts } from '../upstream/outcome.ts';
import { allowedModel } from './allowed-models.ts';
import type { Exchange } from './exchange.ts';
import { giveUp, noteReply } from './given-up.ts';
import { judged } from './judge.ts';
import type { ResolvedPlan } from './plans.ts';
import type { Runtime } from './runtime.ts';
import type { TargetProvider } from './target-provider.ts';

/** Faults that no other target can mend: they end the request. */
const final: ReadonlySet<string> = new Set(['internal', 'plugin_failed', 'client_closed']);
/** How a call ends whose client has left. */
const left = { status: 499, error: 'client_closed' } as const;

/** Builds the request and calls the provider, through the plugins that wrap the call: what denies a reply is inside, so that a retry sees it. */
export function attempted(
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
  exchange.calledAs = outbound;
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
    let isJudged = false;
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
      isJudged = true;
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
      // No reply is an outcome like a provider's error: whoever stands behind the call is told of it, once.
      return isJudged ? outcome : judged(runtime, exchange, target, outcome);
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

/** @throws what no other target can mend, and the end of a request whose client has left */
export function outcomeOfError({ log }: Runtime, exchange: Exchange, error: unknown, facts: OutcomeFacts): Outcome {
  if (exchange.cancellation.cancelled) {
    throw new GatewayError('client_closed', 'The client left before the reply was complete.', { cause: error });
  }
  if (!GatewayError.is(error) || final.has(error.code)) throw error;
  const at = unitFailure(error);
  if (at !== undefined) log.warn('provider_unit_failed', { request: exchange.id, provider: facts.provider ?? '', at });
  return errorOutcome(error, facts);
}

export function factsOf(
  exchange: Exchange,
  provider: TargetProvider | undefined,
  model: string | undefined,
  leaf: Leaf,
): OutcomeFacts {
  return { requestId: exchange.id, dialect: exchange.dialect, provider: provider?.unit.name, model, path: leaf.path };
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
