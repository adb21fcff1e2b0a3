import {
  asObject,
  clientName,
  createFramer,
  type Delta,
  type ErrorCode,
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
  type ToolNames,
} from 'portcullis/sdk';
import type { StreamedReply } from '../ledger/counted-reply.ts';
import type { ReplyLedger } from '../ledger/reply-ledger.ts';
import { errorCodeOf } from './outcome.ts';
import { ReshapedStream } from './reshaped-stream.ts';
import { type Ended, StreamTap } from './stream-tap.ts';

/** Takes what is read for its counts alone. */
const nowhere: ReplySink = { data: () => true, end: () => {}, error: () => {} };

/** A stream whose tokens are counted: where the operator wants it, it is read on when its client has left. */
abstract class CountedStream implements ReplyStream {
  protected readonly source: ReplyStream;
  protected readonly ledger: ReplyLedger;
  protected sink: ReplySink | undefined;

  constructor(source: ReplyStream, ledger: ReplyLedger) {
    this.source = source;
    this.ledger = ledger;
  }

  abstract pipe(sink: ReplySink): void;

  resume(): void {
    this.source.resume();
  }

  abort(): void {
    if (!this.ledger.drains) {
      this.source.abort();
      this.ledger.over();
    } else if (this.sink === undefined) {
      this.pipe(nowhere);
    } else {
      this.sink = nowhere;
      this.source.resume();
    }
  }

  /** Whether nobody listens any more, and enough has been read; tells the source so. */
  protected isDrained(chunk: Uint8Array | string): boolean {
    if (this.sink !== nowhere) return false;
    this.ledger.drained(chunk.length);
    if (this.ledger.drains) return false;
    this.source.abort();
    this.ledger.over();
    return true;
  }

  protected finish(): void {
    this.ledger.over();
    this.sink?.end();
  }
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

function codeOf(error: Error): ErrorCode {
  return GatewayError.is(error) ? error.code : 'upstream_invalid';
}

export interface Forwarding {
  readonly dialect: GenerationDialect;
  readonly reply: StreamedReply;
  /** Events that hold nothing but usage are kept from the client, who has not asked for them. */
  readonly hidesUsage: boolean;
  readonly mask: Mask;
}

/** Takes the credentials of a call out of what its provider says of an error. */
type Mask = (text: string) => string;

const errorWord = Buffer.from('"error"');

/** Forwards the bytes as they are; a tap reads usage, and an end that is missing is made good. */
export class ForwardedStream extends CountedStream {
  readonly #dialect: GenerationDialect;
  readonly #mask: Mask;
  readonly #tap: StreamTap;
  #masked = false;

  constructor(source: ReplyStream, ledger: ReplyLedger, { dialect, reply, hidesUsage, mask }: Forwarding) {
    super(source, ledger);
    this.#dialect = dialect;
    this.#mask = mask;
    this.#tap = new StreamTap(dialect, reply, hidesUsage);
  }

  /** Whether all that has left came from the provider, and all that came has left. */
  get isUntouched(): boolean {
    return this.#tap.isUntouched && !this.#masked && !(this.source instanceof ReshapedStream && this.source.isChanged);
  }

  pipe(sink: ReplySink): void {
    const tap = this.#tap;
    this.sink = sink;
    this.source.pipe({
      data: (chunk) => this.isDrained(chunk) || tap.pass(this.#told(chunk as Uint8Array), this.sink ?? sink),
      end: () => this.#end(tap.end(this.#dialect.encodeStreamFault(cutShort), this.sink ?? sink), 'upstream_invalid'),
      error: (error) => {
        const fault = this.#dialect.encodeStreamFault(faultOf(error));
        this.#end(tap.breakOff(fault, this.sink ?? sink), codeOf(error));
      },
    });
  }

  /** The chunk, but for a credential that an error in it repeats. */
  #told(chunk: Uint8Array): Uint8Array {
    const bytes = Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    if (!bytes.includes(errorWord)) return chunk;
    // Whatever the bytes are of, each is one character here, and comes back as itself.
    const text = bytes.toString('latin1');
    const told = this.#mask(text);
    if (told === text) return chunk;
    this.#masked = true;
    return Buffer.from(told, 'latin1');
  }

  #end(ended: Ended, code: ErrorCode): void {
    if (ended !== 'well') this.ledger.failed(ended === 'short' ? code : errorCodeOf(ended));
    this.finish();
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
  readonly mask: Mask;
  readonly toolNames?: ToolNames | undefined;
}

/** The neutral reason for a provider's own finish word; the word may be one that every object has. */
export function reasonOf(table: Translation['finishReasons'], native: string | undefined): FinishReason | undefined {
  return table !== undefined && native !== undefined && Object.hasOwn(table, native) ? table[native] : undefined;
}

/** Reads one format and writes another, event by event. */
export class TranslatedStream extends CountedStream {
  readonly #translation: Translation;
  readonly #reply: StreamedReply;
  readonly #framer: Framer;

  constructor(source: ReplyStream, ledger: ReplyLedger, reply: StreamedReply, translation: Translation) {
    super(source, ledger);
    this.#translation = translation;
    this.#reply = reply;
    this.#framer = createFramer(translation.framing);
  }

  pipe(sink: ReplySink): void {
    let over = false;
    this.sink = sink;
    const send = (text: string) => text === '' || (this.sink ?? sink).data(text);
    const finish = (text: string) => {
      over = true;
      send(text);
      this.finish();
    };
    const fail = (error: Error) => {
      this.ledger.failed(codeOf(error));
      finish(this.#translation.encoder.push({ type: 'fault', fault: faultOf(error) }));
    };
    this.source.pipe({
      data: (chunk) => {
        if (over || this.isDrained(chunk)) return true;
        try {
          return send(this.#read(chunk as Uint8Array));
        } catch (error) {
          fail(error as Error);
          this.source.abort();
          return true;
        }
      },
      end: () => {
        if (over) return;
        try {
          const said = this.#text(this.#framer.end());
          const rest = this.#translation.decoder.end();
          if (rest.some(({ type }) => type === 'fault')) this.ledger.failed('upstream_invalid');
          finish(said + this.#encode(rest));
        } catch (error) {
          fail(error as Error);
        }
      },
      error: (error) => {
        if (!over) fail(error);
      },
    });
  }

  #read(chunk: Uint8Array): string {
    const { capture, meter } = this.#reply;
    capture.add(chunk);
    const text = this.#text(this.#framer.push(chunk));
    if (meter.state === 'final') capture.drop();
    return text;
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
      if (delta.type === 'fault') this.ledger.failed(errorCodeOf(delta.fault));
      text += this.#translation.encoder.push(this.#clientDelta(delta));
    }
    return text;
  }

  #clientDelta(delta: Delta): Delta {
    if (delta.type === 'finish') return this.#finishDelta(delta);
    const { toolNames } = this.#translation;
    if (delta.type === 'tool-call' && toolNames !== undefined)
      return { ...delta, name: clientName(delta.name, toolNames) };
    if (delta.type !== 'fault') return delta;
    return { ...delta, fault: { ...delta.fault, message: this.#translation.mask(delta.fault.message) } };
  }

  #finishDelta(delta: Extract<Delta, { type: 'finish' }>): Delta {
    const reason = reasonOf(this.#translation.finishReasons, delta.native);
    return reason === undefined ? delta : { ...delta, reason };
  }
}
