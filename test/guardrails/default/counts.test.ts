import { testCheck } from 'portcullis/sdk/testing';
import characterCount from '../../../guardrails/default/character-count.ts';
import sentenceCount from '../../../guardrails/default/sentence-count.ts';
import wordCount from '../../../guardrails/default/word-count.ts';

testCheck(wordCount, {
  pass: [
    { text: 'one two', config: { minWords: 1, maxWords: 3 } },
    { text: ' one\ttwo\nthree\u00a0 four\u3000', config: { minWords: 4, maxWords: 4 } },
    { text: '', config: { maxWords: 3 }, why: '0 words; allowed up to 3' },
    { text: 'one two', config: { minWords: 3, not: true }, why: '2 words; not allowed 3 or more' },
    {
      text: 'one',
      config: { minWords: 1, maxWords: 1 },
      phase: 'afterRequest',
      data: {
        explanation: '1 words; allowed 1 to 1',
        not: false,
        verdict: true,
        wordCount: 1,
        minWords: 1,
        maxWords: 1,
        textExcerpt: 'one',
      },
    },
    { name: 'of a long text', text: 'ab é\u3000'.repeat(20_001), config: { minWords: 40_002, maxWords: 40_002 } },
    { name: 'one, and a long one', text: 'x'.repeat(100_000), config: { minWords: 1, maxWords: 1 } },
    { name: 'none in much white space', text: ' \n'.repeat(50_000), config: { maxWords: 0 } },
    {
      name: 'without counting the arguments of tools',
      input: { texts: [{ text: 'one two' }, { text: '{"a": 1}', kind: 'tool-arguments' }] },
      config: { minWords: 2, maxWords: 2 },
    },
  ],
  fail: [
    { text: '', config: { minWords: 1, maxWords: 3 }, why: '0 words; allowed 1 to 3' },
    { text: 'a b c d', config: { maxWords: 3 } },
    { text: 'a b', config: { minWords: 1, not: true } },
    { text: '\ud83d \ude00', config: { maxWords: 1 }, why: '2 words; allowed up to 1' },
  ],
  refused: [
    { config: {}, message: /minWords, maxWords or both/ },
    { config: { minWords: 3, maxWords: 2 }, message: /maxWords must be minWords or more/ },
    { config: { minWords: -1 }, message: /minWords/ },
    { config: { minWords: 1.5 }, message: /minWords/ },
    { config: { minWords: '1' }, message: /minWords/ },
    { config: { minWords: 1, maxWord: 2 }, message: /maxWord/ },
  ],
});

testCheck(sentenceCount, {
  pass: [
    { text: 'One. Two! Three?', config: { minSentences: 3, maxSentences: 3 } },
    { text: 'No mark at the end', config: { minSentences: 1, maxSentences: 1 } },
    { text: 'Wait... what?!', config: { minSentences: 2, maxSentences: 2 } },
    { text: '', config: { maxSentences: 0 }, why: '0 sentences; allowed up to 0' },
    { text: ' . \n ! ', config: { maxSentences: 0 } },
    { text: 'One.', config: { minSentences: 2, not: true } },
  ],
  fail: [
    { text: 'One. Two.', config: { maxSentences: 1 }, why: '2 sentences; allowed up to 1' },
    { text: '', config: { minSentences: 1 } },
  ],
  refused: [
    { config: { not: true }, message: /minSentences, maxSentences or both/ },
    { config: { minSentences: 2, maxSentences: 1 }, message: /maxSentences/ },
  ],
});

testCheck(characterCount, {
  pass: [
    { text: 'abc', config: { minCharacters: 3, maxCharacters: 3 } },
    { text: 'a😀', config: { minCharacters: 2, maxCharacters: 2 } },
    { name: 'halves of a surrogate pair that stand alone', text: '\ud83da\ude00\ude00', config: { minCharacters: 4 } },
    { text: '', config: { minCharacters: 0 } },
    { text: 'abcd', config: { maxCharacters: 3, not: true } },
  ],
  fail: [
    { text: 'abcd', config: { maxCharacters: 3 }, why: '4 characters; allowed up to 3' },
    { text: '', config: { minCharacters: 1 } },
  ],
  refused: [{ config: {}, message: /minCharacters, maxCharacters or both/ }],
});
