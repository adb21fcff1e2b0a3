import {
  asObject,
  createFramer,
  type GenerationDialect,
  type ProviderFault,
  parseJson,
  type ReplySink,
} from 'portcullis/sdk';
import type { StreamedReply } from '../ledger/counted-reply.ts';
import {
  type BytesBefore,
  bytesBefore,
  firstBoundary,
  lastBoundary,
  lastEvent,
  nothingBefore,
  says,
  saysBesideDone,
} from './event-bounds.ts';

/** More than this without the end of an event is not read: what passes is still forwarded. */
const maxHeldBytes = 16 * 1024 * 1024;
/** How much of the end is kept to see whether the answer was complete. */
const recentBytes = 8 * 1024;

/** How a stream ended: as its format wants it, with the error that the provider tells, or before its end. */
export type Ended = 'well' | 'short' | ProviderFault;

/**
 * Watches the bytes of a server-sent event stream that is forwarded as it is, and learns its token counts and whether it
 * ended properly. It looks for bytes, and takes only those events apart that hold usage: a stream costs its system calls,
 * and little else may be spent on a chunk.
 */
export class StreamTap {
  readonly #dialect: GenerationDialect;
  readonly #reply: StreamedReply;
  readonly #hides: boolean;
  /** Whether an event may be the last of an answer. */
  readonly #counts: (event: Buffer) => boolean;
  #before: BytesBefore = nothingBefore;
  /** The begun event that the last chunk left open. */
  #open: Buffer[] = [];
  #openBytes = 0;
  /** The last whole event that counts. */
  #last: Buffer = empty;
  #recent: Buffer[] = [];
  #recentBytes = 0;
  #unreadable = false;
  #added = false;

  /** `hidesUsage`: events that hold nothing but usage are kept from the client, who has not asked for them. */
  constructor(dialect: GenerationDialect, reply: StreamedReply, hidesUsage: boolean) {
    this.#dialect = dialect;
    this.#reply = reply;
    this.#hides = hidesUsage;
    this.#counts = dialect.streamEnds.includes('[DONE]') ? says : saysBesideDone;
  }

  /** Whether nothing was kept back so far, as far as that is known, and nothing was said beside what came. */
  get isUntouched(): boolean {
    return !this.#hides && !this.#added;
  }

