import { type ScannedText, seamless } from 'portcullis/sdk';

/** Characters on each side of a place where two parts meet; of all that is looked for, only private keys are longer. */
const reach = 512;

/**
 * What stands around the places where parts of a message meet, without a break there: most of a long conversation is not read
 * again. Undefined: no parts meet.
 */
export function aroundSeams(texts: readonly ScannedText[]): string | undefined {
  const meeting = texts.filter(({ adjoins }, at) => adjoins || texts[at + 1]?.adjoins);
  return meeting.length === 0 ? undefined : seamless(meeting.map((part) => ({ ...part, text: ends(part.text) })));
}

/** The beginning and the end of a long text, cut at spaces where there are any: half a number may look like another one. */
function ends(text: string): string {
  if (text.length <= 2 * reach) return text;
  const head = text.slice(0, reach);
  const tail = text.slice(-reach);
  const last = Math.max(head.lastIndexOf(' '), head.lastIndexOf('\n'));
  const first = tail.search(/\s/);
  return `${last === -1 ? head : head.slice(0, last)}\n${first === -1 ? tail : tail.slice(first)}`;
}
