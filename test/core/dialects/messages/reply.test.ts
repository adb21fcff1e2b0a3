import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { messages } from '../../../../sdk/dialects/messages/index.ts';
import type { Choice, Completion } from '../../../../sdk/dialects/neutral.ts';
import type { JsonObject } from '../../../../sdk/json.ts';
import { contextOf, frozen, jsonFixture } from './support.ts';

const encode = (choice: Partial<Choice>, rest: Partial<Completion> = {}) =>
  messages.encodeReply(
    frozen({ id: 'x-1', model: 'm', choices: [{ index: 0, parts: [], finish: 'stop', ...choice }], ...rest }),
    contextOf(),
  );

describe('messages replies', () => {
  it('come back unchanged from the neutral form', () => {
    const reply = jsonFixture('reply.json');
    const context = contextOf();
    assert.deepEqual(messages.encodeReply(frozen(messages.decodeReply(reply, context)), context), reply);
    assert.deepEqual(context.drops, []);
  });

  it('count cached tokens as input', () => {
    assert.deepEqual(messages.decodeReply(jsonFixture('reply.json'), contextOf()).usage, {
      input: 2098,
      output: 503,
      cacheRead: 1800,
      cacheWrite: 248,
      cacheWrite1h: 100,
      reasoning: 20,
      serverTools: { web_search_requests: 1 },
    });
  });

  const stops: readonly [string | null, string][] = [
    ['end_turn', 'stop'],
    ['stop_sequence', 'stop'],
    ['pause_turn', 'stop'],
    ['max_tokens', 'length'],
    ['model_context_window_exceeded', 'length'],
    ['tool_use', 'tool_calls'],
    ['refusal', 'content_filter'],
    ['word_of_tomorrow', 'stop'],
    [null, 'stop'],
  ];
  for (const [word, finish] of stops) {
    it(`read the stop reason ${word} as ${finish}`, () => {
      const reply = messages.decodeReply({ stop_reason: word, content: [] }, contextOf());
      assert.equal(reply.choices[0]?.finish, finish);
      assert.equal(reply.choices[0]?.nativeFinish, word ?? undefined);
    });
  }

  const reasons: readonly [Partial<Choice>, string][] = [
    [{ finish: 'stop' }, 'end_turn'],
    [{ finish: 'stop', stopSequence: 'END' }, 'stop_sequence'],
    [{ finish: 'stop', nativeFinish: 'pause_turn' }, 'pause_turn'],
    [{ finish: 'stop', nativeFinish: 'tool_use' }, 'end_turn'],
    [{ finish: 'length', nativeFinish: 'MAX_TOKENS' }, 'max_tokens'],
    [{ finish: 'tool_calls' }, 'tool_use'],
    [{ finish: 'content_filter' }, 'refusal'],
    [{ finish: 'stop', parts: [{ type: 'refusal', text: 'No.' }] }, 'refusal'],
  ];
  for (const [choice, reason] of reasons) {
    it(`write ${JSON.stringify(choice)} as ${reason}`, () => assert.equal(encode(choice).stop_reason, reason));
  }

  it('keep a foreign id and always say the usage', () => {
    const reply = encode({});
    assert.equal(reply.id, 'x-1');
    assert.deepEqual(reply.usage, {
      input_tokens: 0,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
      output_tokens: 0,
    });
  });

  it('write parts of other formats in their own shapes', () => {
    const { content } = encode({
      parts: [
        { type: 'thinking', text: 'hm' },
        { type: 'text', text: '' },
        {
          type: 'text',
          text: 'See',
          citations: [{ type: 'url_citation', url_citation: { url: 'https://e.com', title: 'E' } }],
        },
        { type: 'tool-call', id: 'c', name: 'f', arguments: 'oops', signature: 's' },
        { type: 'native', dialect: 'responses', value: {} },
      ],
    });
    assert.deepEqual(content, [
      { type: 'thinking', thinking: 'hm', signature: '' },
      {
        type: 'text',
        text: 'See',
        citations: [
          { type: 'web_search_result_location', url: 'https://e.com', title: 'E', cited_text: '', encrypted_index: '' },
        ],
      },
      { type: 'tool_use', id: 'c__sig_cw', name: 'f', input: { input: 'oops' } },
    ]);
  });

  const malformed: readonly JsonObject[] = [
    {},
    { content: 'text' },
    { content: [null, 1, 'x', {}, { type: 3 }, { type: 'text' }, { type: 'tool_use' }, { type: 'image' }] },
    { id: 5, model: null, usage: 'none', stop_reason: 7, content: null },
    { usage: { input_tokens: 'many', cache_creation: [], server_tool_use: { a: 'b' } }, content: [] },
  ];
  for (const body of malformed) {
    it(`tolerate ${JSON.stringify(body)}`, () => {
      const reply = messages.decodeReply(frozen(body), contextOf());
      assert.equal(reply.model, 'asked-model');
      assert.match(reply.id, /^msg_\d$/);
      assert.equal(reply.choices.length, 1);
    });
  }
});

describe('messages faults', () => {
  const overloaded = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' }, request_id: 'r' };
  const faults: readonly [JsonObject, number, object | undefined][] = [
    [overloaded, 529, { status: 529, type: 'overloaded_error', message: 'Overloaded' }],
    [overloaded, 200, { status: 529, type: 'overloaded_error', message: 'Overloaded' }],
    [
      { type: 'error', error: { type: 'odd_error', message: 'x' } },
      200,
      { status: 502, type: 'odd_error', message: 'x' },
    ],
    [
      { error: { type: 'rate_limit_error', message: 'slow' } },
      429,
      { status: 429, type: 'rate_limit_error', message: 'slow' },
    ],
    [{ error: { message: 'm', code: 'c', param: 'p' } }, 400, { status: 400, message: 'm', code: 'c', param: 'p' }],
    [{ error: 'broken' }, 500, { status: 500, message: 'broken' }],
    [{ message: 'denied' }, 403, { status: 403, message: 'denied' }],
    [{ detail: [{ loc: [], msg: 'field required' }] }, 422, { status: 422, message: 'field required' }],
    [{ type: 'message', content: [], error: null }, 200, undefined],
    [{ message: 'fine' }, 200, undefined],
    [{}, 500, undefined],
  ];
  for (const [body, status, expected] of faults) {
    it(`read ${JSON.stringify(body)} with ${status}`, () =>
      assert.deepEqual(messages.faultOf(frozen(body), status), expected));
  }

  it('are written with a type of the format', () => {
    assert.deepEqual(messages.encodeFault({ status: 429, message: 'slow', type: 'insufficient_quota' }, 'req_1'), {
      type: 'error',
      error: { type: 'rate_limit_error', message: 'slow' },
      request_id: 'req_1',
    });
    assert.equal(
      messages.encodeStreamFault({ status: 529, message: 'busy' }),
      'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"busy"}}\n\n',
    );
  });
});
