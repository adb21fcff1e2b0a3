import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { chat } from '../../../../sdk/dialects/chat/index.ts';
import type { Completion, Part, Usage } from '../../../../sdk/dialects/neutral.ts';
import { packToolCallId } from '../../../../sdk/dialects/tool-call-id.ts';
import { asObject, type JsonObject } from '../../../../sdk/json.ts';
import { context, frozen } from './codec.ts';

const recorded = JSON.parse(readFileSync(new URL('./fixtures/reply.json', import.meta.url), 'utf8')) as JsonObject;
const decode = (body: JsonObject): Completion => chat.decodeReply(frozen(body), context());
const partsOf = (message: JsonObject): readonly Part[] | undefined =>
  decode({ choices: [{ message }] }).choices[0]?.parts;
const encode = (parts: readonly Part[], strict: boolean) => {
  const reply = chat.encodeReply(
    frozen({ id: 'a', model: 'm', choices: [{ index: 0, parts, finish: 'stop', nativeFinish: 'end_turn' }] }),
    context(strict),
  );
  return (reply.choices as readonly JsonObject[])[0];
};

describe('chat replies', () => {
  it('come out as they went in', () => {
    const { annotations: _, ...message } = {
      role: 'assistant',
      content: 'Hello! How can I assist you today?',
      refusal: null,
      annotations: [],
    };
    const choice = { index: 0, message, logprobs: null, finish_reason: 'stop' };
    const usage = recorded.usage as JsonObject;
    assert.deepEqual(chat.encodeReply(decode(recorded), context(true)), { ...recorded, choices: [choice], usage });
  });

  const messages: readonly (readonly [string, JsonObject, readonly Part[]])[] = [
    ['nothing', {}, []],
    [
      'reasoning_content',
      { content: 'a', reasoning_content: 'hm' },
      [
        { type: 'thinking', text: 'hm' },
        { type: 'text', text: 'a' },
      ],
    ],
    [
      'thinking in content parts',
      {
        content: [
          { type: 'thinking', thinking: [{ type: 'text', text: 'hm' }] },
          { type: 'text', text: 'a' },
        ],
      },
      [
        { type: 'thinking', text: 'hm' },
        { type: 'text', text: 'a' },
      ],
    ],
    [
      'unknown content parts',
      { content: [{ type: 'reference', reference_ids: [1] }] },
      [{ type: 'native', dialect: 'chat', value: { type: 'reference', reference_ids: [1] } }],
    ],
    [
      'a call without id',
      { content: null, tool_calls: [{ function: { name: 'f', arguments: {} } }] },
      [{ type: 'tool-call', id: 'call_1', name: 'f', arguments: '{}' }],
    ],
    [
      'the deprecated call',
      { function_call: { name: 'f', arguments: '{}' } },
      [{ type: 'tool-call', id: 'call_1', name: 'f', arguments: '{}' }],
    ],
    ['a refusal', { content: null, refusal: 'No' }, [{ type: 'refusal', text: 'No' }]],
    [
      'images',
      { content: '', images: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } }] },
      [{ type: 'image', source: { kind: 'base64', mediaType: 'image/png', data: 'AA==' } }],
    ],
    [
      'speech',
      { content: null, audio: { id: 'a', data: 'AA==', transcript: 'Hi', expires_at: 9 } },
      [
        {
          type: 'audio',
          source: { kind: 'base64', mediaType: 'audio/wav', data: 'AA==' },
          format: 'wav',
          transcript: 'Hi',
          id: 'a',
          expiresAt: 9,
        },
      ],
    ],
    [
      'citations',
      { content: 'a', annotations: [{ type: 'url_citation', url_citation: {} }] },
      [{ type: 'text', text: 'a', citations: [{ type: 'url_citation', url_citation: {} }] }],
    ],
  ];
  for (const [name, message, parts] of messages) {
    it(`hold ${name}`, () => assert.deepEqual(partsOf(message), parts));
  }

  it('get an id, the model that was asked for and one choice when they have none', () => {
    assert.deepEqual(decode({}), {
      id: 'chatcmpl-1',
      model: 'asked',
      choices: [{ index: 0, parts: [], finish: 'stop' }],
    });
  });

  const call = [{ id: 'c', type: 'function', function: { name: 'f', arguments: '' } }];
  const words: readonly (readonly [unknown, boolean, string, string | undefined])[] = [
    ['stop', false, 'stop', 'stop'],
    ['stop', true, 'tool_calls', 'stop'],
    ['length', true, 'length', 'length'],
    ['function_call', true, 'tool_calls', 'function_call'],
    ['content_filter', false, 'content_filter', 'content_filter'],
    ['model_length', false, 'length', 'model_length'],
    ['eos', false, 'stop', 'eos'],
    ['', true, 'tool_calls', undefined],
    [null, false, 'stop', undefined],
  ];
  for (const [word, calls, reason, native] of words) {
    it(`that finish with ${JSON.stringify(word)}${calls ? ' and tool calls' : ''} finish with ${reason}`, () => {
      const [choice] = decode({
        choices: [{ message: calls ? { tool_calls: call } : {}, finish_reason: word as string }],
      }).choices;
      assert.deepEqual([choice?.finish, choice?.nativeFinish], [reason, native]);
    });
  }

  it('keep unknown fields, and give them back when not strict', () => {
    const body = {
      id: 'a',
      object: 'chat.completion',
      created: 1,
      model: 'm',
      odd: 1,
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: 'x', refusal: null, odd: 2 },
          logprobs: null,
          finish_reason: 'stop',
          odd: 3,
        },
      ],
    };
    const completion = decode(body);
    const loose = chat.encodeReply(completion, context());
    const [choice] = loose.choices as readonly JsonObject[];
    assert.deepEqual([loose.odd, choice?.odd, asObject(choice?.message)?.odd], [1, 3, 2]);
    const watched = context(true);
    const { odd: _, ...plain } = body;
    assert.deepEqual(chat.encodeReply(completion, watched), {
      ...plain,
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: 'x', refusal: null },
          logprobs: null,
          finish_reason: 'stop',
        },
      ],
    });
    assert.ok(watched.lost.includes('odd'));
  });
});

