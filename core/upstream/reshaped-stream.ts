import {
  asObject,
  createFramer,
  FramingError,
  type JsonObject,
  type OlderForm,
  parseJson,
  type ReplySink,
  type ReplyStream,
  sseFrame,
} from 'portcullis/sdk';
import { type BytesBefore, bytesBefore, firstBoundary, lastBoundary, nothingBefore } from './event-bounds.ts';

/** A begun event of more than this is no event of a client's format. */
const maxHeldBytes = 16 * 1024 * 1024;

/** A stream of server-sent events in an older form of its format: what has nothing to change stays byte for byte. */
export class ReshapedStream implements ReplyStream {
  readonly #source: ReplyStream;
  readonly #reshape: (event: JsonObject) => JsonObject;
  #before: BytesBefore = nothingBefore;
  /** The begun event that the last chunk left open. */
  #open: Buffer[] = [];
  #openBytes = 0;
  #over = false;
  #changed = false;

  constructor(source: ReplyStream, form: OlderForm) {
    this.#source = source;
    this.#reshape = form.events();
  }

  /** Whether an event left otherwise than it came, so far. */
  get isChanged(): boolean {
    return this.#changed;
  }

  resume(): void {
    this.#source.resume();
  }

  abort(): void {
    this.#source.abort();
  }

  pipe(sink: ReplySink): void {
    this.#source.pipe({
      data: (chunk) => this.#over || this.#pass(typeof chunk === 'string' ? Buffer.from(chunk) : bufferOf(chunk), sink),
      end: () => {
        if (this.#over) return;
        this.#flush(sink);
        sink.end();
      },
      error: (error) => {
        if (this.#over) return;
        this.#flush(sink);
        sink.error(error);
      },
    });
  }

  #pass(chunk: Buffer, sink: ReplySink): boolean {
    const end = lastBoundary(chunk, this.#before);
    this.#before = bytesBefore(chunk, this.#before);
    const events = end === -1 ? undefined : Buffer.concat([...this.#open, chunk.subarray(0, end)]);
    if (events !== undefined) {
      this.#open = [];
      this.#openBytes = 0;
    }
    this.#open.push(events === undefined ? chunk : chunk.subarray(end));
    this.#openBytes += chunk.length - Math.max(0, end);
    if (this.#openBytes > maxHeldBytes) return this.#refuse(sink);
    return events === undefined || sink.data(this.#reshaped(events));
  }

  /** Servers may leave out the blank line behind the last event. */
  #flush(sink: ReplySink): void {
    this.#over = true;
    if (this.#openBytes > 0) sink.data(this.#reshaped(Buffer.concat(this.#open)));
  }

  #refuse(sink: ReplySink): boolean {
    this.#over = true;
    this.#source.abort();
    sink.error(new FramingError('sse', `An event has more than ${maxHeldBytes} bytes.`));
    return true;
  }

  #reshaped(events: Buffer): Buffer {
    const parts: Buffer[] = [];
    for (let start = 0; start < events.length; ) {
      const end = firstBoundary(events, nothingBefore, start);
      parts.push(this.#event(events.subarray(start, end)));
      start = end;
    }
    return Buffer.concat(parts);
  }

  #event(bytes: Buffer): Buffer {
    const framer = createFramer('sse');
    const [frame] = [...framer.push(bytes), ...framer.end()];
    const json = asObject(parseJson(frame?.data ?? ''));
    const reshaped = json && this.#reshape(json);
    if (frame === undefined || reshaped === json) return bytes;
    this.#changed = true;
    return Buffer.from(sseFrame(JSON.stringify(reshaped), frame.event));
  }
}

function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
