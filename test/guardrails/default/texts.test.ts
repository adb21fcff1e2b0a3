import { testCheck } from 'portcullis/sdk/testing';
import contains from '../../../guardrails/default/contains.ts';
import containsCode from '../../../guardrails/default/contains-code.ts';
import endsWith from '../../../guardrails/default/ends-with.ts';
import { allLowerCase, allUpperCase } from '../../../guardrails/default/letter-case.ts';
import notNull from '../../../guardrails/default/not-null.ts';

/** Texts of parts of one message. */
const parts = (...texts: readonly string[]) =>
  texts.map((text, index) => ({ text, message: 0, ...(index === 0 ? {} : { adjoins: true }) }));

testCheck(contains, {
  pass: [
    { text: 'red and blue', config: { words: ['blue', 'green'] } },
    { text: 'red and blue', config: { words: ['blue', 'red'], operator: 'all' } },
    { text: 'red and blue', config: { words: ['Red'], operator: 'none' } },
    { text: '', config: { words: ['red'], operator: 'none' } },
    { name: 'all of no words', text: 'red', config: { words: [], operator: 'all' } },
    { name: 'none of no words', text: 'red', config: { words: [], operator: 'none' } },
    {
      name: 'signs that patterns are made of',
      text: '[a|b]\n(c)',
      config: { words: ['x', 'y', '|b]\n(c', '[a'], operator: 'any' },
    },
    { name: 'other letters', text: 'Our аttack', config: { words: ['attack'], operator: 'none' } },
    {
      name: 'what is split over messages',
      input: { texts: [{ text: 'Our atta' }, { text: 'ck plan' }] },
      config: { words: ['attack'], operator: 'none' },
    },
    {
      name: 'what only a break between parts parts',
      input: { texts: parts('red', 'blue') },
      config: { words: ['red\nblue'] },
    },
    { name: 'letters with their accents apart', text: 'cafe\u0301', config: { words: ['café'] } },
    { name: 'words with their accents apart', text: 'un café', config: { words: ['cafe\u0301'], operator: 'all' } },
    { name: 'a phrase with no-break spaces', text: 'terms\u00a0of\u202fuse', config: { words: ['terms of use'] } },
    { name: 'no plain space', text: 'a b', config: { words: ['\u00a0'], operator: 'none' } },
    { name: 'halves of surrogate pairs', text: '😀', config: { words: ['a', 'b', 'c', '\ud83d'] } },
    {
      text: 'red and blue',
      config: { words: ['red', 'green'], operator: 'any' },
      why: '1 of 2 words are in the text; expected one or more.',
      data: {
        explanation: '1 of 2 words are in the text; expected one or more.',
        verdict: true,
        operator: 'any',
        foundWords: ['red'],
        missingWords: ['green'],
      },
    },
    {
      name: 'on what a tool is asked to do',
      phase: 'afterRequest',
      input: { texts: [{ text: 'Sure.' }, { text: '{"path":"secret"}', kind: 'tool-arguments' }] },
      config: { words: ['secret'] },
    },
  ],
  fail: [
    { name: 'many words, none of them there', text: 'a+b', config: { words: ['a.b', '^a', 'a|b', 'b$', '(a'] } },
    { text: 'red and blue', config: { words: ['green'] } },
    { text: 'red and blue', config: { words: ['red', 'green'], operator: 'all' } },
    { text: 'red and blue', config: { words: ['red'], operator: 'none' }, why: /expected none/ },
    { text: 'Red', config: { words: ['red'] } },
    {
      name: 'what is split over parts of a message',
      input: { texts: parts('Our atta', 'ck plan') },
      config: { words: ['attack'], operator: 'none' },
      data: {
        explanation: '1 of 1 words are in the text; expected none.',
        verdict: false,
        operator: 'none',
        foundWords: ['attack'],
        missingWords: [],
      },
    },
    {
      name: 'one of many words that is split over parts of a message',
      input: { texts: parts('Our atta', 'ck plan') },
      config: { words: ['w', 'x', 'y', 'z', 'attack'], operator: 'none' },
    },
    { name: 'fullwidth letters', text: 'Our ａｔｔａｃｋ', config: { words: ['attack'], operator: 'none' } },
    { name: 'invisible characters', text: 'Our at\u200btack', config: { words: ['attack'], operator: 'none' } },
    {
      name: 'a word as it is written',
      text: 'Our at\u200btack',
      config: { words: ['at\u200btack'], operator: 'none' },
    },
    {
      name: 'invisible characters, in one of several parts',
      input: { texts: parts('Our at\u200bta', 'ck plan') },
      config: { words: ['attack'], operator: 'none' },
    },
    { name: 'what has to be there, and is in disguise', text: 'Our at\u200btack', config: { words: ['attack'] } },
    {
      name: 'what has to be there, and is split over parts of a message',
      input: { texts: parts('Our atta', 'ck plan') },
      config: { words: ['attack'] },
    },
    ...[
      ['letters with their accents apart', 'cafe\u0301', 'café'],
      ['a word with its accents apart', 'un café', 'cafe\u0301'],
      ['accents behind what nobody sees', 'cafe\u200b\u0301', 'café'],
      ['a phrase with a no-break space', 'top\u00a0secret', 'top secret'],
      ['a phrase that is written with one', 'top secret', 'top\u00a0secret'],
    ].map(([name = '', text = '', word = '']) => ({
      name,
      text,
      config: { words: [word], operator: 'none' as const },
    })),
    { text: '', config: { words: ['red'] } },
    { name: 'no words', text: 'red', config: { words: [] }, why: /^0 of 0 words/ },
  ],
  refused: [
    { config: {}, message: /words/ },
    { config: { words: [''] }, message: /words\[0\]/ },
    { config: { words: ['a'], operator: 'some' }, message: /operator/ },
    { config: { words: 'a' }, message: /words/ },
    { config: { words: ['a'], not: true }, message: /not/ },
  ],
});

