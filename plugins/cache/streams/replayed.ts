import type { ReplySink, ReplyStream } from 'portcullis/sdk';
import { eventsOf } from './events.ts';

/** Events that go out before others get their turn. */
const eventsAtOnce = 64;

/** A kept stream, sent again event by event, as fast as the client takes it. */
export class ReplayedStream implements ReplyStream {
  readonly #events: readonly Uint8Array[];
  #next = 0;
  #sink: ReplySink | undefined;
  #waits = false;

  constructor(bytes: Uint8Array) {
    this.#events = eventsOf(bytes);
  }

  pipe(sink: ReplySink): void {
    this.#sink = sink;
    this.#flow();
  }

  resume(): void {
    if (!this.#waits) return;
    this.#waits = false;
    this.#flow();
  }

  abort(): void {
    this.#sink = undefined;
    this.#next = this.#events.length;
  }

  #flow(): void {
    for (let sent = 0; sent < eventsAtOnce; sent += 1) {
      const sink = this.#sink;
      if (sink === undefined) return;
      const event = this.#events[this.#next];
      if (event === undefined) {
        this.#sink = undefined;
        sink.end();
        return;
      }
      this.#next += 1;
      if (!sink.data(event)) {
        this.#waits = true;
        return;
      }
    }
    setImmediate(() => this.#flow());
  }
}
