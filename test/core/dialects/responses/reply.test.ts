import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Completion, Part } from '../../../../sdk/dialects/neutral.ts';
import { responses } from '../../../../sdk/dialects/responses/index.ts';
import { GatewayError } from '../../../../sdk/errors.ts';
import { asObjects, type JsonObject } from '../../../../sdk/json.ts';
import { contextOf, frozen, jsonFixture } from './support.ts';

const decode = (body: JsonObject): Completion => responses.decodeReply(frozen(body), contextOf());
const completionOf = (parts: Part[], finish: 'stop' | 'length' | 'content_filter' = 'stop'): Completion =>
  frozen({ id: 'chatcmpl-1', model: 'm', created: 5, choices: [{ index: 0, parts, finish }] });

describe('responses: reading a reply', () => {
  it('reads the items of a published reply in order', () => {
    const completion = decode(jsonFixture('reply.json'));
    const [choice] = completion.choices;
    assert.equal(completion.id, 'resp_67ccd2bed1ec8190b14f964abc0542670bb6a6b452d3795b');
    assert.equal(completion.model, 'gpt-4.1-2025-04-14');
    assert.equal(completion.created, 1741476542);
    assert.equal(choice?.finish, 'tool_calls');
    assert.equal(choice?.nativeFinish, 'completed');
    assert.deepEqual(choice?.parts, [
      { type: 'thinking', text: 'First.\n\nSecond.', signature: 'gAAAAABsecret', itemId: 'rs_a' },
      {
        type: 'text',
        text: 'In a peaceful grove beneath a silver moon, a unicorn named Lumina discovered a hidden pool.',
        citations: [{ type: 'url_citation', start_index: 0, end_index: 2, url: 'https://a.test', title: 'A' }],
      },
      { type: 'refusal', text: 'No more.' },
      { type: 'tool-call', id: 'call_1', name: 'get_weather', arguments: '{"city":"Paris"}', itemId: 'fc_1' },
      { type: 'tool-call', id: 'call_2', name: 'run', arguments: 'print(1)', custom: true, itemId: 'ctc_1' },
      { type: 'image', source: { kind: 'base64', mediaType: 'image/webp', data: 'UklGRg==' } },
      { type: 'native', dialect: 'responses', value: { type: 'web_search_call', id: 'ws_1', status: 'completed' } },
    ]);
    assert.deepEqual(choice?.logprobs, {
      content: [{ token: 'In', bytes: [73, 110], logprob: -0.1, top_logprobs: [] }],
      refusal: null,
    });
    assert.deepEqual(completion.usage, {
      input: 36,
      output: 87,
      total: 123,
      cacheRead: 5,
      cacheWrite: 2,
      reasoning: 7,
    });
    assert.deepEqual(completion.extra, { tool_usage: { web_search: { num_requests: 1 } } });
  });

  it('keeps the answer through a round trip', () => {
    const first = decode(jsonFixture('reply.json'));
    const second = decode(responses.encodeReply(frozen(first), contextOf()));
    assert.deepEqual(second.choices, first.choices);
    assert.deepEqual(second.usage, first.usage);
  });

  const ends: [JsonObject, string, string | undefined][] = [
    [{ status: 'completed' }, 'stop', 'completed'],
    [{ status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } }, 'length', 'max_output_tokens'],
    [{ status: 'incomplete', incomplete_details: { reason: 'content_filter' } }, 'content_filter', 'content_filter'],
    [{ status: 'incomplete', incomplete_details: { reason: 'steered' } }, 'stop', 'steered'],
    [{ status: 'incomplete' }, 'length', 'incomplete'],
    [{}, 'stop', undefined],
  ];
  for (const [body, finish, native] of ends) {
    it(`reads the end ${JSON.stringify(body)} as ${finish}`, () => {
      const [choice] = decode(body).choices;
      assert.equal(choice?.finish, finish);
      assert.equal(choice?.nativeFinish, native);
    });
  }

  const failures: [JsonObject, number, string][] = [
    [{ code: 'rate_limit_exceeded', message: 'Slow.' }, 429, 'Slow.'],
    [{ code: 'server_error', message: 'Oops.' }, 500, 'Oops.'],
    [{ code: 'server_is_overloaded', message: 'Full.' }, 529, 'Full.'],
    [{ code: 'invalid_image_url', message: 'Bad.' }, 400, 'Bad.'],
    [{ code: 'novel', message: '' }, 502, 'The provider answered with an error.'],
  ];
  for (const [error, status, message] of failures) {
    it(`fails with ${status} for a response that failed with ${String(error.code)}`, () => {
      assert.throws(
        () => decode({ id: 'resp_1', object: 'response', status: 'failed', error }),
        (thrown) =>
          GatewayError.is(thrown) &&
          thrown.code === 'upstream_error' &&
          thrown.status === status &&
          thrown.message === message,
      );
    });
  }

  for (const body of [{}, { output: 'x' }, { output: [1, {}, { type: 'message', content: 5 }] }, { usage: 'none' }]) {
    it(`reads ${JSON.stringify(body)} with sensible values`, () => {
      const completion = decode(body);
      assert.equal(completion.id, 'resp_1');
      assert.equal(completion.model, 'asked-model');
      assert.equal(completion.choices.length, 1);
    });
  }
});

