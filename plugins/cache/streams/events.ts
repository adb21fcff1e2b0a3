const blankLine = /\r\n\r\n|\n\n|\r\r/g;

/** The bytes of a stream of server-sent events, cut behind the blank line of each; together they are all of it. */
export function eventsOf(bytes: Uint8Array): readonly Uint8Array[] {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
  const events: Uint8Array[] = [];
  let start = 0;
  for (const { index, 0: end } of text.matchAll(blankLine)) {
    events.push(bytes.subarray(start, index + end.length));
    start = index + end.length;
  }
  if (start < bytes.byteLength) events.push(bytes.subarray(start));
  return events;
}