testCheck(containsCode, {
  pass: [
    {
      text: 'Here:\n```python\nprint(1)\n```',
      config: { format: 'Python' },
      data: {
        explanation: 'The reply holds a block of code in Python.',
        not: false,
        verdict: true,
        searchedFormat: 'Python',
        foundFormats: ['Python'],
        textExcerpt: 'Here:\n```python\nprint(1)\n```',
      },
    },
    { text: '```py title="a.py"\nprint(1)\n```', config: { format: 'Python' } },
    { text: '~~~SQL\nSELECT 1\n~~~', config: { format: 'SQL' } },
    { text: '1. Item\n    ```ts\n    let a = 1;\n    ```', config: { format: 'TypeScript' } },
    { text: '```c++\nint a;\n```', config: { format: 'C++' } },
    { text: '```rust\nfn main() {', config: { format: 'Rust' } },
    { text: 'Sure: ```python\nprint(1)\n``` That is it.', config: { format: 'Python' } },
    { text: '- ```sh\n  ls\n  ```', config: { format: 'Shell' } },
    { text: '```python\n1\n``` and ```sql\nSELECT 1\n```', config: { format: 'SQL' } },
    { text: '```bash\nls\n```\n```go\npackage main\n```', config: { format: 'Go' } },
    { text: 'No code.', config: { format: 'Go', not: true }, why: 'The reply holds no block of code.' },
  ],
  fail: [
    { text: '', config: { format: 'Java' } },
    { text: '```javascript\n1\n```', config: { format: 'Java' }, why: 'The reply holds no block of code in Java.' },
    { text: '```\nprint(1)\n```', config: { format: 'Python' } },
    { text: 'Use ```python print(1)``` here.', config: { format: 'Python' } },
    { text: '```text\na\n``` python', config: { format: 'Python' } },
    {
      name: 'a fence inside of a longer one',
      text: '````markdown\n```python\n```\n````',
      config: { format: 'Python' },
    },
    { text: '```go\n```', config: { format: 'Go', not: true } },
  ],
  refused: [
    { config: {}, message: /format/ },
    { config: { format: 'python' }, message: /format/ },
  ],
});

testCheck(allUpperCase, {
  pass: [
    { text: 'HELLO, WORLD 1!', config: {} },
    { text: '', config: {} },
    { text: '123', config: {} },
    { text: 'Hello', config: { not: true } },
    { text: 'HELLO', phase: 'afterRequest' },
  ],
  fail: [{ text: 'HELLO world' }, { text: 'É'.toLowerCase() }, { text: 'HELLO', config: { not: true } }],
  refused: [{ config: { not: 'yes' }, message: /not/ }],
});

testCheck(allLowerCase, {
  pass: [{ text: 'hello, world 1!' }, { text: '' }, { text: 'Hello', config: { not: true } }],
  fail: [
    { text: 'hello World', why: 'Some letters are not lower case.' },
    { text: 'hello', config: { not: true } },
  ],
});

testCheck(endsWith, {
  pass: [
    { text: 'That is all, thanks', config: { suffix: 'thanks' } },
    { text: 'That is all, thanks.', config: { suffix: 'thanks' } },
    { text: 'That is all', config: { suffix: 'thanks', not: true } },
  ],
  fail: [
    { text: 'thanks!', config: { suffix: 'thanks' } },
    { text: 'Thanks', config: { suffix: 'thanks' } },
    { text: '', config: { suffix: 'thanks' } },
    { text: 'thanks', config: { suffix: 'thanks', not: true } },
  ],
  refused: [
    { config: {}, message: /suffix/ },
    { config: { suffix: '' }, message: /suffix/ },
  ],
});

testCheck(notNull, {
  pass: [
    {
      text: 'Hello.',
      data: {
        explanation: 'The reply holds text.',
        not: false,
        verdict: true,
        isNull: false,
        textExcerpt: 'Hello.',
      },
    },
    { text: '', config: { not: true } },
    { name: 'a reply that calls tools', input: { text: '', callsTools: true }, config: {} },
    { name: 'a reply that calls tools, turned round', input: { text: '', callsTools: true }, config: { not: true } },
  ],
  fail: [
    { text: '', why: 'The reply is empty.' },
    { text: ' \n\t\u00a0' },
    { name: 'a reply without any text', input: { texts: [] } },
    { text: 'Hello.', config: { not: true } },
  ],
});
