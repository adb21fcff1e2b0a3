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

async function withProvider(
  t: TestContext,
  provider: string,
  configurations: JsonObject = {},
  secret = 'sk-of-mind',
): Promise<World> {
  const world = await limitedWorld(t);
  const { id } = await world.control.ok('POST', '/v1/integrations', {
    body: {
      name: 'mind',
      ai_provider_id: provider,
      key: secret,
      configurations: { ...configurations, custom_host: `${world.peer.origin}/v1` },
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

const bedrock = (region: string): JsonObject => ({ aws_auth_type: 'apiKey', aws_region: region });
const vertex = (region: string): JsonObject => ({
  vertex_auth_type: 'basic',
  vertex_region: region,
  vertex_project_id: 'project',
});

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
      const world = await withProvider(t, 'anthropic');
      world.peer.next(act);
      const { id, key } = await world.key({ usage_limits: { type: 'cost', credit_limit: 1000 } });
      const body = { model: `@mind/${model}`, max_tokens: 50, messages, stream: act.events !== undefined };
      const headers = { 'x-gw-config': JSON.stringify(config) };
      const { status } = await world.control.call('POST', path, { key, body, headers });
      assert.equal(status, config === denies ? 446 : 200);
      await world.settled(`budget/key/${id}/cost`, nanoUsd);
    });
  }

  const called: readonly (readonly [provider: string, configurations: JsonObject, model: string, nanoUsd: number])[] = [
    ['bedrock', bedrock('eu-west-1'), 'anthropic.claude-opus-4-6-v1', inRegion],
    ['bedrock', bedrock('eu-west-1'), 'global.anthropic.claude-opus-4-6-v1', everywhere],
    ['vertex-ai', vertex('europe-west1'), model, inRegion],
    ['vertex-ai', vertex('global'), model, everywhere],
  ];
  for (const [provider, configurations, name, nanoUsd] of called) {
    const where = String(configurations.aws_region ?? configurations.vertex_region);
    it(`takes the price of the region that ${provider} was called in: ${name} in ${where}`, async (t) => {
      const world = await withProvider(t, provider, configurations);
      world.peer.next(whole('not_available'));
      const { id, key } = await world.key({ usage_limits: { type: 'cost', credit_limit: 1000 } });
      const body = { model: `@mind/${name}`, max_tokens: 50, messages };
      assert.equal((await world.control.call('POST', own, { key, body })).status, 200);
      await world.settled(`budget/key/${id}/cost`, nanoUsd);
    });
  }
});

describe('a budget of costs at Vertex AI', () => {
  const traffic = [
    ['ON_DEMAND', 11_250_000],
    ['ON_DEMAND_FLEX', 5_625_000],
    ['ON_DEMAND_PRIORITY', 20_250_000],
  ] as const;
  for (const [trafficType, nanoUsd] of traffic) {
    const answer = {
      candidates: [{ index: 0, content: { role: 'model', parts: [{ text: 'Hi.' }] }, finishReason: 'STOP' }],
      usageMetadata: { promptTokenCount: 1000, candidatesTokenCount: 1000, totalTokenCount: 2000, trafficType },
      modelVersion: 'gemini-2.5-pro',
      responseId: 'abc',
    };
    for (const act of [{ body: answer }, { events: [`data: ${JSON.stringify(answer)}\n\n`] }] as readonly Act[]) {
      it(`takes the price of the traffic ${trafficType} of a ${act.events === undefined ? 'reply' : 'stream'}`, async (t) => {
        const world = await withProvider(t, 'vertex-ai', vertex('global'), 'AIza-of-mind');
        world.peer.next(act);
        const { id, key } = await world.key({ usage_limits: { type: 'cost', credit_limit: 1000 } });
        const body = { model: '@mind/gemini-2.5-pro', messages, stream: act.events !== undefined };
        const reply = await world.control.call('POST', chat, { key, body });
        assert.equal(reply.status, 200, reply.text);
        await world.settled(`budget/key/${id}/cost`, nanoUsd);
      });
    }
  }
});

describe('what a budget of costs sets aside', () => {
  // 0.93 US dollars at the standard price, with 0.03 spent before.
  const most = 37_000;
  const cases: readonly (readonly [string, provider: string, configurations: JsonObject, asked: JsonObject])[] = [
    ['nothing in particular', 'anthropic', {}, {}],
    ['a region', 'anthropic', {}, { inference_geo: 'us' }],
    ['a faster mode', 'anthropic', {}, { speed: 'fast' }],
    ['a provider in a region', 'vertex-ai', vertex('europe-west1'), {}],
  ];
  for (const [what, provider, configurations, asked] of cases) {
    it(`goes by what a request asks for: ${what}`, async (t) => {
      const world = await withProvider(t, provider, configurations);
      const { id, key } = await world.key({ usage_limits: { type: 'cost', credit_limit: 1 } });
      const ask = (body: JsonObject) =>
        world.control.call('POST', own, { key, body: { model: `@mind/${model}`, messages, ...body } });
      world.peer.next(whole('not_available'), whole('not_available'));
      assert.equal((await ask({ max_tokens: 50 })).status, 200);
      await world.settled(`budget/key/${id}/cost`, provider === 'vertex-ai' ? inRegion : everywhere);
      assert.equal((await ask({ max_tokens: most, ...asked })).status, what.startsWith('nothing') ? 200 : 412);
    });
  }
});
