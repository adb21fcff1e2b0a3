import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startGateway } from '../support/gateway.ts';
import { type Act, startPeer } from '../support/peer.ts';
import { noUnhandledRejections } from '../support/rejections.ts';
import { target } from '../support/routed.ts';

noUnhandledRejections();

const id = { id: 'c', created: 1, model: 'm', system_fingerprint: 'fp', vendor_field: 7 };
const call = (name: string, more: object = {}) => ({
  id: `call_${name}`,
  type: 'function',
  ...more,
  function: { name, arguments: '{"city":"Bergen"}' },
});
const answer = (message: object, finish_reason = 'tool_calls') => ({
  ...id,
  object: 'chat.completion',
  choices: [{ index: 0, message: { role: 'assistant', content: null, ...message }, logprobs: null, finish_reason }],
  usage: { prompt_tokens: 5, completion_tokens: 3, total_tokens: 8 },
});
const chunk = (delta: object, finish_reason: string | null = null) =>
  `data: ${JSON.stringify({ ...id, object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
const done = 'data: [DONE]\n\n';

const functions = [{ name: 'weather', parameters: { type: 'object' } }];
const messages = [{ role: 'user' as const, content: 'x' }];
const tools = functions.map((of) => ({ type: 'function' as const, function: of }));

/** A gateway in front of a provider that knows `tools` alone. */
async function calling(t: Parameters<typeof startPeer>[0], act: Act, provider = 'moonshot', model = 'm') {
  const peer = await startPeer(t);
  peer.next(act);
  const gateway = await startGateway(t, {});
  const config = JSON.stringify(target(peer, { provider }));
  const post = async (body: object) => {
    const { status, text } = await gateway.post(
      '/v1/chat/completions',
      { model, messages, ...body },
      { 'x-gw-config': config },
    );
    assert.equal(status, 200, text);
    return text;
  };
  return { post, client: gateway.openai({ 'x-gw-config': config }) };
}

/** What a stream says of its first call, of others, and of its end. */
async function streamed(t: Parameters<typeof startPeer>[0], act: Act) {
  const { client } = await calling(t, act);
  let called = '';
  const others: unknown[] = [];
  const reasons: unknown[] = [];
  for await (const { choices } of await client.chat.completions.create({
    model: 'm',
    stream: true,
    messages,
    functions,
  })) {
    const { delta, finish_reason } = choices[0] ?? {};
    called += (delta?.function_call?.name ?? '') + (delta?.function_call?.arguments ?? '');
    if (delta?.tool_calls !== undefined) others.push(...delta.tool_calls);
    if (finish_reason) reasons.push(finish_reason);
  }
  return { called, others, reasons };
}

const first = { role: 'assistant', content: null };
const begun = { index: 0, id: 'call_1', type: 'function', function: { name: 'weather', arguments: '' } };
const more = (text: string, index: object = { index: 0 }) => ({
  tool_calls: [{ ...index, function: { arguments: text } }],
});

describe('a client of the deprecated functions', () => {
  it('gets function_call where a provider of tools answers in its own format, and all else as it came', async (t) => {
    const { post } = await calling(t, { body: answer({ reasoning_content: 'Hm.', tool_calls: [call('weather')] }) });
    const function_call = { name: 'weather', arguments: '{"city":"Bergen"}' };
    assert.deepEqual(
      JSON.parse(await post({ functions })),
      answer({ reasoning_content: 'Hm.', function_call }, 'function_call'),
    );
  });

  it('gets it from models that know tools alone, of a provider that knows both', async (t) => {
    const { post } = await calling(t, { body: answer({ tool_calls: [call('weather')] }) }, 'openai', 'gpt-5.1');
    const { choices } = JSON.parse(await post({ functions }));
    assert.equal(choices[0].message.function_call.name, 'weather');
    assert.equal(choices[0].finish_reason, 'function_call');
  });

  it('finds further calls beside the one that has a place', async (t) => {
    const { post } = await calling(t, { body: answer({ tool_calls: [call('weather'), call('tides')] }) });
    const { message } = JSON.parse(await post({ functions })).choices[0];
    assert.deepEqual([message.function_call.name, message.tool_calls], ['weather', [call('tides')]]);
  });

  it('gets an answer without a call byte for byte', async (t) => {
    const body = `${JSON.stringify(answer({ content: 'tool_calls?' }, 'stop'))}\n`;
    const { post } = await calling(t, { body });
    assert.equal(await post({ functions }), body);
  });

  const ended = { called: 'weather{"city":"Bergen"}', others: [], reasons: ['function_call'] };
  const streams: readonly (readonly [string, readonly string[], object])[] = [
    [
      'whose call comes in pieces',
      [
        chunk({ ...first, tool_calls: [begun] }),
        chunk(more('{"city":')),
        chunk(more('"Bergen"}')),
        chunk({}, 'tool_calls'),
      ],
      ended,
    ],
    ['whose call comes whole, without an index', [chunk({ tool_calls: [call('weather')] }), chunk({}, 'stop')], ended],
    [
      'whose pieces have no index',
      [
        chunk({ tool_calls: [{ ...begun, index: undefined }] }),
        chunk(more('{"city":"Bergen"}', {})),
        chunk({}, 'tool_calls'),
      ],
      ended,
    ],
    [
      'with two pieces of the call in one event',
      [
        chunk({ tool_calls: [begun, { index: 0, function: { arguments: '{"city":"Bergen"}' } }] }),
        chunk({}, 'tool_calls'),
      ],
      ended,
    ],
    [
      'with a second call of the same index',
      [
        chunk({ tool_calls: [call('weather', { index: 0 })] }),
        chunk({ tool_calls: [call('tides', { index: 0 })] }, 'stop'),
      ],
      { ...ended, others: [call('tides', { index: 0 })] },
    ],
  ];
  for (const [which, events, expected] of streams) {
    it(`gets function_call in a stream ${which}`, async (t) => {
      assert.deepEqual(await streamed(t, { events: [...events, done] }), expected);
    });
    it(`gets it however the bytes are cut, and with other line ends (${which})`, async (t) => {
      assert.deepEqual(await streamed(t, { events: [...events, done], pieceBytes: 7, crlf: true }), expected);
    });
  }

  it('gets keep-alives and events without a call byte for byte', async (t) => {
    const events = [': alive\n\n', chunk({ ...first, content: 'tool_calls' }), ': alive\n\n', chunk({}, 'stop'), done];
    const { post } = await calling(t, { events });
    assert.equal(await post({ functions, stream: true }), events.join(''));
  });

  it('is told of a stream that breaks off', async (t) => {
    const { post } = await calling(t, { events: [chunk({ tool_calls: [begun] }), chunk(more('{"ci'))], ending: 'cut' });
    const text = await post({ functions, stream: true });
    assert.match(text, /"function_call":\{"arguments":"\{\\"ci"\}[\s\S]*"error":\{/);
  });
});

it('a client of tools gets what the provider says byte for byte', async (t) => {
  const whole = `${JSON.stringify(answer({ tool_calls: [call('weather')] }))}\n`;
  const asked = await calling(t, { body: whole });
  assert.equal(await asked.post({ tools, functions }), whole);
  const events = [chunk({ ...first, tool_calls: [begun] }), chunk({}, 'tool_calls'), done];
  const streaming = await calling(t, { events });
  assert.equal(await streaming.post({ tools, stream: true }), events.join(''));
});
