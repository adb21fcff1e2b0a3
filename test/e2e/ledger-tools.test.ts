import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { JsonObject, RequestRecord } from 'portcullis/sdk';
import { type Act, startPeer } from '../support/peer.ts';
import { noUnhandledRejections } from '../support/rejections.ts';
import { countingGateway } from './ledger-gateway.ts';

noUnhandledRejections();

interface Asked {
  readonly provider: string;
  readonly path: string;
  readonly body: JsonObject;
}

async function recordOf(t: TestContext, { provider, path, body }: Asked, act: Act): Promise<RequestRecord> {
  const peer = await startPeer(t);
  peer.always(act);
  const gateway = await countingGateway(t);
  const config = { provider, api_key: 'k', custom_host: `${peer.origin}/v1` };
  const reply = await gateway.ask(config, body, { path });
  assert.equal(reply.status, 200, reply.text);
  const [record] = await gateway.records(1);
  return record ?? assert.fail('there is a record');
}

const event = (json: JsonObject, name?: string) =>
  `${name === undefined ? '' : `event: ${name}\n`}data: ${JSON.stringify(json)}\n\n`;

describe('searches that a provider bills beside its tokens', () => {
  const counts = { prompt_tokens: 33, completion_tokens: 7163, total_tokens: 7196 };
  const researched = { ...counts, citation_tokens: 20_016, num_search_queries: 18, reasoning_tokens: 73_997 };
  const cases = [
    ['sonar-deep-research', researched, 409_393_000, { reasoning: 221_991_000, tools: 130_032_000 }],
    ['sonar', { ...counts, search_context_size: 'high', num_search_queries: 1 }, 19_196_000, { tools: 12_000_000 }],
  ] as const;
  for (const [model, usage, nanoUsd, parts] of cases) {
    const head = { id: 'x', model, created: 1_770_768_226 };
    const message = { role: 'assistant', content: 'About 827,000.' };
    const whole = {
      ...head,
      object: 'chat.completion',
      usage,
      choices: [{ index: 0, message, finish_reason: 'stop' }],
    };
    const first = {
      ...head,
      object: 'chat.completion.chunk',
      usage: { prompt_tokens: 33, completion_tokens: 1, total_tokens: 34 },
      choices: [{ index: 0, delta: message }],
    };
    const last = {
      ...head,
      object: 'chat.completion.done',
      usage,
      choices: [{ index: 0, delta: { content: '' }, finish_reason: 'stop' }],
    };
    for (const stream of [false, true]) {
      it(`are part of the cost of a ${stream ? 'streamed' : 'whole'} reply of ${model}`, async (t) => {
        const body = { model, stream, messages: [{ role: 'user', content: 'How many?' }] };
        const asked = { provider: 'perplexity-ai', path: '/v1/chat/completions', body };
        const { cost, usageSource } = await recordOf(
          t,
          asked,
          stream ? { events: [event(first), event(last)] } : { body: whole },
        );
        assert.deepEqual([cost?.nanoUsd, usageSource], [nanoUsd, 'provider']);
        for (const [part, amount] of Object.entries(parts)) assert.equal(cost?.parts[part], amount, part);
      });
    }
  }
});

describe('tools whose uses a responses endpoint counts itself', () => {
  const search = { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search', query: 'x' } };
  const response = {
    id: 'resp_1',
    object: 'response',
    created_at: 1_770_768_226,
    status: 'completed',
    model: 'grok-4.3',
    output: [search, search, { type: 'custom_tool_call', id: 'ct_1', name: 'x_keyword_search', input: '{}' }],
    usage: {
      input_tokens: 1000,
      output_tokens: 100,
      total_tokens: 1100,
      num_server_side_tools_used: 6,
      server_side_tool_usage_details: {
        ...{ web_search_calls: 1, x_search_calls: 2, code_interpreter_calls: 1, file_search_calls: 1 },
        ...{ mcp_calls: 0, document_search_calls: 1, x_posts_fetched: 40 },
      },
    },
  };
  const name = 'response.completed';
  for (const stream of [false, true]) {
    it(`are charged by those counts, in a ${stream ? 'stream' : 'whole reply'}`, async (t) => {
      const body = { model: 'grok-4.3', input: 'Look it up.', stream, tools: [{ type: 'x_search' }] };
      const asked = { provider: 'x-ai', path: '/v1/responses', body };
      const events = [event({ type: name, sequence_number: 0, response }, name)];
      const { cost } = await recordOf(t, asked, stream ? { events } : { body: response });
      // 4 of $5, one of $10 and one of $2.50, each for 1,000.
      assert.deepEqual(cost?.parts, { input: 1_250_000, output: 250_000, tools: 32_500_000 });
    });
  }
});

describe('pictures that a tool of a responses endpoint makes', () => {
  const picture = { type: 'image_generation_call', id: 'ig_1', status: 'completed', result: 'UklGRg==' };
  const message = {
    type: 'message',
    id: 'msg_1',
    status: 'completed',
    role: 'assistant',
    content: [{ type: 'output_text', text: 'Here it is.', annotations: [] }],
  };
  const drawn = {
    id: 'resp_1',
    object: 'response',
    created_at: 1_770_768_226,
    status: 'completed',
    model: 'gpt-5',
    output: [picture, message],
    tools: [{ type: 'image_generation', model: 'gpt-image-1.5', quality: 'low', size: 'auto' }],
    usage: { input_tokens: 1000, output_tokens: 100, total_tokens: 1100 },
  };
  const told = {
    image_gen: {
      input_tokens: 60,
      input_tokens_details: { image_tokens: 10, text_tokens: 50 },
      output_tokens: 4160,
      output_tokens_details: { image_tokens: 4160, text_tokens: 0 },
      total_tokens: 4220,
    },
    web_search: { num_requests: 0 },
  };
  const none = { ...told.image_gen, input_tokens: 0, output_tokens: 0, total_tokens: 0 };
  const square = { ...picture, quality: 'high', size: '1024x1024' };
  const failed = { ...picture, status: 'failed', result: null };
  const cases: readonly (readonly [string, JsonObject, number])[] = [
    ['the tokens of the tool’s model', { tool_usage: told }, 50 * 5_000 + 10 * 8_000 + 4160 * 32_000],
    ['the piece, where no tokens are told', { tool_usage: { ...told, image_gen: none } }, 9_000_000],
    ['the piece of the quality and size that it was made in', { output: [square, square, message] }, 266_000_000],
    ['the piece that costs most, where they differ', { output: [square, picture, message] }, 266_000_000],
    ['the piece of the standard model, where none is named', { tools: [] }, 211_000_000],
    ['the pictures that have been made', { output: [failed, square, message] }, 133_000_000],
  ];
  for (const [what, more, nanoUsd] of cases) {
    const response = { ...drawn, ...more };
    const name = 'response.completed';
    for (const stream of [false, true]) {
      it(`are charged by ${what}, in a ${stream ? 'stream' : 'whole reply'}`, async (t) => {
        const body = { model: 'gpt-5', input: 'Draw it.', stream, tools: [{ type: 'image_generation' }] };
        const asked = { provider: 'openai', path: '/v1/responses', body };
        const events = [event({ type: name, sequence_number: 0, response }, name)];
        const { cost } = await recordOf(t, asked, stream ? { events } : { body: response });
        assert.deepEqual(cost?.parts, { input: 1_250_000, output: 1_000_000, image: nanoUsd });
        assert.equal(cost?.nanoUsd, 2_250_000 + nanoUsd);
      });
    }
  }
});
