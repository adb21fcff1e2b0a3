const [lf, cr, colon] = [0x0a, 0x0d, 0x3a];

/** The last two bytes before a chunk: an event may end with a line end that began there. -1: there was none. */
export interface BytesBefore {
  readonly last: number;
  readonly previous: number;
}

export const nothingBefore: BytesBefore = { last: -1, previous: -1 };

/** What stands before the next chunk. */
export function bytesBefore(chunk: Buffer, before: BytesBefore): BytesBefore {
  const last = chunk.at(-1);
  return last === undefined ? before : { last, previous: chunk.at(-2) ?? before.last };
}

/** Where the last event that ends in this chunk ends; -1 when none does. */
export function lastBoundary(chunk: Buffer, before: BytesBefore): number {
  for (const lineEnd of [lf, cr]) {
    for (let at = chunk.lastIndexOf(lineEnd); at !== -1; at = at === 0 ? -1 : chunk.lastIndexOf(lineEnd, at - 1)) {
      if (endsEvent(chunk, at, before)) return at + 1;
    }
  }
  return -1;
}

/** Where the first event that ends behind `from` ends; the chunk's length when none does. */
export function firstBoundary(chunk: Buffer, before: BytesBefore, from = 0): number {
  for (let at = from; at < chunk.length; at += 1) {
    if ((chunk[at] === lf || chunk[at] === cr) && endsEvent(chunk, at, before)) return at + 1;
  }
  return chunk.length;
}

/** The last event of several that counts: comments may follow the end of a stream. */
export function lastEvent(events: Buffer, counts: (event: Buffer) => boolean): Buffer | undefined {
  for (let end = events.length; end > 0; ) {
    const start = Math.max(0, lastBoundary(events.subarray(0, end - 1), nothingBefore));
    const event = events.subarray(start, end);
    if (counts(event)) return event;
    end = start;
  }
  return undefined;
}

/** Whether an event has a line that is no comment. */
export function says(event: Buffer): boolean {
  const [first] = event;
  if (first !== undefined && first !== colon && first !== lf && first !== cr) return true;
  return /^[^:\r\n]/m.test(event.toString('latin1'));
}

const shortEvent = 64;

/** As `says`, but for `[DONE]`: servers put it behind the ends of formats that do not know it, too. */
export function saysBesideDone(event: Buffer): boolean {
  return says(event) && (event.length > shortEvent || !/^data: ?\[DONE\]\s*$/m.test(event.toString('latin1')));
}

/** Whether the line end at `at` closes an empty line: LF LF, CRLF CRLF or CR CR. */
function endsEvent(chunk: Buffer, at: number, before: BytesBefore): boolean {
  const previous = at > 0 ? chunk[at - 1] : before.last;
  if (chunk[at] === cr) return previous === cr;
  if (previous === lf) return true;
  const [one, two] = [before.last, before.previous];
  return previous === cr && (at > 1 ? chunk[at - 2] : at === 1 ? one : two) === lf;
}
