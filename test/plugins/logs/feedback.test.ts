import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { JsonObject } from 'portcullis/sdk';
import { everyLogStore, type OpenedLogs } from './every-store.ts';
import { hour, type LogWorld, logWorld, noon, refused } from './world.ts';

everyLogStore((open) => {
  describe('feedback', () => {
    const closing: (() => unknown)[] = [];
    let world: LogWorld;
    let opened: OpenedLogs;
    before(async () => {
      opened = await open();
      world = await logWorld({ after: (close) => void closing.push(close as () => unknown) }, opened);
      closing.unshift(opened.close);
      world.seed({ traceId: 'trace-1', createdAt: noon - hour });
      await opened.settled();
    });
    after(async () => {
      for (const close of closing.toReversed()) await close();
    });

    const send = (method: string, path: string, body: unknown) =>
      world.control.ok(method, path, { as: world.key, body: body as JsonObject });
    const scores = async () => {
      await opened.settled();
      const { organisationId } = world.control;
      const filter = { organisationId, from: noon - 2 * hour, to: noon + hour };
      return (await world.logs.feedbackBy(filter, 'value')).map(({ key, total }) => [key, total]).sort();
    };

    it('is given, one or several, and changed', async () => {
      const one = await send('POST', '/v1/feedback', { trace_id: 'trace-1', value: 5 });
      assert.equal(one.status, 'success');
      const two = await send('POST', '/v1/feedback', [
        { trace_id: 'trace-1', value: -10, weight: 0.5, metadata: { text: 'bad', n: 1 } },
        { traceID: 'trace-1', value: 5 },
      ]);
      assert.equal((two.feedback_ids as string[]).length, 2);
      assert.deepEqual(await scores(), [
        [-10, 1],
        [5, 2],
      ]);
      const [id] = one.feedback_ids as string[];
      const changed = await send('PUT', `/v1/feedback/${id}`, { value: 7, weight: 1 });
      assert.deepEqual(changed.feedback_ids, [id]);
      assert.deepEqual(await scores(), [
        [-10, 1],
        [5, 1],
        [7, 1],
      ]);
    });

    it('is changed right after it was given', async () => {
      const { feedback_ids: ids } = await send('POST', '/v1/feedback', { trace_id: 'trace-1', value: 1 });
      const [id] = ids as string[];
      assert.deepEqual((await send('PUT', `/v1/feedback/${id}`, { value: 2 })).feedback_ids, [id]);
    });

    it('is there for all processes once its id is known', async () => {
      const { organisationId } = world.control;
      const filter = { organisationId, from: noon - hour, to: noon + hour };
      const given = async () => (await world.logs.feedbackBy(filter, 'all'))[0]?.total ?? 0;
      await opened.settled();
      const before = await given();
      await send('POST', '/v1/feedback', { trace_id: 'trace-1', value: 3 });
      assert.equal(await given(), before + 1);
    });

    it('is not changed from another workspace', async () => {
      const { feedback_ids: ids } = await send('POST', '/v1/feedback', { trace_id: 'trace-1', value: 1 });
      await opened.settled();
      const { id: workspaceId } = await world.control.ok('POST', '/v1/workspaces', { body: { name: 'Other' } });
      const as = { ...world.key, workspaceId: String(workspaceId) };
      const path = `/v1/feedback/${(ids as string[])[0]}`;
      assert.deepEqual(await refused(world.control, 'PUT', path, { as, body: { value: 2 } }), [404, 'id']);
    });

    for (const [what, body, param] of [
      ['a trace is missing', { value: 1 }, 'trace_id'],
      ['the value is missing', { trace_id: 't' }, 'value'],
      ['the value is out of bounds', { trace_id: 't', value: 11 }, 'value'],
      ['the value is no whole number', { trace_id: 't', value: 1.5 }, 'value'],
      ['the weight is out of bounds', { trace_id: 't', value: 1, weight: 2 }, 'weight'],
      [
        'one of several is wrong',
        [
          { trace_id: 't', value: 1 },
          { trace_id: 't', value: -11 },
        ],
        '[1].value',
      ],
    ] as const) {
      it(`is refused where ${what}`, async () =>
        assert.deepEqual(
          await refused(world.control, 'POST', '/v1/feedback', { as: world.key, body: body as unknown as JsonObject }),
          [400, param],
        ));
    }

    it('needs logs.write', async () => {
      const as = { ...world.key, scopes: ['completions.write'] };
      const reply = await world.control.call('POST', '/v1/feedback', { as, body: { trace_id: 't', value: 1 } });
      assert.equal(reply.status, 403);
    });
  });
});
