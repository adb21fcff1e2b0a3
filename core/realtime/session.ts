import type { JsonObject, MaybePromise } from 'portcullis/sdk';
import { WebSocket } from 'ws';
import {
  type Closing,
  closeSocket,
  goingAway,
  internalError,
  isBroken,
  ofClient,
  ofProvider,
  policyViolation,
} from './closing.ts';
import { asksForAnswer, eventIn, tellsOfAnswers, withMember } from './events.ts';
import { Lane, type Verdict } from './lane.ts';
import type { Refused, SessionEnd, Turns } from './turns.ts';

export interface SessionOptions {
  readonly client: WebSocket;
  readonly upstream: WebSocket;
  readonly turns: Turns;
  readonly newId: () => string;
  /** Told of what went wrong within the gateway. */
  readonly failed: (error: unknown) => void;
  /** Runs once, when both sides are closed or given up. */
  readonly done: (end: SessionEnd) => void;
}

const tellsMore = [...tellsOfAnswers, 'error'];
const nothing = '';
const noReason: Closing = { code: undefined, reason: nothing };
/** So long a provider has to say what an answer has cost that nobody waits for any more. */
const drainMs = 3_000;

/** A session: messages pass in both directions; what asks for answers, and what tells of them, is looked at. */
export class Session {
  readonly #options: SessionOptions;
  readonly #lanes: readonly Lane[];
  /** Sides of which something was heard since the last beat. */
  readonly #alive: Set<WebSocket>;
  #over = false;

  constructor(options: SessionOptions) {
    this.#options = options;
    const { client, upstream } = options;
    this.#alive = new Set([client, upstream]);
    const failed = (error: unknown) => this.#failed(error);
    const sentTo = (side: WebSocket) => () => this.#alive.add(side);
    const up = new Lane({
      from: client,
      to: upstream,
      look: (data) => this.#clientSays(data),
      failed,
      sent: sentTo(upstream),
    });
    const down = new Lane({
      from: upstream,
      to: client,
      look: (data) => this.#upstreamSays(data),
      failed,
      sent: sentTo(client),
    });
    this.#lanes = [up, down];
    for (const side of [client, upstream]) {
      for (const sign of ['message', 'ping', 'pong']) side.on(sign, () => this.#alive.add(side));
    }
    client.on('error', () => this.#end('left', undefined, { code: goingAway, reason: 'The client is at fault.' }));
    client.on('close', (code, reason) => this.#clientClosed(code, String(reason)));
    upstream.on('error', () =>
      this.#end('broken', { code: internalError, reason: 'The provider sent what cannot be passed on.' }, undefined),
    );
    // What it said before it closed comes first.
    upstream.on('close', (code, reason) => down.whenIdle(() => this.#upstreamClosed(code, String(reason))));
    if (upstream.readyState === WebSocket.OPEN) upstream.resume();
    else this.#upstreamClosed(1006, nothing);
  }

  /** The gateway ends it. */
  abort(code = goingAway, reason = 'The gateway is shutting down.', end: SessionEnd = 'sent'): void {
    this.#end(end, { code, reason }, { code: goingAway, reason: nothing });
  }

  /** Neither side is waited for. */
  terminate(): void {
    this.abort();
    this.#options.client.terminate();
    this.#options.upstream.terminate();
  }

  /** Called in even steps: whoever has not been heard since the last one is gone. One that is not read cannot be heard. */
  beat(): void {
    const { client, upstream } = this.#options;
    for (const side of [client, upstream]) {
      if (side.readyState !== WebSocket.OPEN) continue;
      if (!this.#alive.has(side) && !side.isPaused) side.terminate();
      else side.ping();
    }
    this.#alive.clear();
  }

  #clientSays(data: Buffer): MaybePromise<Verdict> {
    const asked = eventIn(data, asksForAnswer)?.event;
    if (asked === undefined) return data;
    // By its name the provider says which question it refuses.
    const unnamed = asked.event_id === undefined;
    const name = `event_${this.#options.newId()}`;
    return this.#options.turns.asked(unnamed ? { ...asked, event_id: name } : asked).then((refused) => {
      if (refused === undefined) return unnamed ? withMember(data, 'event_id', name) : data;
      this.#tell(unnamed ? withoutName(refused.event) : refused.event);
      return undefined;
    });
  }

  #upstreamSays(data: Buffer): MaybePromise<Verdict> {
    const { turns } = this.#options;
    const told = eventIn(data, turns.isWaiting ? tellsMore : tellsOfAnswers);
    if (told === undefined) return data;
    const { type, event } = told;
    if (type === 'response.created') return this.#unless(turns.begun(event), data, false);
    if (type === 'response.done') return this.#unless(turns.done(event), data, true);
    if (type === 'error') turns.failed(event);
    else if (type.startsWith('session.')) turns.configured(event);
    else return this.#unless(turns.transcribed(event), data, true);
    return data;
  }

  /** A limit that is reached by what the provider does of itself ends the session; what is paid for still goes out. */
  #unless(refused: MaybePromise<Refused | undefined>, data: Buffer, paid: boolean): MaybePromise<Verdict> {
    if (refused instanceof Promise) return refused.then((known) => this.#unless(known, data, paid));
    if (refused === undefined) return data;
    const { client } = this.#options;
    if (paid && client.readyState === WebSocket.OPEN) client.send(data, { binary: false });
    this.#tell(refused.event);
    this.abort(policyViolation, refused.message);
    return undefined;
  }

  #tell(event: JsonObject): void {
    const { client } = this.#options;
    if (client.readyState === WebSocket.OPEN) client.send(JSON.stringify(event));
  }

  #clientClosed(code: number, reason: string): void {
    this.#end(isBroken(code) ? 'left' : 'sent', undefined, ofClient(code, reason));
  }