describe('answers written as chat replies', () => {
  const thought: readonly Part[] = [
    { type: 'thinking', text: 'hm', signature: 's' },
    { type: 'text', text: 'a' },
  ];
  it('show thinking and the native word only when not strict', () => {
    const message = { role: 'assistant', content: 'a', refusal: null };
    assert.deepEqual(encode(thought, true), { index: 0, message, logprobs: null, finish_reason: 'stop' });
    assert.deepEqual(encode(thought, false), {
      index: 0,
      message: {
        ...message,
        content_blocks: [
          { type: 'thinking', thinking: 'hm', signature: 's' },
          { type: 'text', text: 'a' },
        ],
      },
      logprobs: null,
      finish_reason: 'stop',
      native_finish_reason: 'end_turn',
    });
  });

  for (const strict of [true, false]) {
    it(`show thinking in the field that the context names, ${strict ? '' : 'not '}strict`, () => {
      const watched = { ...context(strict), reasoningField: 'reasoning_content' };
      const reply = chat.encodeReply(
        frozen({ id: 'a', model: 'm', choices: [{ index: 0, parts: thought, finish: 'stop' }] }),
        watched,
      );
      const [choice] = reply.choices as readonly JsonObject[];
      const { content_blocks: blocks, ...message } = asObject(choice?.message) ?? {};
      assert.deepEqual(message, { role: 'assistant', content: 'a', reasoning_content: 'hm', refusal: null });
      assert.equal(blocks === undefined, strict);
      assert.deepEqual(watched.lost, []);
      const { choices } = chat.decodeReply(reply, context());
      assert.deepEqual(choices[0]?.parts, strict ? [{ type: 'thinking', text: 'hm' }, thought[1]] : thought);
    });
  }

  it('have no content when they hold only tool calls, whose ids carry the signature', () => {
    const message = encode([{ type: 'tool-call', id: 'c', name: 'f', arguments: '{}', signature: 's' }], true)?.message;
    assert.deepEqual(message, {
      role: 'assistant',
      content: null,
      refusal: null,
      tool_calls: [{ id: packToolCallId('c', 's'), type: 'function', function: { name: 'f', arguments: '{}' } }],
    });
  });

  it('cite by URL, and drop citations without one', () => {
    const flat = { type: 'url_citation', url: 'https://a.example', title: 'A', start_index: 1, end_index: 2 };
    const found = { type: 'web_search_result_location', url: 'https://b.example', title: 'B', cited_text: 'x' };
    const message = encode(
      [
        { type: 'text', text: 'abc', citations: [flat] },
        { type: 'text', text: 'de', citations: [found, { type: 'page_location' }] },
      ],
      true,
    )?.message as JsonObject;
    assert.equal(message.content, 'abcde');
    assert.deepEqual(message.annotations, [
      { type: 'url_citation', url_citation: { start_index: 1, end_index: 2, title: 'A', url: 'https://a.example' } },
      { type: 'url_citation', url_citation: { start_index: 3, end_index: 5, title: 'B', url: 'https://b.example' } },
    ]);
  });
});

describe('usage of chat replies', () => {
  const cases: readonly (readonly [string, unknown, Usage | undefined])[] = [
    [
      'details',
      (recorded as { usage: unknown }).usage,
      {
        input: 19,
        output: 10,
        total: 29,
        cacheRead: 0,
        reasoning: 0,
        audioInput: 0,
        audioOutput: 0,
        acceptedPrediction: 0,
        rejectedPrediction: 0,
      },
    ],
    [
      'cache names of other servers',
      { prompt_tokens: 9, completion_tokens: 1, prompt_cache_hit_tokens: 4 },
      { input: 9, output: 1, cacheRead: 4 },
    ],
    [
      'a prompt count without the cache',
      { prompt_tokens: 3, completion_tokens: 1, cache_read_input_tokens: 10, cache_creation_input_tokens: 5 },
      { input: 18, output: 1, cacheRead: 10, cacheWrite: 5 },
    ],
    [
      'a completion count without reasoning',
      { prompt_tokens: 3, completion_tokens: 2, total_tokens: 10, completion_tokens_details: { reasoning_tokens: 5 } },
      { input: 3, output: 7, total: 10, reasoning: 5 },
    ],
    ['no numbers', { prompt_tokens: 'x' }, undefined],
    ['null', null, undefined],
  ];
  for (const [name, usage, expected] of cases) {
    it(`is read with ${name}`, () => assert.deepEqual(chat.usageOf({ usage: usage as JsonObject }), expected));
  }

  it('shows cache counts of other formats only when not strict', () => {
    const completion: Completion = {
      id: 'a',
      model: 'm',
      choices: [],
      usage: { input: 10, output: 2, cacheRead: 4, cacheWrite: 3 },
    };
    const plain = {
      prompt_tokens: 10,
      completion_tokens: 2,
      total_tokens: 12,
      prompt_tokens_details: { cached_tokens: 4, cache_write_tokens: 3 },
    };
    assert.deepEqual(chat.encodeReply(completion, context(true)).usage, plain);
    assert.deepEqual(chat.encodeReply(completion, context()).usage, {
      ...plain,
      cache_read_input_tokens: 4,
      cache_creation_input_tokens: 3,
    });
  });
});
