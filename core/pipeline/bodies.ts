import type { Outcome, RecordBodies } from 'portcullis/sdk';
import type { Exchange } from './exchange.ts';

const nothing = new Uint8Array();

/** What was said in one exchange, read when a log asks for it. */
export class ExchangeBodies implements RecordBodies {
  readonly #exchange: Exchange;
  readonly #outcome: Outcome;

  constructor(exchange: Exchange, outcome: Outcome) {
    this.#exchange = exchange;
    this.#outcome = outcome;
  }

  request(): ReturnType<RecordBodies['request']> {
    const { headers, rawBody, body } = this.#exchange;
    if (rawBody !== undefined) return { headers, body: rawBody };
    // A plugin has put another body in the place of the client's: that of a saved prompt, filled in.
    return { headers, body: Object.keys(body).length === 0 ? nothing : Buffer.from(JSON.stringify(body)) };
  }

  response(): ReturnType<RecordBodies['response']> {
    const { headers, body } = this.#outcome;
    if (body.kind === 'bytes') return { headers, body: body.bytes, truncated: false };
    const sent = this.#exchange.sent?.bytes();
    return sent === undefined ? undefined : { headers, body: sent.bytes, truncated: sent.truncated };
  }

  control(name: string): string | undefined {
    return this.#exchange.control(name);
  }
}
