import { Cancellation } from '../upstream/cancellation.ts';

/** Stops what a client has asked for a while after the client has left, so that an answer under way can be read to its end. */
export class Patience extends Cancellation {
  #timer: NodeJS.Timeout | undefined;

  constructor(client: Cancellation, patienceMs: number) {
    super();
    client.onCancel(() => {
      this.#timer = setTimeout(() => this.cancel(), patienceMs).unref();
    });
  }

  override onCancel(listener: () => void): () => void {
    const forget = super.onCancel(listener);
    return () => {
      forget();
      if (!this.isHeard) clearTimeout(this.#timer);
    };
  }
}
