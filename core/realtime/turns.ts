import { asObject, asString, GatewayError, type JsonObject, type MaybePromise, type Outcome } from 'portcullis/sdk';
import { errorReply } from '../http/errors.ts';
import { Exchange } from '../pipeline/exchange.ts';
import type { Runtime } from '../pipeline/runtime.ts';
import { settle } from '../pipeline/settle.ts';
import { realtimeUsage } from './usage.ts';

/** Answers of a model within one session: each is admitted, counted, priced and logged as a request of its own. */
export class Turns {
  readonly #runtime: Runtime;
  readonly #session: Exchange;
  readonly #outcome: Outcome;
  readonly #newId: () => string;
  /** Admitted, and waiting for what they will have cost, in the order of their asking. */
  readonly #open: { readonly exchange: Exchange; readonly startedAt: number; id?: string }[] = [];

  constructor(runtime: Runtime, session: Exchange, outcome: Outcome, newId: () => string) {
    this.#runtime = runtime;
    this.#session = session;
    this.#outcome = outcome;
    this.#newId = newId;
  }

  /** The client asks for an answer. @returns what to tell it instead, where limits refuse it */
  async asked(event: JsonObject): Promise<JsonObject | undefined> {
    const exchange = this.#exchangeOf(event);
    try {
      await this.#runtime.pipeline.admit(exchange);
      this.#open.push({ exchange, startedAt: performance.now() });
      return undefined;
    } catch (error) {
      const refused = errorReply(error, exchange.id, 'chat', this.#runtime.log);
      void settle(this.#runtime, exchange, refused, 'sent');
      return refusalEvent(error, event);
    }
  }

  /** The provider begins an answer; one that nobody has asked for is admitted now. */
  begun(event: JsonObject): MaybePromise<JsonObject | undefined> {
    const id = asString(asObject(event.response)?.id);
    const waiting = this.#open.find((turn) => turn.id === undefined);
    if (waiting !== undefined) {
      if (id !== undefined) waiting.id = id;
      return undefined;
    }
    return this.asked({ type: 'response.create' }).then((refusal) => {
      const turn = this.#open.at(-1);
      if (refusal === undefined && turn !== undefined && id !== undefined) turn.id = id;
      return refusal;
    });
  }

  /** An answer is complete: what it has cost is settled. */
  done(event: JsonObject): void {
    const response = asObject(event.response) ?? {};
    const at = this.#open.findIndex(({ id }) => id !== undefined && id === response.id);
    const [turn] = this.#open.splice(Math.max(at, 0), 1);
    const exchange = turn?.exchange ?? this.#exchangeOf({});
    this.#settle(exchange, event, response);
  }

  /** The session is over: what was admitted and never answered gives its room back. */
  close(): void {
    for (const { exchange } of this.#open.splice(0)) this.#settle(exchange, {}, {});
  }

  #settle(exchange: Exchange, event: JsonObject, response: JsonObject): void {
    const failed = response.status === 'failed' || response.status === undefined;
    const usage = realtimeUsage(response);
    const outcome: Outcome = {
      status: failed ? 502 : 200,
      headers: { 'content-type': 'application/json' },
      body: { kind: 'bytes', bytes: Buffer.from(JSON.stringify(event)) },
      provider: this.#outcome.provider,
      model: this.#outcome.model,
      path: this.#outcome.path,
      retries: 0,
      ...(failed ? { error: 'upstream_error' } : {}),
      usage: () => usage,
    };
    exchange.clock.replied();
    void settle(this.#runtime, exchange, outcome, 'sent');
  }

  #exchangeOf(event: JsonObject): Exchange {
    const { method, path, headers, endpoint, params, vendors } = this.#session;
    const exchange = new Exchange({
      id: this.#newId(),
      method,
      path,
      query: '',
      endpoint,
      dialect: undefined,
      params,
      headers,
      vendors,
      startedAt: this.#runtime.now(),
    });
    const { principal, metadata, organisation, workspace, savedConfig, providerSlug, body } = this.#session;
    Object.assign(exchange, { principal, metadata, organisation, workspace, savedConfig, providerSlug });
    exchange.body = { ...body };
    exchange.rawBody = Buffer.from(JSON.stringify(event));
    exchange.attempts.push(...this.#session.attempts.slice(-1));
    return exchange;
  }
}

/** In the form of the errors that a provider sends within a session. */
function refusalEvent(error: unknown, asked: JsonObject): JsonObject {
  const known = GatewayError.is(error) ? error : new GatewayError('internal', 'The gateway failed.');
  return {
    type: 'error',
    error: {
      type: known.type ?? 'invalid_request_error',
      code: known.code,
      message: known.message,
      param: known.param ?? null,
      event_id: asString(asked.event_id) ?? null,
    },
  };
}
