import { asObject, createFramer, type GenerationDialect, parseJson, type Usage } from 'portcullis/sdk';

/** More than this without the end of an event is not read: what passes is still forwarded. */
const maxHeldBytes = 16 * 1024 * 1024;
/** How much of the end is kept to see whether the answer was complete. */
const recentBytes = 8 * 1024;

/**
 * Watches the bytes of a server-sent event stream that is forwarded as it is, and learns its token counts and whether it
 * ended properly. It looks for bytes, and takes only those events apart that hold usage: a stream costs its system calls,
 * and little else may be spent on a chunk.
 */
export class StreamTap {
  readonly #dialect: GenerationDialect;
  #usage: Usage | undefined;
  /** The begun event that the last chunk left open. */
  #open: Buffer[] = [];
  #openBytes = 0;
  /** The last whole event. */
  #last: Buffer = empty;
  #recent: Buffer[] = [];
  #recentBytes = 0;
  #unreadable = false;

  constructor(dialect: GenerationDialect) {
    this.#dialect = dialect;
  }

  get usage(): Usage | undefined {
    return this.#usage;
  }

  see(bytes: Uint8Array): void {
    if (this.#unreadable) return;
    // A local provider may give plain byte arrays, which cannot be searched for text.
    const chunk = Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#remember(chunk);
    const end = lastBoundary(chunk, this.#open.at(-1));
    if (end === -1) {
      this.#hold(chunk);
      return;
    }
    let rest = chunk.subarray(0, end);
    if (this.#openBytes > 0) {
      // The event that the chunks before began: it is put together alone, so that a large chunk is not copied.
      const first = firstBoundary(chunk, this.#open.at(-1));
      const begun = Buffer.concat([...this.#open, chunk.subarray(0, first)]);
      this.#read(begun);
      if (says(begun)) this.#last = begun;
      rest = chunk.subarray(first, end);
    }
    if (rest.length > 0) {
      this.#read(rest);
      this.#last = lastEvent(rest) ?? this.#last;
    }
    this.#open = [];
    this.#openBytes = 0;
    if (end < chunk.length) this.#hold(chunk.subarray(end));
  }

  /** What the client is still owed once the source has ended: '' when the stream is complete. */
  ending(fault: string): string {
    if (this.#unreadable) return '';
    const open = Buffer.concat(this.#open);
    if (open.length > 0) this.#read(open);
    const last = says(open) ? open : this.#last;
    if (this.#dialect.streamEnds.some((marker) => last.includes(marker))) return '';
    const { lateEnd } = this.#dialect;
    const answered = lateEnd?.answered.test(Buffer.concat(this.#recent).toString('latin1')) === true;
    return `\n\n${answered ? (lateEnd?.text ?? '') : fault}`;
  }

  #hold(chunk: Buffer): void {
    this.#open.push(chunk);
    this.#openBytes += chunk.length;
    if (this.#openBytes <= maxHeldBytes) return;
    this.#unreadable = true;
    this.#open = [];
  }

  #remember(chunk: Buffer): void {
    this.#recent.push(chunk);
    this.#recentBytes += chunk.length;
    while (this.#recent.length > 1 && this.#recentBytes - (this.#recent[0]?.length ?? 0) >= recentBytes) {
      this.#recentBytes -= this.#recent.shift()?.length ?? 0;
    }
  }

  #read(events: Buffer): void {
    if (!holdsUsage(events)) return;
    const framer = createFramer('sse');
    try {
      for (const { data } of [...framer.push(events), ...framer.end()]) {
        const json = data.includes('"usage"') ? asObject(parseJson(data)) : undefined;
        const usage = json === undefined ? undefined : this.#dialect.usageOf(json);
        if (usage !== undefined) this.#usage = mergeUsage(this.#usage, usage);
      }
    } catch {
      // What cannot be read is still forwarded: the client may know the format better than this gateway.
      this.#unreadable = true;
    }
  }
}

const empty = Buffer.alloc(0);
const usageKey = Buffer.from('"usage"');
const [lf, cr, quote, colon, n] = [0x0a, 0x0d, 0x22, 0x3a, 0x6e];

/** Whether some `"usage"` has a value: streams that were asked for usage say `"usage":null` in every event but one. */
function holdsUsage(bytes: Buffer): boolean {
  for (let at = bytes.indexOf(usageKey); at !== -1; at = bytes.indexOf(usageKey, at + 7)) {
    let value = at + 7;
    while (value < bytes.length && (bytes[value] === 0x20 || bytes[value] === colon)) value += 1;
    if (bytes[value] !== n && bytes[value] !== quote) return true;
  }
  return false;
}

/** Where the last event that ends in this chunk ends; -1 when none does. `before`: the chunk that came last. */
function lastBoundary(chunk: Buffer, before: Buffer | undefined): number {
  for (const lineEnd of [lf, cr]) {
    for (let at = chunk.lastIndexOf(lineEnd); at !== -1; at = at === 0 ? -1 : chunk.lastIndexOf(lineEnd, at - 1)) {
      if (endsEvent(chunk, at, before)) return at + 1;
    }
  }
  return -1;
}

/** The last event of several that says something: comments may follow the end of a stream. */
function lastEvent(events: Buffer): Buffer | undefined {
  for (let end = events.length; end > 0; ) {
    const start = Math.max(0, lastBoundary(events.subarray(0, end - 1), undefined));
    const event = events.subarray(start, end);
    if (says(event)) return event;
    end = start;
  }
  return undefined;
}

/** Whether an event has a line that is no comment. */
function says(event: Buffer): boolean {
  const [first] = event;
  if (first !== undefined && first !== colon && first !== lf && first !== cr) return true;
  return /^[^:\r\n]/m.test(event.toString('latin1'));
}

function firstBoundary(chunk: Buffer, before: Buffer | undefined): number {
  for (let at = 0; at < chunk.length; at += 1) {
    if ((chunk[at] === lf || chunk[at] === cr) && endsEvent(chunk, at, before)) return at + 1;
  }
  return chunk.length;
}

/** Whether the line end at `at` closes an empty line: LF LF, CRLF CRLF or CR CR. */
function endsEvent(chunk: Buffer, at: number, before: Buffer | undefined): boolean {
  const byteAt = (index: number) => (index >= 0 ? chunk[index] : before?.at(index));
  const previous = byteAt(at - 1);
  if (chunk[at] === lf) return previous === lf || (previous === cr && byteAt(at - 2) === lf);
  return previous === cr;
}

/** Later counts win, but a later event that only knows the output must not wipe out the input. */
function mergeUsage(known: Usage | undefined, next: Usage): Usage {
  if (known === undefined) return next;
  const input = next.input === 0 ? known.input : next.input;
  return {
    ...known,
    ...next,
    input,
    ...(next.total === undefined ? {} : { total: Math.max(next.total, input + next.output) }),
  };
}
