import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { whiteSpace } from '../../../guardrails/default/white-space.ts';

describe('white space', () => {
  it('is what the engine says it is, for every unit', () => {
    const wrong = Array.from(whiteSpace.keys()).filter(
      (unit) => /\s/.test(String.fromCharCode(unit)) !== (whiteSpace[unit] === 1),
    );
    assert.deepEqual(wrong, []);
    assert.equal(whiteSpace.length, 0x10000);
  });
});
