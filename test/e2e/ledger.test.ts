import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { asArray, asObject, asObjects, type JsonObject, parseJson } from 'portcullis/sdk';
import type { LedgerSettings } from '../../core/ledger/settings.ts';
import { without } from '../plugins/guardrails/guarded.ts';
import { saved } from '../support/gateway.ts';
import { type Act, startPeer } from '../support/peer.ts';
import { recordedStream } from '../support/recordings.ts';
import { noUnhandledRejections } from '../support/rejections.ts';
import { target } from '../support/routed.ts';
import { countingGateway } from './ledger-gateway.ts';

noUnhandledRejections();

const question = 'Say hello.';
const chat: JsonObject = { model: 'm', stream: true, messages: [{ role: 'user', content: question }] };
const asking = { stream_options: { include_usage: true } };
/** The question, the frame of its message and the opening of an answer. */
const askedTokens = countTokens(question) + 7;

/** The events of a chat stream that was sent to a client. */
function chunksOf(text: string): readonly JsonObject[] {
  const events = text.split(/\r?\n\r?\n/).map((event) => asObject(parseJson(event.slice('data: '.length))));
  return events.filter((event) => event !== undefined);
}

function spoken(text: string): string {
  const choices = chunksOf(text).flatMap((chunk) => asObjects(chunk.choices));
  return choices.map(({ delta }) => String(asObject(delta)?.content ?? '')).join('');
}

async function serving(t: TestContext, act: Act = {}, settings: Partial<LedgerSettings> = {}) {
  const peer = await startPeer(t);
  peer.always(act);
  const gateway = await countingGateway(t, settings, {
    providers: { open: saved('openai', `${peer.origin}/v1`), mind: saved('anthropic', `${peer.origin}/v1`) },
  });
  const recorded = async () => {
    const [record] = await gateway.records(1);
    return { status: record?.status, usage: record?.usage, source: record?.usageSource, tier: record?.tier };
  };
  return { peer, gateway, recorded };
}

describe('a stream that ends with an error', () => {
  const begun = recordedStream('chat', 'text').slice(0, 3);
  const fault = (type: string) => `data: {"error":{"message":"m","type":"${type}","param":null,"code":null}}\n\n`;
  const endings: readonly (readonly [string, Act, string | undefined])[] = [
    ['comes to its end', {}, undefined],
    ['comes to its end, but for the last event', { events: recordedStream('chat', 'text').slice(0, -1) }, undefined],
    ['ends before its end', { events: begun }, 'upstream_invalid'],
    ['is cut', { events: begun, ending: 'cut' }, 'upstream_unreachable'],
    ['tells of an error', { events: [...begun, fault('server_error')] }, 'upstream_error'],
    ['tells of an overload', { events: [...begun, fault('overloaded_error')] }, 'overloaded'],
  ];
  for (const path of ['/v1/chat/completions', '/v1/messages'])
    for (const [how, act, error] of endings)
      it(`is known for it by its record: one on ${path} that ${how}`, async (t) => {
        const { gateway } = await serving(t, act);
        await gateway.post(path, { ...chat, max_tokens: 9, model: '@open/m' });
        const [record] = await gateway.records(1);
        assert.deepEqual([record?.status, record?.error], [200, error]);
      });

  it('is known for it by its record where its last event says so: one of responses', async (t) => {
    const response = { id: 'resp_1', status: 'failed', error: { code: 'server_error', message: 'm' }, output: [] };
    const event = { type: 'response.failed', sequence_number: 9, response };
    const failing = [...recordedStream('responses', 'text').slice(0, 6), `data: ${JSON.stringify(event)}\n\n`];
    const { gateway } = await serving(t, { events: failing });
    await gateway.post('/v1/responses', { model: '@open/m', input: question, stream: true });
    const [record] = await gateway.records(1);
    assert.deepEqual([record?.status, record?.error], [200, 'upstream_error']);
  });
});

