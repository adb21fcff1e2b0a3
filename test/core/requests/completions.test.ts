import { it } from 'node:test';
import { accepts, boolean, counted, ranged, string, testFields } from './field-table.ts';
import { shared } from './openai-tables.ts';

const base = { prompt: 'Once' };

testFields('completions', base, shared);
testFields('completions', base, [
  {
    field: 'prompt',
    nullable: false,
    good: ['', 'a', ['a', 'b'], [1, 2], [[1], [2, 3]], []],
    bad: [
      { value: 1, says: 'a string, or an array of strings, integers or arrays of integers; got 1' },
      { value: {}, says: 'a string' },
      { value: ['a', 1], says: 'a string; got 1', at: 'prompt[1]' },
      { value: [1, 'a'], says: 'an integer', at: 'prompt[1]' },
      { value: [1, 1.5], says: 'an integer', at: 'prompt[1]' },
      { value: [[]], says: 'at least 1 integer; got an empty array', at: 'prompt[0]' },
      { value: [[1], ['a']], says: 'an integer', at: 'prompt[1][0]' },
      { value: [null], says: 'an integer', at: 'prompt[0]' },
    ],
  },
  ranged('best_of', 0, 20, true),
  boolean('echo'),
  {
    field: 'logit_bias',
    nullable: true,
    good: [{}, { '50256': -100, '50257': 100, '1': 0.5 }],
    bad: [
      { value: { '50256': 100.5 }, says: 'a number from -100 to 100; got 100.5', at: 'logit_bias.50256' },
      { value: { '50256': -101 }, says: 'a number from -100 to 100', at: 'logit_bias.50256' },
      { value: { '50256': null }, says: 'a number', at: 'logit_bias.50256' },
      { value: 'x', says: 'an object' },
    ],
  },
  ranged('logprobs', 0, 5, true),
  counted('max_tokens', 0),
  string('suffix', true),
]);

it('accepts fields that the table does not name', () => accepts('completions', { ...base, min_p: 'x', later: {} }));
