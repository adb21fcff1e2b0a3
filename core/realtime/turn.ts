import { Answer, asObject, asString, GatewayError, type JsonObject, type Outcome, type Usage } from 'portcullis/sdk';
import { Exchange } from '../pipeline/exchange.ts';
import type { Runtime } from '../pipeline/runtime.ts';
import { settle } from '../pipeline/settle.ts';

/** What a session is made of, as each of its answers needs it. */
export interface SessionFacts {
  readonly runtime: Runtime;
  readonly exchange: Exchange;
  readonly outcome: Outcome;
  readonly newId: () => string;
}

/** How an answer went. */
export interface TurnEnd {
  readonly status: number;
  readonly error?: string;
  readonly usage: Usage | undefined;
  /** The gateway has refused it: its provider has not heard of it. */
  readonly unasked?: boolean;
  /** The event that told. */
  readonly event: JsonObject;
}

const noHooks = Object.freeze({ before: [], after: [] });

/** One answer within a session, or one transcription: admitted, counted, priced and logged as a request of its own. */
export class Turn {
  readonly exchange: Exchange;
  /** What the client calls the event that asks for it. */
  readonly askedAs: string | undefined;
  /** Of the answer, once it has begun. */
  id: string | undefined;
  readonly #facts: SessionFacts;
  readonly #model: string | undefined;
  #settled = false;
  /** From when on its provider was waited for; by the clock of stages. */
  #askedAt: number | undefined;

  /** @param model that will do the work; undefined: nobody has said */
  constructor(facts: SessionFacts, asked: JsonObject, model: string | undefined) {
    this.#facts = facts;
    this.#model = model;
    this.askedAs = asString(asked.event_id);
    this.exchange = exchangeOf(facts, asked, model);
  }

  /** What plugins say to it. Rejects with what refuses it. */
  async admit(): Promise<void> {
    const { runtime, exchange: session } = this.#facts;
    const { exchange } = this;
    await runtime.pipeline.admit(exchange);
    const { called } = session;
    if (called === undefined) return;
    // The guardrails of the session have been asked when it was opened, and would be told of the same unread bytes.
    const target = { ...called, request: exchange, body: exchange.body, hooks: noHooks, cache: undefined };
    const passed = await runtime.pipeline.beforeRequest(target);
    exchange.clock.called();
    if (passed instanceof Answer) throw refusalIn(passed.outcome);
    this.#askedAt = performance.now();
  }

  /** Counts once, whatever else is told of it. */
  settle(end: TurnEnd): void {
    if (this.#settled) return;
    this.#settled = true;
    const { runtime, outcome: session } = this.#facts;
    const { exchange } = this;
    const outcome: Outcome = {
      status: end.status,
      headers: { 'content-type': 'application/json' },
      body: { kind: 'bytes', bytes: Buffer.from(JSON.stringify(end.event)) },
      provider: session.provider,
      model: this.#model,
      path: session.path,
      retries: 0,
      ...(end.error === undefined ? {} : { error: end.error }),
      usage: () => end.usage,
    };
    const { startedAt } = exchange;
    const durationMs = runtime.now() - startedAt;
    const { status, provider, path: target } = outcome;
    const error = end.error === undefined ? {} : { error: end.error };
    if (end.unasked !== true) exchange.attempts.push({ target, provider, status, startedAt, durationMs, ...error });
    if (this.#askedAt !== undefined) exchange.clock.spend('upstream', this.#askedAt);
    exchange.clock.replied();
    settle(runtime, exchange, outcome, 'sent').catch((cause: unknown) => {
      const text = cause instanceof Error ? cause.message : 'not an error';
      runtime.log.error('settle_failed', { request: exchange.id, error: text });
    });
  }
}

function exchangeOf({ exchange: session, runtime, newId }: SessionFacts, asked: JsonObject, model: string | undefined) {
  const { method, path, endpoint, params, vendors } = session;
  const exchange = new Exchange({
    id: newId(),
    method,
    path,
    query: '',
    endpoint,
    dialect: undefined,
    params,
    headers: headersOf(session),
    vendors,
    startedAt: runtime.now(),
  });
  const { principal, metadata, organisation, workspace, savedConfig, providerSlug } = session;
  Object.assign(exchange, { principal, metadata, organisation, workspace, savedConfig, providerSlug });
  exchange.body = { ...asked, ...(model === undefined ? {} : { model }) };
  exchange.rawBody = Buffer.from(JSON.stringify(asked));
  return exchange;
}

/** Answers are children of their session, in its trace. */
function headersOf({ headers, vendors, traceId, spanId }: Exchange): Record<string, string> {
  const kept = Object.entries(headers).filter(([name]) => !vendors.some((vendor) => name === `x-${vendor}-span-id`));
  const own = vendors.flatMap((vendor) => [
    [`x-${vendor}-trace-id`, traceId],
    [`x-${vendor}-parent-span-id`, spanId],
  ]);
  return Object.fromEntries([...kept, ...own]) as Record<string, string>;
}

/** A plugin has answered in the place of the provider, which within a session can only mean that it refuses. */
function refusalIn({ status, body }: Outcome): GatewayError {
  const json = body.kind === 'bytes' ? Buffer.from(body.bytes).toString('utf8') : '';
  const message = asString(asObject(asObject(parsed(json))?.error)?.message);
  return new GatewayError('forbidden', message ?? 'A plugin of the gateway refuses this answer.', {
    status: status >= 400 ? status : 403,
  });
}

function parsed(text: string): JsonObject | undefined {
  try {
    return asObject(JSON.parse(text));
  } catch {
    return undefined;
  }
}
