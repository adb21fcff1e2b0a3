import type { MaybePromise } from 'portcullis/sdk';
import { WebSocket } from 'ws';

/** Above so many bytes that wait to be sent, the other side is not read. */
const mostWaiting = 1024 * 1024;
const resumeBelow = 256 * 1024;

/** What becomes of a message: it goes on, with other bytes or its own, or it stays here. */
export type Verdict = Buffer | undefined;

interface Message {
  readonly data: Buffer;
  readonly binary: boolean;
}

export interface LaneOptions {
  readonly from: WebSocket;
  readonly to: WebSocket;
  /** Looks at each message in its turn; the ones behind it wait. */
  readonly look: (data: Buffer) => MaybePromise<Verdict>;
  /** Called when a look has failed, or a message has left. */
  readonly failed: (error: unknown) => void;
  readonly sent: () => void;
}

/** The messages of one direction, in their order. Whoever sends is read only as fast as what it sends can be passed on. */
export class Lane {
  readonly #options: LaneOptions;
  readonly #queue: Message[] = [];
  #busy = false;
  #closed = false;
  #idle: (() => void) | undefined;

  constructor(options: LaneOptions) {
    this.#options = options;
    options.from.on('message', (data, binary) => this.#take({ data: data as Buffer, binary }));
  }

  /** Runs when all that has come so far has been passed on. */
  whenIdle(run: () => void): void {
    if (this.#busy) this.#idle = run;
    else run();
  }

  /** Nothing more goes on. */
  close(): void {
    this.#closed = true;
    this.#queue.length = 0;
  }

  #take(message: Message): void {
    if (this.#closed) return;
    if (this.#busy) this.#queue.push(message);
    else this.#serve(message);
  }

  #serve(message: Message): void {
    try {
      const verdict = this.#options.look(message.data);
      if (!(verdict instanceof Promise)) {
        this.#pass(verdict, message.binary);
        return;
      }
      this.#busy = true;
      this.#options.from.pause();
      verdict.then(
        (known) => {
          this.#pass(known, message.binary);
          this.#goOn();
        },
        (error: unknown) => this.#options.failed(error),
      );
    } catch (error) {
      this.#options.failed(error);
    }
  }

  #goOn(): void {
    this.#busy = false;
    for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift()) {
      this.#serve(next);
      if (this.#busy) return;
    }
    this.#flow();
    const idle = this.#idle;
    this.#idle = undefined;
    idle?.();
  }

  #pass(verdict: Verdict, binary: boolean): void {
    const { from, to, sent } = this.#options;
    if (verdict === undefined || this.#closed || to.readyState !== WebSocket.OPEN) return;
    to.send(verdict, { binary }, (error) => {
      if (error) return;
      sent();
      this.#flow();
    });
    if (to.bufferedAmount > mostWaiting) from.pause();
  }

  #flow(): void {
    const { from, to } = this.#options;
    if (from.isPaused && !this.#busy && to.bufferedAmount < resumeBelow) from.resume();
  }
}
