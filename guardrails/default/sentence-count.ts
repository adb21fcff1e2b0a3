import { countCheck } from './counted.ts';
import { isSpace } from './white-space.ts';

export default countCheck({
  title: 'Sentence count',
  description:
    'Passes when the number of sentences, which full stops, exclamation and question marks end, lies in the range.',
  name: 'sentenceCount',
  things: 'sentences',
  least: 'minSentences',
  most: 'maxSentences',
  count: sentences,
});

/** Stretches between the marks that hold more than white space. */
function sentences(text: string): number {
  let count = 0;
  let inside = false;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit === 0x2e || unit === 0x21 || unit === 0x3f) inside = false;
    else if (!inside && !isSpace(unit)) {
      inside = true;
      count += 1;
    }
  }
  return count;
}
