import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { dialects } from 'portcullis/sdk';
import type { CountedReply } from '../../../core/ledger/counted-reply.ts';
import { mostDrains } from '../../../core/ledger/settings.ts';
import { Cancellation } from '../../../core/upstream/cancellation.ts';
import { closeLedgers, replyLedger, streamedReply, testLedger } from './ledgers.ts';

after(closeLedgers);

function gone(): Cancellation {
  const cancellation = new Cancellation();
  cancellation.cancel();
  return cancellation;
}

describe('many clients who leave at once', () => {
  it('have so many answers read on, and the others given up', () => {
    const ledger = testLedger({ onDisconnect: 'drain' });
    const opened = () => replyLedger(streamedReply(dialects.chat), { ledger, cancellation: gone() });
    const first = Array.from({ length: mostDrains }, opened);
    assert.ok(first.every((reply) => reply.drains && reply.drains));
    const late = opened();
    assert.equal(late.drains, false);
    first[0]?.over();
    first[0]?.over();
    assert.equal(first[0]?.drains, false);
    assert.equal(late.drains, true);
    assert.equal(opened().drains, false);
  });

  it('have a few answers read for their tokens at a time, and all of them in the end', async () => {
    const ledger = testLedger();
    let reading = 0;
    let most = 0;
    const slow = (): CountedReply => ({
      model: undefined,
      meter: streamedReply(dialects.chat).meter,
      said: async () => {
        reading += 1;
        most = Math.max(most, reading);
        await new Promise((resolve) => setImmediate(resolve));
        reading -= 1;
        return { said: { texts: ['Hello.'], tokens: 0 }, times: 1 };
      },
    });
    const counted = await Promise.all(
      Array.from({ length: 200 }, () => replyLedger(slow(), { ledger, cancellation: gone() }).counted()),
    );
    assert.ok(most <= 8, `${most} at once`);
    assert.deepEqual(new Set(counted.map(({ usage }) => usage?.output)), new Set([2]));
  });

  it('keep nobody else from being counted when one of them fails', async () => {
    const ledger = testLedger();
    const failing: CountedReply = {
      model: undefined,
      meter: streamedReply(dialects.chat).meter,
      said: () => Promise.reject(new Error('unreadable')),
    };
    for (let count = 0; count < 20; count += 1)
      await assert.rejects(async () => replyLedger(failing, { ledger }).counted(), /unreadable/);
    const { usageSource } = await replyLedger(streamedReply(dialects.chat), { ledger }).counted();
    assert.equal(usageSource, 'estimated');
  });
});
