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

function words(text: string): number {
  let count = 0;
  let inside = false;
  for (let at = 0; at < text.length; at += 1) {
    const space = isSpace(text.charCodeAt(at));
    if (!space && !inside) count += 1;
    inside = !space;
  }
  return count;
}
