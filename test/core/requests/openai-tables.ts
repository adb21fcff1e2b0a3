import type { Json } from '../../../sdk/json.ts';
import { type FieldCase, ranged, string } from './field-table.ts';

export const filled = (amount: number, item: Json): Json[] => new Array<Json>(amount).fill(item);

/** The rows that both tables of the specification share. */
export const shared: readonly FieldCase[] = [
  {
    field: 'model',
    nullable: false,
    good: ['any-model', '@slug/model'],
    bad: [
      { value: '', says: 'a non-empty string; got an empty string' },
      { value: 1, says: 'a non-empty string' },
    ],
  },
  ranged('frequency_penalty', -2, 2, false),
  ranged('presence_penalty', -2, 2, false),
  ranged('temperature', 0, 2, false),
  ranged('top_p', 0, 1, false),
  ranged('n', 1, 128, true),
  {
    field: 'seed',
    nullable: true,
    good: [0, -1, 9_007_199_254_740_991],
    bad: [
      { value: 0.5, says: 'an integer' },
      { value: '1', says: 'an integer' },
    ],
  },
  {
    field: 'stop',
    nullable: true,
    good: ['x', ['x'], filled(4, 'x')],
    bad: [
      { value: [], says: '1 to 4 strings; got an empty array' },
      { value: filled(5, 'x'), says: '1 to 4 strings; got 5 items' },
      { value: ['x', 1], says: 'a string', at: 'stop[1]' },
      { value: 1, says: 'a string, an array of 1 to 4 strings or null; got 1' },
    ],
  },
  {
    field: 'stream',
    nullable: true,
    good: [true, false],
    bad: [{ value: 'true', says: 'true or false or null; got a string' }],
  },
  {
    field: 'stream_options',
    nullable: true,
    beside: { stream: true },
    good: [{}, { include_usage: true }, { include_usage: false, later: 1 }],
    bad: [
      { value: { include_usage: 1 }, says: 'true or false', at: 'stream_options.include_usage' },
      { value: [], says: 'an object' },
      { value: 'x', says: 'an object' },
    ],
  },
  string('user'),
];