  #upstreamClosed(code: number, reason: string): void {
    this.#end(isBroken(code) ? 'broken' : 'sent', ofProvider(code, reason), undefined);
  }

  #failed(error: unknown): void {
    this.#options.failed(error);
    this.abort(internalError, 'The gateway failed.', 'broken');
  }

  /** Closes what is not closed yet. The first reason counts. @param upstream undefined: the provider has ended it */
  #end(end: SessionEnd, client: Closing | undefined, upstream: Closing | undefined): void {
    if (this.#over) return;
    this.#over = true;
    for (const lane of this.#lanes) lane.close();
    const { client: near, upstream: far, turns, done } = this.#options;
    closeSocket(near, client ?? noReason);
    const finish = () => {
      closeSocket(far, upstream ?? noReason);
      turns.close(upstream === undefined ? 'broken' : 'left');
      done(end);
    };
    if (upstream === undefined) finish();
    else this.#drain(finish);
  }

  /** Answers that have begun are called off, so that the provider says what they have cost. */
  #drain(finish: () => void): void {
    const { upstream, turns } = this.#options;
    if (upstream.readyState !== WebSocket.OPEN || turns.running.length === 0) {
      finish();
      return;
    }
    const over = () => {
      clearTimeout(timer);
      upstream.off('message', heard);
      upstream.off('close', over);
      finish();
    };
    const heard = (data: unknown) => {
      const told = eventIn(data as Buffer, ['response.done']);
      if (told !== undefined) void turns.done(told.event);
      if (turns.running.length === 0) over();
    };
    const timer = setTimeout(over, drainMs);
    upstream.on('message', heard);
    upstream.on('close', over);
    for (const id of turns.running) upstream.send(JSON.stringify({ type: 'response.cancel', response_id: id }));
    upstream.resume();
  }
}

/** The client has not named its event, so that it is not told any name. */
function withoutName(event: JsonObject): JsonObject {
  return { ...event, error: { ...(event.error as JsonObject), event_id: null } };
}
