import {
  createFramer,
  type Frame,
  type Framer,
  type JsonObject,
  type MaybePromise,
  type ReplyContext,
  type ReplySink,
  type ReplyStream,
  type StreamDecoder,
  sseFrame,
} from 'portcullis/sdk';
import { Comments, comment } from './comments.ts';
import { type ClientFormat, isLast, resultsEvent, type Start, withFirst } from './events.ts';
import { Speech } from './speech.ts';
import { streamFault } from './stream-fault.ts';

export interface ReportingOptions {
  readonly source: ReplyStream;
  readonly dialect: ClientFormat;
  readonly context: ReplyContext;
  /** Results that are known before the first event, and that the client should see; undefined: none. */
  readonly first: JsonObject | undefined;
  /** Checks what the stream has said; called once, when it is over or broken off. */
  readonly judge: (speech: Speech) => MaybePromise<void>;
  /** The results to append once `judge` is done; undefined: nothing is appended, and nothing waits for it. */
  readonly last: (() => JsonObject) | undefined;
}

/** A stream that is sent on as it comes, and tells at its end what guardrails said about it. */
export class ReportingStream implements ReplyStream {
  readonly #options: ReportingOptions;
  readonly #framer: Framer = createFramer('sse');
  readonly #comments = new Comments();
  readonly #decoder: StreamDecoder;
  readonly #speech: Speech;
  #start: Start | undefined;
  #firstDue: boolean;
  /** The last event, which waits for the results, and what came behind it. */
  #kept: string | undefined;
  #judged = false;
  /** The stream has told of an error itself. */
  #faulted = false;
  #over = false;

  constructor(options: ReportingOptions) {
    this.#options = options;
    this.#decoder = options.dialect.decodeStream(options.context);
    this.#speech = new Speech(options.dialect, options.context);
    this.#firstDue = options.first !== undefined;
  }

  resume(): void {
    this.#options.source.resume();
  }

  abort(): void {
    this.#over = true;
    this.#options.source.abort();
    // Whoever leaves early has still been told something.
    void this.#judge();
  }

  pipe(sink: ReplySink): void {
    this.#options.source.pipe({
      data: (chunk) => {
        if (this.#over) return true;
        try {
          const text = this.#passed(typeof chunk === 'string' ? Buffer.from(chunk) : chunk);
          return text === '' ? true : sink.data(text);
        } catch (error) {
          this.#faulted = true;
          sink.data(this.#options.dialect.encodeStreamFault(streamFault(error)));
          this.#end(sink);
          this.#options.source.abort();
          return true;
        }
      },
      end: () => {
        if (this.#over) return;
        const text = this.#framed(this.#framer.end());
        if (text !== '') sink.data(text);
        this.#end(sink);
      },
      error: (error) => {
        if (this.#over) return;
        void this.#judge();
        sink.error(error);
      },
    });
  }

  #end(sink: ReplySink): void {
    this.#over = true;
    const broken = this.#brokenOff();
    const finish = () => {
      const ended = this.#kept !== undefined || (this.#options.dialect.endsByClosing === true && broken === '');
      const results = ended ? this.#options.last?.() : undefined;
      const appended = results === undefined ? '' : resultsEvent(this.#options.dialect.name, results, this.#start);
      const text = appended + (this.#kept ?? '') + broken;
      if (text !== '') sink.data(text);
      sink.end();
    };
    const judged = this.#judge();
    if (this.#options.last === undefined || !(judged instanceof Promise)) finish();
    else void judged.then(finish);
  }

  /** Where the format has no last event, what tells that the end is missing is none that could have been passed on. */
  #brokenOff(): string {
    const { dialect } = this.#options;
    if (dialect.endsByClosing !== true || this.#faulted) return '';
    const fault = this.#decoder.end().find((delta) => delta.type === 'fault');
    return fault === undefined ? '' : dialect.encodeStreamFault(fault.fault);
  }

  #judge(): MaybePromise<void> {
    if (this.#judged) return undefined;
    this.#judged = true;
    return this.#options.judge(this.#speech);
  }

  #passed(chunk: Uint8Array): string {
    const commented = this.#comments.isIn(chunk);
    const text = this.#framed(this.#framer.push(chunk));
    return text === '' && commented ? comment : text;
  }

  #framed(frames: readonly Frame[]): string {
    let text = '';
    for (const frame of frames) text += this.#events(frame);
    return text;
  }

  #events(frame: Frame): string {
    const steps = this.#decoder.push(frame);
    for (const delta of steps) {
      if (delta.type === 'start') this.#start = delta;
      if (delta.type === 'fault') this.#faulted = true;
    }
    this.#speech.hear(frame.data, steps);
    const event = this.#withFirst(sseFrame(frame.data, frame.event));
    if (this.#kept === undefined && (this.#options.last === undefined || !isLast(frame, steps))) return event;
    this.#kept = (this.#kept ?? '') + event;
    return '';
  }

  #withFirst(event: string): string {
    const { first, dialect } = this.#options;
    if (!this.#firstDue || first === undefined) return event;
    this.#firstDue = false;
    return withFirst(dialect.name, event, first, this.#start);
  }
}
