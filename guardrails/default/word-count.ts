import { countCheck } from './counted.ts';
import { isSpace } from './white-space.ts';

export default countCheck({
  title: 'Word count',
  description: 'Passes when the number of words, which white space parts, lies in the range.',
  name: 'wordCount',
  things: 'words',
  least: 'minWords',
  most: 'maxWords',
  count: words,
});

/** Without branches for what is common: texts are long. */
function words(text: string): number {
  let count = 0;
  let spaceBefore = 1;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    const space = unit === 0x20 || isSpace(unit) ? 1 : 0;
    count += spaceBefore & (space ^ 1);
    spaceBefore = space;
  }
  return count;
}
