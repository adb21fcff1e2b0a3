import { StringDecoder } from 'node:string_decoder';
import type { Outcome, ReplySink, ReplyStream } from 'portcullis/sdk';

const json = 'application/json; charset=utf-8';

/** A stream of events as one JSON array, of which each element is the data of an event; any other reply as it is. */
export function arrayOfEvents(outcome: Outcome): Outcome {
  const { headers, body } = outcome;
  if (!String(headers['content-type'] ?? '').includes('text/event-stream')) return outcome;
  const typed = { ...outcome, headers: { ...headers, 'content-type': json } };
  if (body.kind === 'stream') return { ...typed, body: { kind: 'stream', stream: new ArrayStream(body.stream) } };
  const elements = new Elements();
  const text = elements.push(body.bytes) + elements.end();
  return { ...typed, body: { kind: 'bytes', bytes: Buffer.from(text) } };
}

class ArrayStream implements ReplyStream {
  readonly #source: ReplyStream;
  readonly #elements = new Elements();

  constructor(source: ReplyStream) {
    this.#source = source;
  }

  pipe(sink: ReplySink): void {
    this.#source.pipe({
      data: (chunk) => {
        const text = this.#elements.push(chunk);
        return text === '' || sink.data(text);
      },
      end: () => {
        sink.data(this.#elements.end());
        sink.end();
      },
      error: (error) => sink.error(error),
    });
  }

  resume(): void {
    this.#source.resume();
  }

  abort(): void {
    this.#source.abort();
  }
}

const lineEnd = /\r\n|\n|\r/;
const eventEnd = /\r\n\r\n|\n\n|\r\r/;

/** Writes an array element by element. An error that breaks a stream off stands in it as a bare object, and is one too. */
class Elements {
  readonly #decoder = new StringDecoder('utf8');
  #held = '';
  #any = false;

  push(chunk: Uint8Array | string): string {
    this.#held += typeof chunk === 'string' ? chunk : this.#decoder.write(chunk);
    let text = '';
    for (let end = eventEnd.exec(this.#held); end !== null; end = eventEnd.exec(this.#held)) {
      text += this.#element(this.#held.slice(0, end.index));
      this.#held = this.#held.slice(end.index + end[0].length);
    }
    return text;
  }

  end(): string {
    const last = this.#element(this.#held + this.#decoder.end());
    this.#held = '';
    return `${last}${this.#any ? '' : '['}]`;
  }

  #element(event: string): string {
    const lines = event.split(lineEnd);
    const data = lines.flatMap((line) => (line.startsWith('data:') ? [line.slice('data:'.length).trimStart()] : []));
    const element = event.startsWith('{') ? event : data.join('\n');
    if (element === '') return '';
    const before = this.#any ? ',\r\n' : '[';
    this.#any = true;
    return before + element;
  }
}
