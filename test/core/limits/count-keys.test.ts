import assert from 'node:assert/strict';
import { it } from 'node:test';
import { CountKeys } from '../../../core/limits/count-keys.ts';

it('a count has the same key each time, and no other count has it', () => {
  const keys = new CountKeys();
  assert.equal(keys.of('o1', 'a'), keys.of('o1', 'a'));
  const all = ['o1', 'o2'].flatMap((organisation) => ['a', 'b', ''].map((name) => keys.of(organisation, name)));
  assert.equal(new Set(all).size, all.length);
});

it('a flood of names changes no key', () => {
  const keys = new CountKeys();
  const first = keys.of('o', 'first');
  for (let index = 0; index < 25_000; index += 1) keys.of('o', `name-${index}`);
  assert.equal(keys.of('o', 'first'), first);
});
