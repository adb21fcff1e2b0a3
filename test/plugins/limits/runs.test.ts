import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JsonObject } from 'portcullis/sdk';
import { estimatedUsage } from '../../../plugins/limits/enforce/estimate.ts';
import { limitedWorld } from './world.ts';

const standardOutput = 500;
const text = 'y'.repeat(400);
const tokensOf = (path: string, body: JsonObject, method = 'POST') =>
  estimatedUsage({ endpoint: 'threads', headers: {}, method, path }, body, standardOutput).total;

describe('a run of a thread', () => {
  it('may come to what it says and what it allows the model to write', () => {
    assert.equal(tokensOf('/v1/threads/thread_1/runs', { instructions: text }), 600);
    assert.equal(tokensOf('/v1/threads/thread_1/runs', { instructions: text, max_completion_tokens: 20 }), 121);
    assert.equal(tokensOf('/v1/threads/runs', { thread: { messages: [{ content: text }] } }), 600);
    assert.equal(
      tokensOf('/v1/threads/thread_1/runs/run_1/submit_tool_outputs', { tool_outputs: [{ output: text }] }),
      600,
    );
  });

  it('is no thread, and none of its messages', () => {
    assert.equal(tokensOf('/v1/threads', { messages: [{ content: text }] }), 0);
    assert.equal(tokensOf('/v1/threads/thread_1/messages', { content: text }), 0);
    assert.equal(tokensOf('/v1/threads/thread_1/runs/run_1', { metadata: { a: text } }), 0);
  });

  it('counts against a budget of tokens, which refuses the next', async (t) => {
    const world = await limitedWorld(t);
    world.peer.always({ body: { id: 'run_1', object: 'thread.run', thread_id: 'thread_1', status: 'queued' } });
    const { id, key } = await world.key({ usage_limits: { credit_limit: 200, type: 'tokens' } });
    const body = { assistant_id: 'a', instructions: text, max_completion_tokens: 50 };
    const run = () =>
      world.control.call('POST', '/v1/threads/thread_1/runs', { key, body, headers: { 'x-gw-provider': '@prod' } });
    assert.equal((await run()).status, 200);
    await world.stored(`budget/key/${id}/tokens`, 152);
    assert.equal((await run()).status, 412);
  });
});

describe('a response in the background', () => {
  it('keeps what it has set aside: nobody reads what comes of it', async (t) => {
    const world = await limitedWorld(t);
    const queued = { id: 'resp_1', object: 'response', created_at: 1, model: 'gpt-4o-mini', output: [], usage: null };
    world.peer.always({ body: { ...queued, status: 'queued', background: true } });
    for (const [type, used] of [
      ['tokens', 156],
      ['cost', 45_900],
    ] as const) {
      const { id, key } = await world.key({ usage_limits: { credit_limit: 200, type } });
      const body = { model: '@prod/gpt-4o-mini', input: text, background: true, max_output_tokens: 50 };
      assert.equal((await world.control.call('POST', '/v1/responses', { key, body })).status, 200);
      await world.stored(`budget/key/${id}/${type}`, used);
    }
  });
});
