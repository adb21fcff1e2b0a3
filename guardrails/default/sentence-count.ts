import { countCheck } from './counted.ts';

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

const visible = /\S/g;
const mark = /[.!?]/g;

/** Stretches between the marks that hold more than white space: the engine's own search passes over each. */
function sentences(text: string): number {
  let count = 0;
  for (let at = after(visible, text, 0); at > 0; at = after(visible, text, at)) {
    const end = after(mark, text, at - 1);
    if (end === at) continue;
    count += 1;
    if (end === 0) break;
    at = end;
  }
  return count;
}

/** Where the first fit from `from` on ends; 0: there is none. */
function after(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from;
  return pattern.test(text) ? pattern.lastIndex : 0;
}
