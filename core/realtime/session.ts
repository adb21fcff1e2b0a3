import { asObject, asString, type JsonObject, parseJson } from 'portcullis/sdk';
import { WebSocket } from 'ws';
import type { Turns } from './turns.ts';

/** Above so many bytes that wait to be sent, the other side is not read. */
const mostWaiting = 1024 * 1024;
const resumeBelow = 256 * 1024;

const goingAway = 1001;
const policyViolation = 1008;
const internalError = 1011;

/** Codes that stand for no code, and may not be sent (RFC 6455 §7.4.1). */
const unsendable: ReadonlySet<number> = new Set([1005, 1006, 1015]);

export interface SessionOptions {
  readonly client: WebSocket;
  readonly upstream: WebSocket;
  readonly turns: Turns;
  /** Runs once, when both sides are closed or given up. */
  readonly done: (ending: 'sent' | 'left') => void;
}

/** A session: messages pass untouched in both directions; what asks for answers, and what completes them, is looked at. */
export class Session {
  readonly #options: SessionOptions;
  #over = false;
  /** Messages of a side wait for the one before: admitting takes time. */
  #fromClient: Promise<void> = Promise.resolve();
  #fromUpstream: Promise<void> = Promise.resolve();

  constructor(options: SessionOptions) {
    this.#options = options;
    const { client, upstream } = options;
    client.on('message', (data, binary) => {
      this.#fromClient = this.#fromClient
        .then(() => this.#clientSays(data as Buffer, binary))
        .catch(() => this.abort());
    });
    upstream.on('message', (data, binary) => {
      this.#fromUpstream = this.#fromUpstream
        .then(() => this.#upstreamSays(data as Buffer, binary))
        .catch(() => this.abort());
    });
    client.on('close', (code, reason) => this.#closed(upstream, code, reason, 'left'));
    upstream.on('close', (code, reason) => {
      // What it said before it closed comes first.
      void this.#fromUpstream.then(() => this.#closed(client, code, reason, 'sent'));
    });
    client.on('error', () => this.#closed(upstream, goingAway, Buffer.alloc(0), 'left'));
    upstream.on('error', () => this.#closed(client, internalError, Buffer.from('The provider broke off.'), 'sent'));
    upstream.resume();
  }

  /** The gateway ends it. */
  abort(code = goingAway, reason = 'The gateway is shutting down.'): void {
    const { client, upstream } = this.#options;
    close(client, code, reason);
    close(upstream, goingAway, '');
    this.#finish('sent');
  }

  async #clientSays(data: Buffer, binary: boolean): Promise<void> {
    const { turns, upstream, client } = this.#options;
    const event = binary ? undefined : eventOf(data, 'response.create');
    if (event !== undefined) {
      const refusal = await turns.asked(event);
      if (refusal !== undefined) {
        client.send(JSON.stringify(refusal));
        return;
      }
    }
    pass(data, binary, client, upstream);
  }

  async #upstreamSays(data: Buffer, binary: boolean): Promise<void> {
    const { turns, upstream, client } = this.#options;
    const begun = binary ? undefined : eventOf(data, 'response.created');
    if (begun !== undefined) {
      const asked = turns.begun(begun);
      const refusal = asked instanceof Promise ? await asked : asked;
      if (refusal !== undefined) {
        client.send(JSON.stringify(refusal));
        this.abort(policyViolation, 'A limit is reached.');
        return;
      }
    }
    const done = binary ? undefined : eventOf(data, 'response.done');
    if (done !== undefined) turns.done(done);
    pass(data, binary, upstream, client);
  }

  #closed(other: WebSocket, code: number, reason: Buffer, ending: 'sent' | 'left'): void {
    close(other, code, reason);
    this.#finish(ending);
  }

  #finish(ending: 'sent' | 'left'): void {
    if (this.#over) return;
    this.#over = true;
    this.#options.turns.close();
    this.#options.done(ending);
  }
}

/** Most messages are sound: only those whose first words may name the type are parsed. */
function eventOf(data: Buffer, type: string): JsonObject | undefined {
  if (!data.includes(type)) return undefined;
  const event = asObject(parseJson(data.toString('utf8')));
  return asString(event?.type) === type ? event : undefined;
}

/** Sends on, and keeps the sender waiting while the receiver is slow. */
function pass(data: Buffer, binary: boolean, from: WebSocket, to: WebSocket): void {
  if (to.readyState !== WebSocket.OPEN) return;
  to.send(data, { binary }, () => {
    if (from.isPaused && to.bufferedAmount < resumeBelow) from.resume();
  });
  if (to.bufferedAmount > mostWaiting) from.pause();
}

function close(socket: WebSocket, code: number, reason: Buffer | string): void {
  if (socket.readyState !== WebSocket.OPEN) {
    if (socket.readyState === WebSocket.CONNECTING) socket.terminate();
    return;
  }
  if (unsendable.has(code)) socket.close();
  else socket.close(code, reason);
  // Whoever does not answer the closing handshake is not waited for.
  setTimeout(() => socket.terminate(), 5_000).unref();
}
