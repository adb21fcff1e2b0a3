import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Suspects } from '../../../core/sandbox/suspects.ts';

it('an organisation is suspect while its last five runs that were ended by force are of the last 30 s', () => {
  let now = 1_000_000;
  const suspects = new Suspects(() => now);
  const seen: boolean[] = [];
  for (let end = 0; end < 5; end += 1) {
    seen.push(suspects.has('a'));
    suspects.note('a');
    now += 1000;
  }
  assert.deepEqual(seen, [false, false, false, false, false]);
  assert.deepEqual([suspects.has('a'), suspects.has('b')], [true, false]);
  now += 24_999;
  assert.equal(suspects.has('a'), true);
  now += 1;
  assert.equal(suspects.has('a'), false);
  suspects.note('a');
  assert.equal(suspects.has('a'), true);
});
