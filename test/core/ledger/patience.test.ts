import assert from 'node:assert/strict';
import { describe, it, mock } from 'node:test';
import { Patience } from '../../../core/ledger/patience.ts';
import { Cancellation } from '../../../core/upstream/cancellation.ts';

describe('patience', () => {
  it('lets go a while after the client has left, and not before', (t) => {
    mock.timers.enable({ apis: ['setTimeout'] });
    t.after(() => mock.timers.reset());
    const client = new Cancellation();
    const patience = new Patience(client, 1000);
    let heard = 0;
    patience.onCancel(() => {
      heard += 1;
    });
    mock.timers.tick(5000);
    client.cancel();
    mock.timers.tick(999);
    assert.deepEqual([heard, patience.cancelled], [0, false]);
    mock.timers.tick(1);
    assert.deepEqual([heard, patience.cancelled], [1, true]);
  });

  it('keeps no clock running for what is over', (t) => {
    mock.timers.enable({ apis: ['setTimeout'] });
    t.after(() => mock.timers.reset());
    const client = new Cancellation();
    const patience = new Patience(client, 1000);
    const forget = patience.onCancel(() => assert.fail('It is over.'));
    client.cancel();
    forget();
    mock.timers.tick(2000);
    assert.equal(patience.cancelled, false);
  });
});
