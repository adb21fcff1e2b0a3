import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { gate } from '../../../plugins/jwt/gate.ts';

/** Work that ends when it is told to. */
function held() {
  const endings: (() => void)[] = [];
  const work = () => new Promise<void>((resolve) => endings.push(resolve));
  return { endings, work };
}

const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('the gate before signatures', () => {
  it('lets 16 through at once, keeps 512 waiting, and refuses the rest', async () => {
    const through = gate();
    const { endings, work } = held();
    const outcomes = Array.from({ length: 530 }, () => through(work));
    const refused = await Promise.allSettled(outcomes.slice(-2));
    assert.deepEqual(
      refused.map((outcome) => (outcome as PromiseRejectedResult).reason.code),
      ['throttled', 'throttled'],
    );
    assert.equal(endings.length, 16);
    endings[0]?.();
    await settled();
    assert.equal(endings.length, 17);
    for (let ended = 1; ended < 528; ended += 1) {
      endings[ended]?.();
      await settled();
    }
    await Promise.all(outcomes.slice(0, 528));
    assert.equal(endings.length, 528);
  });

  it('is free again after work that failed', async () => {
    const through = gate();
    const failing = Array.from({ length: 100 }, () => through(() => Promise.reject(new Error('no'))));
    for (const outcome of await Promise.allSettled(failing)) assert.equal(outcome.status, 'rejected');
    assert.equal(await through(async () => 'in'), 'in');
  });
});
