import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { JsonObject } from 'portcullis/sdk';
import type { Act } from '../../support/peer.ts';
import { limitedWorld, messages, type World } from './world.ts';

const model = 'claude-opus-4-6';
const counts = { input_tokens: 1000, output_tokens: 1000, service_tier: 'standard' };

/** A whole message that was served there. */
const whole = (region: string): Act => ({
  body: {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model,
    content: [{ type: 'text', text: 'Hi.' }],
    stop_reason: 'end_turn',
    usage: { ...counts, inference_geo: region },
  },
});

const event = (fields: JsonObject) => `event: ${fields.type}\ndata: ${JSON.stringify(fields)}\n\n`;

/** The same as a stream, which tells the region with its first counts alone. */
const streamed = (region: string): Act => ({
  events: [
    event({
      type: 'message_start',
      message: {
        id: 'msg_1',
        type: 'message',
        role: 'assistant',
        model,
        content: [],
        usage: { ...counts, output_tokens: 1, inference_geo: region },
      },
    }),
    event({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }),
    event({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hi.' } }),
    event({ type: 'content_block_stop', index: 0 }),
    event({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 1000 } }),
    event({ type: 'message_stop' }),
  ],
});

async function withMessages(t: TestContext): Promise<World> {
  const world = await limitedWorld(t);
  const { id } = await world.control.ok('POST', '/v1/integrations', {
    body: {
      name: 'mind',
      ai_provider_id: 'anthropic',
      key: 'sk-of-mind',
      configurations: { custom_host: `${world.peer.origin}/v1` },
    },
  });
  await world.control.ok('PUT', `/v1/integrations/${id}/workspaces`, {
    body: { workspaces: [{ id: world.workspaceId, enabled: true, default_provider_slug: 'mind' }] },
  });
  return world;
}

const everywhere = 30_000_000;
const inRegion = 33_000_000;
const own = '/v1/messages';
const chat = '/v1/chat/completions';
const denies = { output_guardrails: [{ 'default.contains': { operator: 'none', words: ['Hi'] }, deny: true }] };

describe('a budget of costs', () => {
  const cases: readonly (readonly [what: string, path: string, act: Act, nanoUsd: number, config?: JsonObject])[] = [
    ['a message that was served in a region', own, whole('us'), inRegion],
    ['a message that was served anywhere', own, whole('global'), everywhere],
    ['a message whose region is not known', own, whole('not_available'), everywhere],
    ['a stream that was served in a region', own, streamed('us'), inRegion],
    ['a translated answer that was served in a region', chat, whole('us'), inRegion],
    ['a translated stream that was served in a region', chat, streamed('us'), inRegion],
    ['an answer of a region that was denied', own, whole('us'), inRegion, denies],
  ];
  for (const [what, path, act, nanoUsd, config = {}] of cases) {
    it(`takes the price of ${what}`, async (t) => {
      const world = await withMessages(t);
      world.peer.next(act);
      const { id, key } = await world.key({ usage_limits: { type: 'cost', credit_limit: 1000 } });
      const body = { model: `@mind/${model}`, max_tokens: 50, messages, stream: act.events !== undefined };
      const headers = { 'x-gw-config': JSON.stringify(config) };
      const { status } = await world.control.call('POST', path, { key, body, headers });
      assert.equal(status, config === denies ? 446 : 200);
      await world.settled(`budget/key/${id}/cost`, nanoUsd);
    });
  }
});
