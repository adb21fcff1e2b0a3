import assert from 'node:assert/strict';
import { it } from 'node:test';
import { saved } from '../support/gateway.ts';
import { startPeer } from '../support/peer.ts';
import { countingGateway } from './ledger-gateway.ts';

it('keeps no model in its records that is as long as a body', async (t) => {
  const peer = await startPeer(t);
  const gateway = await countingGateway(t, {}, { providers: { open: saved('openai', `${peer.origin}/v1`) } });
  const model = 'm'.repeat(100_000);
  const reply = await gateway.post('/v1/chat/completions', {
    model: `@open/${model}`,
    messages: [{ role: 'user', content: 'Hello.' }],
  });
  assert.equal(reply.status, 200, reply.text);
  assert.equal(peer.requests[0]?.body.model, model);
  const [record] = await gateway.records(1);
  assert.deepEqual([record?.model?.length, record?.requestedModel?.length], [256, 256]);
});