  /**
   * Looks at a chunk and sends it on: the very same bytes, or where usage is hidden, those of the events that are whole.
   * @returns what the sink says; true when there was nothing to send yet
   */
  pass(bytes: Uint8Array, sink: Pick<ReplySink, 'data'>): boolean {
    this.#reply.capture.add(bytes);
    if (this.#unreadable) {
      const held = this.#taken();
      if (this.#hides && held.length > 0) sink.data(held);
      return sink.data(bytes);
    }
    // A local provider may give plain byte arrays, which cannot be searched for text.
    const chunk = Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#remember(chunk);
    const before = this.#before;
    this.#before = bytesBefore(chunk, before);
    const end = lastBoundary(chunk, before);
    if (end === -1) {
      this.#hold(chunk, sink);
      return this.#hides || sink.data(bytes);
    }
    let flows = true;
    let start = 0;
    if (this.#openBytes > 0) {
      // The event that the chunks before began: it is put together alone, so that a large chunk is not copied.
      start = firstBoundary(chunk, before);
      const begun = Buffer.concat([...this.#open, chunk.subarray(0, start)]);
      flows = this.#look(begun, sink);
      if (this.#counts(begun)) this.#last = begun;
    }
    if (start < end) {
      const events = chunk.subarray(start, end);
      flows = this.#look(events, sink) && flows;
      this.#last = lastEvent(events, this.#counts) ?? this.#last;
    }
    this.#open = [];
    this.#openBytes = 0;
    if (end < chunk.length) this.#hold(chunk.subarray(end), sink);
    return this.#hides ? flows : sink.data(bytes);
  }

  /** The source has ended: sends what is still held, and then what the client is owed where the stream is not complete. */
  end(fault: string, sink: Pick<ReplySink, 'data'>): Ended {
    const open = this.#taken();
    if (open.length > 0 && isWhole(open)) this.#look(open, sink);
    const ended = this.#unreadable ? 'well' : this.#endedWith(this.#lastOf(open));
    if (ended !== 'short') return this.#closed(open, ended, sink);
    const { lateEnd } = this.#dialect;
    const answered = lateEnd?.answered.test(Buffer.concat(this.#recent).toString('latin1')) === true;
    if (answered) this.#reply.meter.end();
    this.#added = true;
    sink.data(`\n\n${answered ? (lateEnd?.text ?? '') : fault}`);
    return answered ? 'well' : 'short';
  }

  /** The source has broken off: what is still held goes out, and the fault after it, unless all had been said. */
  breakOff(fault: string, sink: Pick<ReplySink, 'data'>): Ended {
    const open = this.#taken();
    if (this.#hides && open.length > 0) sink.data(open);
    const ended = this.#endedWith(this.#lastOf(open));
    if (ended !== 'short') return this.#closed(open, ended, sink);
    this.#added = true;
    // The blank line closes an event that may have been cut in half.
    sink.data(`\n\n${fault}`);
    return ended;
  }

  /** Clients leave out a last event without its blank line, and so the end, but for a `[DONE]`, which says nothing. */
  #closed(open: Buffer, ended: Ended, sink: Pick<ReplySink, 'data'>): Ended {
    if (!saysBesideDone(open)) return ended;
    this.#added = true;
    sink.data('\n\n');
    return ended;
  }

  /** The last event that counts, where `open` is what nothing closes. */
  #lastOf(open: Buffer): Buffer {
    return this.#counts(open) && isWhole(open) ? open : this.#last;
  }

  #endedWith(last: Buffer): Ended {
    if (!this.#dialect.streamEnds.some((marker) => last.includes(marker))) return this.#faultIn(last) ?? 'short';
    this.#reply.meter.end();
    return this.#faultIn(last) ?? 'well';
  }

  #faultIn(event: Buffer): ProviderFault | undefined {
    if (!event.includes('"error"')) return undefined;
    const framer = createFramer('sse');
    for (const { data } of [...framer.push(event), ...framer.end()]) {
      const json = asObject(parseJson(data));
      const fault = json === undefined ? undefined : this.#dialect.faultOf(json, 200);
      if (fault !== undefined) return fault;
    }
    return undefined;
  }

  #hold(chunk: Buffer, sink: Pick<ReplySink, 'data'>): void {
    this.#open.push(chunk);
    this.#openBytes += chunk.length;
    if (this.#openBytes <= maxHeldBytes) return;
    this.#unreadable = true;
    const held = this.#taken();
    if (this.#hides) sink.data(held);
  }

  #taken(): Buffer {
    const open = Buffer.concat(this.#open);
    this.#open = [];
    this.#openBytes = 0;
    return open;
  }

  #remember(chunk: Buffer): void {
    this.#recent.push(chunk);
    this.#recentBytes += chunk.length;
    while (this.#recent.length > 1 && this.#recentBytes - (this.#recent[0]?.length ?? 0) >= recentBytes) {
      this.#recentBytes -= this.#recent.shift()?.length ?? 0;
    }
  }

  /** Reads whole events, and sends on those that are not hidden, where some are. */
  #look(events: Buffer, sink: Pick<ReplySink, 'data'>): boolean {
    if (!holdsUsage(events)) return !this.#hides || sink.data(events);
    let flows = true;
    let sent = 0;
    for (let start = 0; start < events.length; ) {
      const end = firstBoundary(events, nothingBefore, start);
      if (this.#tells(events.subarray(start, end)) && this.#hides) {
        if (sent < start) flows = sink.data(events.subarray(sent, start)) && flows;
        sent = end;
      }
      start = end;
    }
    if (this.#reply.meter.state === 'final') this.#reply.capture.drop();
    return this.#hides && sent < events.length ? sink.data(events.subarray(sent)) && flows : flows;
  }

  /** Reads one event; true when it tells its counts and nothing else. */
  #tells(event: Buffer): boolean {
    if (!holdsUsage(event)) return false;
    const framer = createFramer('sse');
    const { usage } = this.#dialect;
    let alone = false;
    try {
      for (const { data } of [...framer.push(event), ...framer.end()]) {
        const json = asObject(parseJson(data));
        if (json === undefined) continue;
        this.#reply.meter.see(json);
        alone = usage.countsOf(json) !== undefined && usage.closes(json);
      }
    } catch {
      // What cannot be read is still forwarded: the client may know the format better than this gateway.
      this.#unreadable = true;
    }
    return alone;
  }
}

/** Whether the event that nothing closes says all that it has to say: it may be cut in half. */
function isWhole(open: Buffer): boolean {
  if (open.length === 0) return true;
  try {
    const framer = createFramer('sse');
    return [...framer.push(open), ...framer.end()].every(
      ({ data }) => data === '[DONE]' || parseJson(data) !== undefined,
    );
  } catch {
    return false;
  }
}

const empty = Buffer.alloc(0);
const usageKeys = ['"usage"', '"usageMetadata"'].map((key) => Buffer.from(key));
const [quote, colon, n] = [0x22, 0x3a, 0x6e];

/** Whether some `"usage"` has a value: streams that were asked for usage say `"usage":null` in every event but one. */
function holdsUsage(bytes: Buffer): boolean {
  return usageKeys.some((key) => holdsValue(bytes, key));
}

function holdsValue(bytes: Buffer, key: Buffer): boolean {
  for (let at = bytes.indexOf(key); at !== -1; at = bytes.indexOf(key, at + key.length)) {
    let value = at + key.length;
    while (value < bytes.length && (bytes[value] === 0x20 || bytes[value] === colon)) value += 1;
    if (bytes[value] !== n && bytes[value] !== quote) return true;
  }
  return false;
}
