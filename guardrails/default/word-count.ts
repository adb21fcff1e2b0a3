import { countCheck } from './counted.ts';
import { whiteSpace } from './white-space.ts';

export default countCheck({
  title: 'Word count',
  description: 'Passes when the number of words, which white space parts, lies in the range.',
  name: 'wordCount',
  things: 'words',
  least: 'minWords',
  most: 'maxWords',
  count: words,
});

// Read and written within one call, so that one will do for all of them.
const units = new Uint16Array(0x4000);
const bytes = Buffer.from(units.buffer);

/** Without branches, and over numbers instead of a text: that may be long, and this takes a third of the time. */
function words(text: string): number {
  let count = 0;
  let spaceBefore = 1;
  for (let start = 0; start < text.length; start += units.length) {
    const length = bytes.write(text.slice(start, start + units.length), 'utf16le') / 2;
    for (let at = 0; at < length; at += 1) {
      const space = whiteSpace[units[at] as number] as number;
      count += spaceBefore & (space ^ 1);
      spaceBefore = space;
    }
  }
  return count;
}
