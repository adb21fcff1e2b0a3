import { check, composedText, composedWord, foldedText, schema, seamless } from 'portcullis/sdk';
import { choice, strict, strings } from './parameters.ts';
import { excerpt } from './verdict.ts';

const maxShown = 40;
const maxQuickLength = 20_000;

export default check({
  title: 'Contains',
  description:
    'Looks for words or phrases in the text. Upper and lower case differ, and parts of words count; how accents and spaces are encoded does not. With `none`, it also looks at parts of one message without a break between them, at fullwidth letters as ASCII, and past invisible characters.',
  config: schema.Object(
    {
      words: strings('What to look for. Of no words, none is there.', { minItems: 0 }),
      operator: choice(['any', 'all', 'none'], 'Whether one of them must be there, all of them, or none.'),
    },
    strict,
  ),
  phases: ['beforeRequest', 'afterRequest'],
  whole: ({ operator }) => operator !== 'none',
  prepare({ words, operator }) {
    const composed = words.map(composedWord);
    const phrases = composed.some((word) => word.includes(' '));
    return { words, operator, composed, phrases, quick: anyOf([...new Set([...words, ...composed])]) };
  },
  run({ text, texts }, { words, operator, composed, phrases, quick }) {
    // What must not be there may stand across two parts, or in disguise; what must be there has to stand in the text as it is.
    const joined = operator === 'none' ? seamless(texts) : undefined;
    const fold = operator === 'none' ? foldedText : composedText;
    const folded = fold(joined ?? text, phrases)?.text;
    const places = [text, joined, folded].filter((place) => place !== undefined);
    const searched = places.filter((place) => quick?.test(place) !== false);
    const found = words.filter((word, at) => {
      const alike = composed[at] ?? word;
      return searched.some((place) => place.includes(word) || (alike !== word && place.includes(alike)));
    });
    const missing = words.filter((word) => !found.includes(word));
    const rules = { any: found.length > 0, all: missing.length === 0, none: found.length === 0 };
    const pass = rules[operator];
    const explanation = `${found.length} of ${words.length} words are in the text; expected ${expected[operator]}.`;
    const shown = (list: readonly string[]) => list.slice(0, maxShown).map(excerpt);
    const data = { explanation, verdict: pass, operator, foundWords: shown(found), missingWords: shown(missing) };
    return { pass, why: explanation, data };
  },
});

const expected = { any: 'one or more', all: 'all of them', none: 'none' } as const;

/** Tells in one pass that none of the words is there, which is the common case. */
function anyOf(words: readonly string[]): RegExp | undefined {
  const source = words.map((word) => word.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&')).join('|');
  return words.length > 3 && source.length <= maxQuickLength ? new RegExp(source) : undefined;
}
