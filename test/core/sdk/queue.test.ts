import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { boundedQueue } from 'portcullis/sdk';

const bounds = { running: 16, waiting: 512, full: 'Full.', retryAfter: 1 };

/** Work that ends when it is told to. */
function held() {
  const endings: (() => void)[] = [];
  const work = () => new Promise<void>((resolve) => endings.push(resolve));
  return { endings, work };
}

const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('a bounded queue', () => {
  it('runs 16 at once, keeps 512 waiting, and refuses the rest', async () => {
    const through = boundedQueue(bounds);
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
    const through = boundedQueue(bounds);
    const failing = Array.from({ length: 100 }, () => through(() => Promise.reject(new Error('no'))));
    for (const outcome of await Promise.allSettled(failing)) assert.equal(outcome.status, 'rejected');
    assert.equal(await through(async () => 'in'), 'in');
  });
});
