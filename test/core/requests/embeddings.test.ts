import { it } from 'node:test';
import { accepts, counted, string, testFields, word } from './field-table.ts';
import { filled } from './openai-tables.ts';

const base = { input: 'Hello' };
const bounds = '1 to 2048 strings, integers or arrays of integers';

testFields('embeddings', base, [
  { field: 'model', nullable: false, good: ['any'], bad: [{ value: '', says: 'a non-empty string' }] },
  {
    field: 'input',
    nullable: false,
    good: [
      'a',
      '\n',
      ['a'],
      filled(2048, 'a'),
      [1, 2],
      filled(2048, 1),
      [[1], [2, 3]],
      filled(2048, [1]),
      [{ text: 'a' }],
      ['a', { image: 'https://x/' }, { video: {} }],
    ],
    bad: [
      { value: '', says: 'a non-empty string' },
      { value: [], says: `${bounds}; got an empty array` },
      { value: filled(2049, 'a'), says: `${bounds}; got 2049 items` },
      { value: filled(2049, 1), says: bounds },
      { value: filled(2049, [1]), says: bounds },
      { value: ['a', ''], says: 'an image or a video; got an empty string', at: 'input[1]' },
      { value: ['a', 1], says: 'an image or a video; got 1', at: 'input[1]' },
      { value: [1, 'a'], says: 'an integer', at: 'input[1]' },
      { value: [[1], []], says: 'at least 1 integer', at: 'input[1]' },
      { value: [[1.5]], says: 'an integer; got 1.5', at: 'input[0][0]' },
      { value: [{}], says: 'an object with a text', at: 'input[0]' },
      { value: ['a', {}], says: 'an object with a text', at: 'input[1]' },
      { value: [{ text: 'a' }, 1], says: 'an object with a text', at: 'input[1]' },
      { value: 1, says: bounds },
    ],
  },
  counted('dimensions', 1, false),
  word('encoding_format', ['float', 'base64']),
  string('user'),
]);

it('accepts fields that the schema does not name', () => accepts('embeddings', { ...base, input_type: 'query' }));