describe('responses: writing a reply', () => {
  it('repeats the request and gives documented defaults for the rest', () => {
    const request = {
      model: 'm',
      instructions: 'Be kind.',
      temperature: 0.2,
      reasoning: { effort: 'low' },
      store: false,
    };
    const body = responses.encodeReply(completionOf([{ type: 'text', text: 'Hi' }]), contextOf(frozen(request)));
    assert.deepEqual(body, {
      id: 'resp_1',
      object: 'response',
      created_at: 5,
      completed_at: 1_700_000_000,
      status: 'completed',
      error: null,
      incomplete_details: null,
      model: 'm',
      output: [
        {
          id: 'msg_2',
          type: 'message',
          status: 'completed',
          role: 'assistant',
          content: [{ type: 'output_text', text: 'Hi', annotations: [], logprobs: [] }],
        },
      ],
      access_programs: null,
      background: false,
      instructions: 'Be kind.',
      max_output_tokens: null,
      max_tool_calls: null,
      metadata: {},
      parallel_tool_calls: true,
      previous_response_id: null,
      prompt_cache_key: null,
      safety_identifier: null,
      service_tier: 'default',
      store: false,
      temperature: 0.2,
      tool_choice: 'auto',
      tools: [],
      top_logprobs: 0,
      top_p: 1,
      truncation: 'disabled',
      user: null,
      reasoning: { effort: 'low', summary: null },
      text: { format: { type: 'text' }, verbosity: 'medium' },
      usage: null,
    });
  });

  it('writes every kind of part as its item', () => {
    const parts: Part[] = [
      { type: 'thinking', text: 'Hm', signature: 'sig' },
      { type: 'redacted-thinking', data: 'hidden' },
      { type: 'text', text: 'A', citations: [{ type: 'url_citation', url_citation: { url: 'https://a.test' } }] },
      { type: 'refusal', text: 'No' },
      { type: 'tool-call', id: 'c', name: 'f', arguments: '{}', signature: 'sig' },
      { type: 'tool-call', id: 'd', name: 'g', arguments: 'x', custom: true },
    ];
    const output = asObjects(responses.encodeReply(completionOf(parts), contextOf()).output);
    assert.deepEqual(output, [
      { id: 'rs_gw_2', type: 'reasoning', summary: [{ type: 'summary_text', text: 'Hm' }], encrypted_content: 'sig' },
      { id: 'rs_gw_3', type: 'reasoning', summary: [], encrypted_content: 'redacted:hidden' },
      {
        id: 'msg_4',
        type: 'message',
        status: 'completed',
        role: 'assistant',
        content: [
          {
            type: 'output_text',
            text: 'A',
            annotations: [
              { type: 'url_citation', start_index: 0, end_index: 1, title: 'https://a.test', url: 'https://a.test' },
            ],
            logprobs: [],
          },
          { type: 'refusal', refusal: 'No' },
        ],
      },
      { id: 'fc_5', type: 'function_call', status: 'completed', call_id: 'c__sig_c2ln', name: 'f', arguments: '{}' },
      { id: 'ctc_6', type: 'custom_tool_call', status: 'completed', call_id: 'd', name: 'g', input: 'x' },
    ]);
  });

  for (const [finish, reason] of [
    ['length', 'max_output_tokens'] as const,
    ['content_filter', 'content_filter'] as const,
  ]) {
    it(`calls an answer that ended with ${finish} incomplete`, () => {
      const body = responses.encodeReply(completionOf([{ type: 'text', text: 'Hi' }], finish), contextOf());
      assert.equal(body.status, 'incomplete');
      assert.deepEqual(body.incomplete_details, { reason });
      assert.equal(asObjects(body.output)[0]?.status, 'incomplete');
    });
  }

  it('says which parts have no place', () => {
    const context = contextOf();
    const parts: Part[] = [
      { type: 'native', dialect: 'messages', value: {} },
      { type: 'audio', source: { kind: 'base64', mediaType: 'audio/wav', data: '' }, format: 'wav', transcript: 'Hi' },
    ];
    const output = asObjects(responses.encodeReply(completionOf(parts), context).output);
    assert.deepEqual(context.drops.toSorted(), ['audio', 'native']);
    assert.equal(asObjects(output[0]?.content)[0]?.text, 'Hi');
  });
});

describe('responses: errors', () => {
  const bodies: [JsonObject, number, JsonObject | undefined][] = [
    [
      { error: { message: 'No key', type: 'invalid_request_error', param: null, code: 'invalid_api_key' } },
      401,
      { status: 401, message: 'No key', type: 'invalid_request_error', code: 'invalid_api_key' },
    ],
    [{ error: 'text' }, 500, { status: 500, message: 'text' }],
    [{ message: 'm' }, 404, { status: 404, message: 'm' }],
    [{ detail: [{ msg: 'a' }, { msg: 'b' }] }, 422, { status: 422, message: 'a; b' }],
    [{ message: 'm' }, 200, undefined],
    [{ error: null, status: 'completed' }, 200, undefined],
    [{ type: 'error', code: 'slow_down', message: 'Full' }, 200, { status: 529, message: 'Full', code: 'slow_down' }],
    [
      { type: 'response.failed', response: { error: { code: 'server_error', message: 'x' } } },
      200,
      { status: 500, message: 'x', code: 'server_error' },
    ],
  ];
  for (const [body, status, fault] of bodies) {
    it(`reads ${JSON.stringify(body)} with status ${status}`, () => {
      assert.deepEqual(responses.faultOf(frozen(body), status), fault);
    });
  }

  it('writes an error body that reads back as the same fault', () => {
    const fault = { status: 429, message: 'Slow', type: 'rate_limit_error', code: 'rate_limit_exceeded', param: 'x' };
    assert.deepEqual(responses.faultOf(responses.encodeFault(fault, 'req'), 429), fault);
  });
});
