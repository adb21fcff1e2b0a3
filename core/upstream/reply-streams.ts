import {
  asObject,
  createFramer,
  type Delta,
  type FinishReason,
  type Frame,
  type Framer,
  type Framing,
  FramingError,
  GatewayError,
  type GenerationDialect,
  type JsonObject,
  type ProviderFault,
  parseJson,
  type ReplySink,
  type ReplyStream,
  type StreamDecoder,
  type StreamEncoder,
  type Usage,
} from 'portcullis/sdk';
import { StreamTap } from './stream-tap.ts';
import type { WireStream } from './transport.ts';

/** A reply stream that also learns what the stream says about tokens. */
export interface MeteredStream extends ReplyStream {
  usage(): Usage | undefined;
}

/** The error of a broken stream as the client is told of it. */
function faultOf(error: Error): ProviderFault {
  if (GatewayError.is(error))
    return { status: error.status, message: error.message, type: error.type, code: error.code };
  const message =
    error instanceof FramingError
      ? 'The provider sent a stream that is not in its own format.'
      : 'The stream broke off.';
  return { status: 502, message, type: 'api_error', code: 'upstream_invalid' };
}

/** Forwards the bytes as they are; a tap reads usage, and an end that is missing is made good. */
export class ForwardedStream implements MeteredStream {
  readonly #source: WireStream;
  readonly #dialect: GenerationDialect;
  readonly #tap: StreamTap;

  constructor(source: WireStream, dialect: GenerationDialect) {
    this.#source = source;
    this.#dialect = dialect;
    this.#tap = new StreamTap(dialect);
  }

  usage(): Usage | undefined {
    return this.#tap.usage;
  }

  resume(): void {
    this.#source.resume();
  }

  abort(): void {
    this.#source.abort();
  }

  pipe(sink: ReplySink): void {
    const tap = this.#tap;
    this.#source.pipe({
      data: (chunk) => {
        tap.see(chunk as Uint8Array);
        return sink.data(chunk);
      },
      end: () => {
        const missing = tap.ending(this.#dialect.encodeStreamFault(cutShort));
        if (missing !== '') sink.data(missing);
        sink.end();
      },
      error: (error) => {
        // The blank line closes an event that may have been cut in half.
        sink.data(`\n\n${this.#dialect.encodeStreamFault(faultOf(error))}`);
        sink.end();
      },
    });
  }
}

const cutShort: ProviderFault = {
  status: 502,
  message: 'The provider closed the stream before it was complete.',
  type: 'api_error',
  code: 'upstream_invalid',
};

export interface Translation {
  readonly framing: Framing;
  readonly decoder: StreamDecoder;
  readonly encoder: StreamEncoder;
  readonly finishReasons: Readonly<Record<string, FinishReason>> | undefined;
  readonly repair: ((json: JsonObject) => JsonObject) | undefined;
}

/** The neutral reason for a provider's own finish word; the word may be one that every object has. */
export function reasonOf(table: Translation['finishReasons'], native: string | undefined): FinishReason | undefined {
  return table !== undefined && native !== undefined && Object.hasOwn(table, native) ? table[native] : undefined;
}

/** Reads one format and writes another, event by event. */
export class TranslatedStream implements MeteredStream {
  readonly #source: WireStream;
  readonly #translation: Translation;
  readonly #framer: Framer;
  #usage: Usage | undefined;

  constructor(source: WireStream, translation: Translation) {
    this.#source = source;
    this.#translation = translation;
    this.#framer = createFramer(translation.framing);
  }

  usage(): Usage | undefined {
    return this.#usage;
  }

  resume(): void {
    this.#source.resume();
  }

  abort(): void {
    this.#source.abort();
  }

  pipe(sink: ReplySink): void {
    let over = false;
    const finish = (text: string) => {
      over = true;
      if (text !== '') sink.data(text);
      sink.end();
    };
    const fail = (error: Error) => finish(this.#translation.encoder.push({ type: 'fault', fault: faultOf(error) }));
    this.#source.pipe({
      data: (chunk) => {
        if (over) return true;
        try {
          const text = this.#text(this.#framer.push(chunk as Uint8Array));
          return text === '' ? true : sink.data(text);
        } catch (error) {
          fail(error as Error);
          this.#source.abort();
          return true;
        }
      },
      end: () => {
        if (over) return;
        try {
          finish(this.#text(this.#framer.end()) + this.#encode(this.#translation.decoder.end()));
        } catch (error) {
          fail(error as Error);
        }
      },
      error: (error) => {
        if (!over) fail(error);
      },
    });
  }

  #text(frames: readonly Frame[]): string {
    let text = '';
    for (const frame of frames) text += this.#encode(this.#translation.decoder.push(this.#repaired(frame)));
    return text;
  }

  #repaired(frame: Frame): Frame {
    const { repair } = this.#translation;
    const json = repair === undefined ? undefined : asObject(parseJson(frame.data));
    if (repair === undefined || json === undefined) return frame;
    const repaired = repair(json);
    return repaired === json ? frame : { ...frame, data: JSON.stringify(repaired) };
  }

  #encode(deltas: readonly Delta[]): string {
    let text = '';
    for (const delta of deltas) {
      if (delta.type === 'usage') this.#usage = delta.usage;
      if (delta.type === 'start' && delta.usage !== undefined) this.#usage = delta.usage;
      text += this.#translation.encoder.push(delta.type === 'finish' ? this.#finishDelta(delta) : delta);
    }
    return text;
  }

  #finishDelta(delta: Extract<Delta, { type: 'finish' }>): Delta {
    const reason = reasonOf(this.#translation.finishReasons, delta.native);
    return reason === undefined ? delta : { ...delta, reason };
  }
}