describe('the token counts of a stream', () => {
  it('are asked for, learned, and kept from a client of the official SDK who has not asked', async (t) => {
    const { peer, gateway, recorded } = await serving(t);
    const stream = await gateway
      .openai()
      .chat.completions.create({ model: '@open/m', messages: [{ role: 'user', content: question }], stream: true });
    let text = '';
    for await (const chunk of stream) {
      assert.equal(chunk.choices.length, 1);
      assert.equal(chunk.usage ?? null, null);
      text += chunk.choices[0]?.delta.content ?? '';
    }
    assert.ok(text.length > 0);
    assert.deepEqual(peer.requests[0]?.body.stream_options, { include_usage: true });
    const { usage, source } = await recorded();
    assert.deepEqual([usage?.input, usage?.output, source], [19, 10, 'provider']);
  });

  it('are shown to a client of the official SDK who has asked', async (t) => {
    const { gateway, recorded } = await serving(t);
    const stream = await gateway.openai().chat.completions.create({
      model: '@open/m',
      messages: [{ role: 'user', content: question }],
      stream: true,
      stream_options: { include_usage: true },
    });
    const counted: unknown[] = [];
    for await (const chunk of stream) if (chunk.usage) counted.push([chunk.choices, chunk.usage.total_tokens]);
    assert.deepEqual(counted, [[[], 29]]);
    assert.equal((await recorded()).source, 'provider');
  });

  it('are the only bytes that are kept back, in whatever pieces they come', async (t) => {
    const events = recordedStream('chat', 'text');
    const expected = events.filter((event) => chunksOf(event).every(({ choices }) => asArray(choices).length > 0));
    assert.equal(expected.length, events.length - 1);
    for (const act of [{}, { pieceBytes: 7 }, { crlf: true }, { crlf: true, pieceBytes: 3 }]) {
      const { gateway } = await serving(t, act);
      const { text } = await gateway.post('/v1/chat/completions', { ...chat, model: '@open/m' });
      assert.equal(text.replaceAll('\r\n', '\n'), expected.join(''));
    }
  });

  it('are asked for and kept back where the reply is translated', async (t) => {
    for (const [body, shown] of [
      [chat, 0],
      [{ ...chat, ...asking }, 1],
    ] as const) {
      const { gateway, recorded } = await serving(t);
      const { text } = await gateway.post('/v1/chat/completions', { ...body, model: '@mind/m', max_tokens: 99 });
      assert.equal(text.split('"prompt_tokens"').length - 1, shown);
      assert.equal((await recorded()).source, 'provider');
    }
  });

  it('are asked for only where the provider takes the question', async (t) => {
    const azure = { provider: 'azure-openai', azure_resource_name: 'r', azure_deployment_id: 'd' };
    const cases: readonly (readonly [JsonObject, JsonObject, boolean])[] = [
      [{ ...azure, azure_api_version: 'v1' }, {}, true],
      [{ ...azure, azure_api_version: '2024-10-21' }, {}, true],
      [{ ...azure, azure_api_version: '2024-06-01' }, {}, false],
      [{ ...azure, azure_api_version: 'v1' }, { data_sources: [] }, false],
      [{ provider: 'deepseek' }, {}, true],
      [{ provider: 'mistral-ai' }, {}, false],
      [{ provider: 'groq' }, {}, false],
      [{ provider: 'openrouter' }, {}, false],
      [{ provider: 'perplexity-ai' }, {}, false],
    ];
    const { peer, gateway } = await serving(t);
    for (const [config, more, isAsked] of cases) {
      await gateway.ask({ ...config, api_key: 'k', custom_host: `${peer.origin}/v1` }, { ...chat, ...more });
      const sent = asObject(peer.requests.at(-1)?.body.stream_options)?.include_usage === true;
      assert.equal(sent, isAsked, JSON.stringify({ ...config, ...more }));
    }
  });

  it('are not asked for when the operator does not want it, and counted here', async (t) => {
    const { peer, gateway, recorded } = await serving(t, {}, { askUsage: false });
    const { text } = await gateway.post('/v1/chat/completions', { ...chat, model: '@open/m' });
    assert.equal(peer.requests[0]?.body.stream_options, undefined);
    const { usage, source } = await recorded();
    assert.deepEqual([usage?.input, usage?.output, source], [askedTokens, countTokens(spoken(text)), 'estimated']);
  });

  it('are counted here where a provider does not tell them, streamed or whole', async (t) => {
    const whole = {
      choices: [{ index: 0, message: { role: 'assistant', content: 'Hello, you.' }, finish_reason: 'stop' }],
    };
    for (const stream of [true, false]) {
      const events = recordedStream('chat', 'text').filter((event) => !event.includes('"prompt_tokens"'));
      const { gateway, recorded } = await serving(t, stream ? { events } : { body: whole });
      const { text } = await gateway.post('/v1/chat/completions', { ...chat, stream, model: '@open/m' });
      const { usage, source } = await recorded();
      const said = stream ? spoken(text) : 'Hello, you.';
      assert.deepEqual([usage?.input, usage?.output, source], [askedTokens, countTokens(said), 'estimated']);
    }
  });

  it('are none where no model answered', async (t) => {
    const { gateway, recorded } = await serving(t, { status: 500 });
    await gateway.post('/v1/chat/completions', { ...chat, model: '@open/m' });
    assert.deepEqual(await recorded(), { status: 500, usage: undefined, source: undefined, tier: undefined });
  });

  for (const [what, before, status] of [
    ['stops it midway', 40, 200],
    ['denies it at its first word', 0, 446],
  ] as const) {
    it(`hold what the provider had said when a guardrail ${what}`, async (t) => {
      const words = [...Array.from({ length: before }, (_, index) => `word${index} `), 'swordfish ', 'and more of it '];
      const events = words.map(
        (content) => `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`,
      );
      const { peer, gateway, recorded } = await serving(t, { events, ending: 'stall' });
      const window = { stream_mode: 'window', stream_window: { tokens: 8, ms: 50, overlap_tokens: 4 } };
      const guard = { id: 'guard', ...without('swordfish'), deny: true, ...window };
      const reply = await gateway.ask(target(peer, { output_guardrails: [guard] }), chat);
      const { usage, source } = await recorded();
      assert.deepEqual([reply.status, source, usage?.input], [status, 'estimated', askedTokens]);
      assert.ok((usage?.output ?? 0) > 2 * before, `${usage?.output} tokens`);
    });
  }

  it('hold the tier that the provider served with', async (t) => {
    const body = {
      choices: [{ index: 0, message: { role: 'assistant', content: 'x' }, finish_reason: 'stop' }],
      service_tier: 'flex',
      usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
    };
    const { gateway, recorded } = await serving(t, { body });
    await gateway.post('/v1/chat/completions', { ...chat, stream: false, model: '@open/m' });
    assert.equal((await recorded()).tier, 'flex');
  });
});
