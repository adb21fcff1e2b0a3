import {
  type Attempt,
  type Cost,
  type GivenUpReply,
  hideCredentials,
  type Outcome,
  type RequestContext,
  type RequestNote,
  type RequestRecord,
} from 'portcullis/sdk';
import { chargedWith } from '../ledger/charge.ts';
import { type CountedUsage, finishUsage, uncounted } from '../ledger/finish-usage.ts';
import { isUntouched } from '../upstream/untouched.ts';
import { ExchangeBodies } from './bodies.ts';
import { Exchange } from './exchange.ts';
import { giveUp, isGivenUp } from './given-up.ts';
import { costOf } from './priced.ts';
import type { Runtime } from './runtime.ts';

/** How a reply ended: sent whole, or the client left first. */
export type Ending = 'sent' | 'left';

/** Adds to the record of a request. */
export function addNote(request: RequestContext, note: RequestNote): void {
  if (!(request instanceof Exchange)) return;
  const known = request.note;
  request.note = {
    guardrails: joined(known?.guardrails, note.guardrails),
    feedback: joined(known?.feedback, note.feedback),
    spans: joined(known?.spans, note.spans),
  };
}

/** Most requests have one note, which is kept as it is. */
function joined<T>(known: readonly T[] = [], more: readonly T[] = []): readonly T[] {
  if (known.length === 0) return more;
  return more.length === 0 ? known : [...known, ...more];
}

/** What follows a reply: its tokens are counted and priced, plugins settle, then the record goes to the logs. */
export async function settle(runtime: Runtime, exchange: Exchange, outcome: Outcome, ending: Ending): Promise<void> {
  const left = ending === 'left' || exchange.cancellation.cancelled;
  const durationMs = runtime.now() - exchange.startedAt;
  const timings = exchange.clock.timings();
  let counted: CountedUsage = uncounted;
  let cost: Cost | undefined;
  let givenUp: readonly GivenUpReply[] | undefined;
  try {
    const counting = finishUsage(outcome);
    counted = counting instanceof Promise ? await counting : counting;
    const pricing = costOf(runtime, exchange, outcome, counted, exchange.providerSlug);
    cost = pricing instanceof Promise ? await pricing : pricing;
    if (isGivenUp(exchange, outcome)) await giveUp(runtime, exchange);
    givenUp = exchange.givenUp;
    if (givenUp !== undefined) ({ cost, ...counted } = chargedWith({ ...counted, cost }, givenUp));
  } catch (error) {
    // What was reserved must be given back, and the request belongs into the log, whatever it has cost.
    runtime.log.error('cost_unknown', { request: exchange.id, error: (error as Error).message });
  }
  const { note } = exchange;
  const { usage, usageSource } = counted;
  const record = recordOf(exchange, outcome, { left, usage, usageSource, cost, givenUp, durationMs, timings });
  const settled = runtime.pipeline.settle(exchange, record);
  if (settled instanceof Promise) await settled;
  // What plugins found out while they settled belongs to the record too.
  const noted = exchange.note === note ? record : { ...record, ...exchange.note };
  runtime.pipeline.log(withoutCredentials(noted), () => new ExchangeBodies(exchange, outcome));
}

/** Callers put anything into their metadata. */
function withoutCredentials(record: RequestRecord): RequestRecord {
  const { body, hidden } = hideCredentials(record.metadata);
  return hidden.length === 0 ? record : { ...record, metadata: body as RequestRecord['metadata'] };
}

const longestName = 256;

/** What has been found out about a request after its reply. */
export interface Findings extends CountedUsage, Pick<RequestRecord, 'durationMs' | 'timings'> {
  /** The client did not wait for the end. */
  readonly left: boolean;
  readonly cost: Cost | undefined;
  readonly givenUp?: readonly GivenUpReply[] | undefined;
}

/** The record of a request whose reply is there. Made in one piece: to copy it costs more than to make it. */
export function recordOf(
  exchange: Exchange,
  outcome: Outcome,
  { left, usage, usageSource, cost, givenUp, durationMs, timings }: Findings,
): RequestRecord {
  const { note } = exchange;
  const { access } = exchange.principal;
  const { model } = exchange.body;
  const asked = left && outcome.path === '' ? calledLast(exchange) : outcome;
  const served = asked.path === '' ? undefined : asked.path;
  const first = exchange.attempts[0]?.target;
  return {
    id: exchange.id,
    traceId: exchange.traceId,
    spanId: exchange.spanId,
    spanLabel: exchange.spanLabel,
    parentSpanId: exchange.parentSpanId,
    callersTrace: exchange.callersTrace,
    spanName: exchange.spanName,
    startedAt: exchange.startedAt,
    method: exchange.method,
    path: exchange.path,
    endpoint: exchange.endpoint,
    status: left ? 499 : outcome.status,
    stream: outcome.body.kind === 'stream',
    principal: exchange.principal.id,
    principalName: exchange.principal.name,
    organisationId: access?.organisationId,
    workspaceId: access?.workspaceId,
    keyId: access?.keyId,
    userId: access?.userId,
    metadata: exchange.metadata,
    configId: exchange.savedConfig?.id,
    configSlug: exchange.savedConfig?.slug,
    configVersionId: exchange.savedConfig?.versionId,
    prompt: exchange.prompt,
    providerSlug: exchange.providerSlug,
    provider: asked.provider,
    model: bounded(asked.model),
    repliedModel: bounded(outcome.metering?.model),
    requestedModel: typeof model === 'string' ? bounded(model) : undefined,
    target: served,
    fallback: first !== undefined && served !== undefined && first !== served,
    retries: outcome.retries,
    attempts: attemptsOf(exchange, outcome),
    usage,
    usageSource,
    tier: outcome.tier?.(),
    region: outcome.region?.(),
    cost,
    givenUp,
    cache: outcome.cache,
    savedNanoUsd: outcome.savedNanoUsd,
    sentAs: exchange.sentAs,
    replyUntouched: !left && isUntouched(outcome),
    error: left ? 'client_closed' : (outcome.error ?? outcome.metering?.error),
    durationMs,
    timings,
    guardrails: note?.guardrails,
    feedback: note?.feedback,
    spans: note?.spans,
  };
}

/** The call whose reply has broken off failed, although it was noted as one that had begun well. */
function attemptsOf({ attempts }: Exchange, { path, metering }: Outcome): readonly Attempt[] {
  const error = metering?.error;
  const last = attempts.at(-1);
  if (error === undefined || last === undefined || last.error !== undefined || last.target !== path) return attempts;
  return [...attempts.slice(0, -1), { ...last, error }];
}

/** Who was asked when the client left: what has ended the request then tells nothing of it. */
function calledLast({ called, calledModel }: Exchange): Pick<Outcome, 'provider' | 'model' | 'path'> {
  return { provider: called?.provider, model: calledModel, path: called?.path ?? '' };
}

/** A client may call its model anything. A copy, for a slice would keep the whole text in memory as long as logs and metrics do. */
function bounded(name: string | undefined): string | undefined {
  if (name === undefined || name.length <= longestName) return name;
  return Buffer.from(name.slice(0, longestName)).toString();
}
