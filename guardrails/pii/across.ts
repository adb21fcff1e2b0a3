import type { ScannedText } from 'portcullis/sdk';

/** Characters on each side of a place where two parts meet; of all that is looked for, only private keys are longer. */
const reach = 512;

/** A stretch of a text, and where it stands in what is put together. */
interface Stretch {
  readonly textIndex: number;
  readonly start: number;
  readonly text: string;
  readonly at: number;
}

export interface Place {
  readonly textIndex: number;
  readonly start: number;
  readonly end: number;
}

/** What stands around the places where parts of a message meet, without a break there. */
export interface Around {
  readonly text: string;
  /** Where a stretch of it stands in each of the parts. */
  placesOf(start: number, end: number): readonly Place[];
}

/** Most of a long conversation is not read again. Undefined: no parts meet. */
export function aroundSeams(texts: readonly ScannedText[]): Around | undefined {
  const meeting = texts.filter(({ adjoins }, at) => adjoins || texts[at + 1]?.adjoins);
  if (meeting.length === 0) return undefined;
  const stretches: Stretch[] = [];
  let text = '';
  for (const { index, text: said, adjoins } of meeting) {
    for (const [start, end] of ends(said)) {
      if (text !== '' && (start > 0 || !adjoins)) text += '\n';
      stretches.push({ textIndex: index, start, text: said.slice(start, end), at: text.length });
      text += said.slice(start, end);
    }
  }
  return { text, placesOf: (start, end) => stretches.flatMap((stretch) => within(stretch, start, end)) };
}

function within({ textIndex, start, text, at }: Stretch, from: number, to: number): readonly Place[] {
  const [first, last] = [Math.max(from - at, 0), Math.min(to - at, text.length)];
  return first < last ? [{ textIndex, start: start + first, end: start + last }] : [];
}

/** Beginning and end of a long text, cut at spaces where there are any: half a number may look like another one. */
function ends(text: string): readonly (readonly [start: number, end: number])[] {
  const { length } = text;
  if (length <= 2 * reach) return [[0, length]];
  const head = text.slice(0, reach);
  const tail = text.slice(-reach);
  const last = Math.max(head.lastIndexOf(' '), head.lastIndexOf('\n'));
  const first = tail.search(/\s/);
  return [
    [0, last === -1 ? reach : last],
    [length - reach + Math.max(first, 0), length],
  ];
}
