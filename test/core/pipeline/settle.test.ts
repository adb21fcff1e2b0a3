import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createGateway } from '../../../core/gateway.ts';
import { inferAs } from '../../../core/pipeline/own-request.ts';
import { testConfig } from '../../support/gateway.ts';
import { recordingLog } from '../../support/recording-log.ts';
import { noUnhandledRejections } from '../../support/rejections.ts';

noUnhandledRejections();

it('settles and logs a request whose price cannot be had', async (t) => {
  const { log, logged } = recordingLog();
  const gateway = await createGateway(testConfig(), { log });
  t.after(() => gateway.close());
  const { runtime } = gateway;
  let settled = 0;
  const pipeline = {
    ...runtime.pipeline,
    price: () => Promise.reject(new Error('the store is away')),
    settle: () => {
      settled += 1;
    },
  };
  const released = Promise.withResolvers<void>();
  const reply = await inferAs(
    { runtime: { ...runtime, pipeline }, release: released.resolve },
    {
      path: '/v1/chat/completions',
      control: { provider: 'echo' },
      body: { model: 'echo', messages: [{ role: 'user', content: 'Hi' }] },
      signal: new AbortController().signal,
    },
    { id: 'tester', kind: 'anonymous' },
    'a-request',
  );
  for await (const piece of reply.body) assert.ok(piece.length > 0);
  await released.promise;
  assert.deepEqual([reply.status, settled], [200, 1]);
  const events = logged.map(({ event, fields }) => [event, fields.error ?? fields.id]);
  assert.deepEqual(
    events.filter(([event]) => event === 'cost_unknown' || event === 'request'),
    [
      ['cost_unknown', 'the store is away'],
      ['request', 'a-request'],
    ],
  );
});
