import { asObject, asString, GatewayError, type JsonObject, type MaybePromise } from 'portcullis/sdk';
import { errorReply } from '../http/errors.ts';
import { refusalEvent } from './events.ts';
import { type SessionFacts, Turn, type TurnEnd } from './turn.ts';
import { realtimeUsage } from './usage.ts';

/** What the client is told in the place of an answer. */
export interface Refused {
  readonly event: JsonObject;
  readonly message: string;
}

/** How a session ended: in good order, by a client who vanished, or by a provider who did. */
export type SessionEnd = 'sent' | 'left' | 'broken';

/** Why answers have not come: nobody waits for them any more, or the provider is gone. */
type Unanswered = 'left' | 'broken';

/** Whoever has so many questions open is not answered at all. */
const mostOpen = 1_000;
const mostRemembered = 1_000;

/** The answers of one session, from when they are asked for, or begun by the provider itself, until they have come. */
export class Turns {
  readonly #facts: SessionFacts;
  /** Admitted, and waiting for what they will have cost, in the order of their asking. */
  readonly #open: Turn[] = [];
  /** Ids of answers that have been counted. */
  readonly #done = new Set<string>();
  #model: string | undefined;
  #transcriber: string | undefined;
  #over: Unanswered | undefined;

  constructor(facts: SessionFacts) {
    this.#facts = facts;
    this.#model = facts.outcome.model;
  }

  /** Whether anything has been asked for of which the provider has said nothing yet. */
  get isWaiting(): boolean {
    return this.#open.some(({ id }) => id === undefined);
  }

  /** Ids of the answers that have begun, and are not complete. */
  get running(): readonly string[] {
    return this.#open.flatMap(({ id }) => id ?? []);
  }

  /** The client asks for an answer. @returns what to tell it instead, where limits refuse it */
  asked(event: JsonObject): Promise<Refused | undefined> {
    return this.#admit(event, undefined);
  }

  /** The provider begins an answer; one that nobody has asked for is admitted now. */
  begun(event: JsonObject): MaybePromise<Refused | undefined> {
    const id = asString(asObject(event.response)?.id);
    if (id !== undefined && (this.#done.has(id) || this.#open.some((turn) => turn.id === id))) return undefined;
    const waiting = this.#open.find((turn) => turn.id === undefined);
    if (waiting === undefined) return this.#admit({ type: 'response.create' }, id);
    // One without an id stays open to be found as the first.
    waiting.id = id;
    return undefined;
  }

  /** An answer is complete: what it has cost is counted. One that was never begun is admitted first. */
  done(event: JsonObject): MaybePromise<Refused | undefined> {
    const response = asObject(event.response) ?? {};
    const id = asString(response.id);
    if (id !== undefined && this.#done.has(id)) return undefined;
    const end = endOf(event, response);
    const turn = this.#taken(id);
    if (id !== undefined) this.#remember(id);
    if (turn === undefined) return this.#countLate({ type: 'response.create' }, this.#model, end);
    turn.settle(end);
    return undefined;
  }

  /** What the client has said has been written down, by a model of its own. */
  transcribed(event: JsonObject): MaybePromise<Refused | undefined> {
    const usage = realtimeUsage(event);
    if (usage === undefined) return undefined;
    return this.#countLate({ type: 'transcription' }, this.#transcriber, { status: 200, usage, event });
  }

  /** The provider refuses what the client has asked for. */
  failed(event: JsonObject): void {
    const error = asObject(event.error) ?? {};
    const name = asString(error.event_id);
    const at = this.#open.findIndex(({ askedAs, id }) => id === undefined && name !== undefined && askedAs === name);
    if (at === -1) return;
    const [turn] = this.#open.splice(at, 1);
    const status = error.type === 'invalid_request_error' ? 400 : 502;
    turn?.settle({ status, error: 'upstream_error', usage: undefined, event });
  }

  /** The provider says what the session is. */
  configured({ session: told }: JsonObject): void {
    const session = asObject(told) ?? {};
    this.#model ??= asString(session.model);
    const heard = asObject(asObject(session.audio)?.input)?.transcription ?? session.input_audio_transcription;
    this.#transcriber = asString(asObject(heard)?.model) ?? this.#transcriber;
  }

  /** The session is over: what was admitted and never answered gives its room back. */
  close(end: Unanswered): void {
    this.#over = end;
    for (const turn of this.#open.splice(0)) turn.settle(unanswered(end));
  }

  async #admit(event: JsonObject, id: string | undefined): Promise<Refused | undefined> {
    const turn = new Turn(this.#facts, event, this.#model);
    turn.id = id;
    try {
      if (this.#open.length >= mostOpen)
        throw new GatewayError('throttled', 'Too many answers of this session are open.');
      await turn.admit();
    } catch (error) {
      return this.#refused(turn, event, error);
    }
    // It was closed meanwhile.
    if (this.#over === undefined) this.#open.push(turn);
    else turn.settle(unanswered(this.#over));
    return undefined;
  }

  /** What has been done already counts, and is told where it should not have been. */
  async #countLate(event: JsonObject, model: string | undefined, end: TurnEnd): Promise<Refused | undefined> {
    const turn = new Turn(this.#facts, event, model);
    try {
      await turn.admit();
      return undefined;
    } catch (error) {
      return this.#refusal(turn, event, error);
    } finally {
      turn.settle(end);
    }
  }

  #refused(turn: Turn, event: JsonObject, error: unknown): Refused {
    const { status, error: code } = errorReply(error, turn.exchange.id, 'chat', this.#facts.runtime.log);
    const refusal = this.#refusal(turn, event, error);
    const why = code === undefined ? {} : { error: code };
    // What the client asks for has a name; what has none the provider has begun by itself.
    const unasked = turn.askedAs !== undefined;
    turn.settle({ status, ...why, usage: undefined, unasked, event: refusal.event });
    return refusal;
  }

  #refusal({ exchange }: Turn, asked: JsonObject, error: unknown): Refused {
    const event = refusalEvent(error, asked, exchange.id);
    return { event, message: asString(asObject(event.error)?.message) ?? '' };
  }

  /** By its id; where none such has begun, the first that waits; where it has none, the first of all. */
  #taken(id: string | undefined): Turn | undefined {
    const known = id === undefined ? 0 : this.#open.findIndex((turn) => turn.id === id);
    const at = known === -1 ? this.#open.findIndex((turn) => turn.id === undefined) : known;
    if (at === -1) return undefined;
    const [turn] = this.#open.splice(at, 1);
    return turn;
  }

  #remember(id: string): void {
    this.#done.add(id);
    if (this.#done.size <= mostRemembered) return;
    const [oldest] = this.#done;
    if (oldest !== undefined) this.#done.delete(oldest);
  }
}

function unanswered(end: Unanswered): TurnEnd {
  if (end === 'broken') return { status: 502, error: 'upstream_error', usage: undefined, event: {} };
  return { status: 499, error: 'client_closed', usage: undefined, event: {} };
}

const overTheLimit: ReadonlySet<string> = new Set(['rate_limit_exceeded', 'insufficient_quota']);

/** Whatever is no failure is an answer: a part of one, and one that was interrupted, are paid for too. */
function endOf(event: JsonObject, response: JsonObject): TurnEnd {
  const usage = realtimeUsage(response);
  if (response.status !== 'failed') return { status: 200, usage, event };
  const { code } = asObject(asObject(response.status_details)?.error) ?? {};
  const status = overTheLimit.has(asString(code) ?? '') ? 429 : 502;
  return { status, error: 'upstream_error', usage, event };
}
