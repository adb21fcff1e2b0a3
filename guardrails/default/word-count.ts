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

/** Without branches, and over numbers instead of a text: that may be long, and this takes half of the time. */
function words(text: string): number {
  const units = new Uint16Array(text.length);
  Buffer.from(units.buffer).write(text, 'utf16le');
  let count = 0;
  let spaceBefore = 1;
  for (let at = 0; at < units.length; at += 1) {
    const space = whiteSpace[units[at] as number] as number;
    count += spaceBefore & (space ^ 1);
    spaceBefore = space;
  }
  return count;
}
