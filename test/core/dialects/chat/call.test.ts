import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { chat } from '../../../../sdk/dialects/chat/index.ts';
import type { Call, Message, Part } from '../../../../sdk/dialects/neutral.ts';
import { packToolCallId } from '../../../../sdk/dialects/tool-call-id.ts';
import type { JsonObject } from '../../../../sdk/json.ts';
import { context, frozen } from './codec.ts';

const user = { role: 'user', content: 'Hi' };
const decode = (body: JsonObject): Call => chat.decodeCall(frozen(body), context());
const decodeMessages = (...messages: readonly JsonObject[]): readonly Message[] =>
  decode({ model: 'm', messages }).messages;
const again = (body: JsonObject, strict = false): JsonObject => chat.encodeCall(frozen(decode(body)), context(strict));

describe('chat requests, read and written again', () => {
  const same: Readonly<Record<string, JsonObject>> = {
    'every plain field': {
      temperature: 0.5,
      top_p: 0.9,
      n: 2,
      seed: 7,
      presence_penalty: 1,
      frequency_penalty: -1,
      logit_bias: { '50256': -100 },
      logprobs: true,
      top_logprobs: 3,
      user: 'u',
      metadata: { a: 'b' },
      service_tier: 'flex',
      verbosity: 'low',
      modalities: ['text', 'audio'],
      audio: { voice: 'alloy', format: 'wav' },
      store: true,
      prompt_cache_key: 'k',
      safety_identifier: 's',
      stream: true,
      stream_options: { include_usage: true, include_obfuscation: false },
      max_completion_tokens: 100,
      stop: ['a', 'b'],
      reasoning_effort: 'low',
      parallel_tool_calls: false,
    },
    'fields without a neutral name': {
      prediction: { type: 'content', content: 'x' },
      web_search_options: {},
      brand_new: [1],
    },
    'a text format': { response_format: { type: 'text' } },
    'a JSON format': { response_format: { type: 'json_object' } },
    'a schema format': {
      response_format: {
        type: 'json_schema',
        json_schema: { name: 'n', description: 'd', schema: { type: 'object' }, strict: true },
      },
    },
    'an unknown format': { response_format: { type: 'grammar', grammar: 'x' } },
    tools: {
      tools: [
        {
          type: 'function',
          function: { name: 'f', description: 'd', parameters: { type: 'object' }, strict: true, x: 1 },
          defer: true,
        },
        { type: 'custom', custom: { name: 'c', description: 'd', format: { type: 'text' } } },
        { type: 'web_search', web_search: {} },
      ],
      tool_choice: {
        type: 'allowed_tools',
        allowed_tools: {
          mode: 'required',
          tools: [
            { type: 'function', function: { name: 'f' } },
            { type: 'custom', custom: { name: 'c' } },
          ],
        },
      },
    },
    'a choice by word': { tools: [{ type: 'function', function: { name: 'f' } }], tool_choice: 'required' },
    'a choice of a function': {
      tools: [{ type: 'function', function: { name: 'f' } }],
      tool_choice: { type: 'function', function: { name: 'f' } },
    },
    'a choice of a custom tool': {
      tools: [{ type: 'custom', custom: { name: 'c' } }],
      tool_choice: { type: 'custom', custom: { name: 'c' } },
    },
    'an unknown choice': { tools: [{ type: 'function', function: { name: 'f' } }], tool_choice: { type: 'mcp' } },
  };
  for (const [name, fields] of Object.entries(same)) {
    it(`keeps ${name}`, () => {
      const body = { model: 'm', messages: [user], ...fields };
      assert.deepEqual(again(body, true), body);
    });
  }

  const loose: Readonly<Record<string, JsonObject>> = {
    'thinking with a budget': { thinking: { type: 'enabled', budget_tokens: 1000 } },
    'thinking that is off': { thinking: { type: 'disabled' }, top_k: 4 },
    'adaptive thinking': { thinking: { type: 'adaptive' }, reasoning_effort: 'high' },
    'cache marks': {
      cache_control: { type: 'ephemeral' },
      tools: [{ type: 'function', function: { name: 'f' }, cache_control: { type: 'ephemeral', ttl: '1h' } }],
      messages: [
        { role: 'user', content: [{ type: 'text', text: 'a', cache_control: { type: 'ephemeral', ttl: '5m' } }] },
      ],
    },
  };
  for (const [name, fields] of Object.entries(loose)) {
    it(`keeps ${name} when not strict`, () => {
      const body = { model: 'm', messages: [user], ...fields };
      assert.deepEqual(again(body), body);
    });
  }

  const conversation = [
    { role: 'system', content: 'Be brief.' },
    {
      role: 'developer',
      content: [
        { type: 'text', text: 'a' },
        { type: 'text', text: 'b' },
      ],
      name: 'dev',
    },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'Look' },
        { type: 'image_url', image_url: { url: 'https://a.example/i.png', detail: 'low' } },
        { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } },
        { type: 'input_audio', input_audio: { data: 'AA==', format: 'mp3' } },
        { type: 'file', file: { file_id: 'file-1' } },
        { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,AA==' } },
        { type: 'video_url', video_url: { url: 'https://a.example/v' } },
      ],
    },
    {
      role: 'assistant',
      content: null,
      tool_calls: [
        { id: 'c1', type: 'function', function: { name: 'f', arguments: '{"a": 1}' } },
        { id: 'c2', type: 'custom', custom: { name: 'g', input: 'free' } },
        { id: 'c3', type: 'mcp', mcp: {} },
      ],
      annotations: [],
    },
    { role: 'tool', tool_call_id: 'c1', content: 'one', name: 'f' },
    {
      role: 'tool',
      tool_call_id: 'c2',
      content: [
        { type: 'text', text: 'x' },
        { type: 'text', text: 'y' },
      ],
    },
    { role: 'assistant', content: null, refusal: 'No.' },
    { role: 'assistant', content: null, audio: { id: 'audio_1' } },
    { role: 'assistant', content: 'Done', name: 'bot' },
    { role: 'user', content: '' },
  ];
  it('keeps messages of every role', () => {
    assert.deepEqual(again({ model: 'm', messages: conversation }, true).messages, conversation);
  });

  it('keeps content blocks with signed thinking', () => {
    const messages = [
      user,
      {
        role: 'assistant',
        content: 'ok',
        content_blocks: [
          { type: 'thinking', thinking: 'hm', signature: 'sig' },
          { type: 'redacted_thinking', data: 'xx' },
          { type: 'text', text: 'ok' },
        ],
      },
    ];
    assert.deepEqual(again({ model: 'm', messages }).messages, messages);
  });

  it('brings deprecated forms to their current ones', () => {
    const body = again({
      model: 'm',
      max_tokens: 5,
      stop: 'x',
      temperature: null,
      functions: [{ name: 'f', parameters: { type: 'object' } }],
      function_call: { name: 'f' },
      messages: [
        user,
        { role: 'assistant', content: null, function_call: { name: 'f', arguments: '{}' } },
        { role: 'function', name: 'f', content: '1' },
      ],
    });
    assert.deepEqual(body, {
      model: 'm',
      messages: [
        user,
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'f', arguments: '{}' } }],
        },
        { role: 'tool', tool_call_id: 'call_1', name: 'f', content: '1' },
      ],
      tools: [{ type: 'function', function: { name: 'f', parameters: { type: 'object' } } }],
      tool_choice: { type: 'function', function: { name: 'f' } },
      max_completion_tokens: 5,
      stop: ['x'],
    });
  });
});

describe('reading chat requests', () => {
  it('unpacks signatures from ids of calls and of results', () => {
    const id = packToolCallId('c1', 'sig');
    const messages = decodeMessages(
      { role: 'assistant', tool_calls: [{ id, type: 'function', function: { name: 'f', arguments: '{}' } }] },
      { role: 'tool', tool_call_id: id, content: 'x' },
    );
    assert.deepEqual(messages[0]?.parts, [
      { type: 'tool-call', id: 'c1', name: 'f', arguments: '{}', signature: 'sig' },
    ]);
    assert.deepEqual(messages[1]?.parts, [
      { type: 'tool-result', callId: 'c1', content: [{ type: 'text', text: 'x' }] },
    ]);
  });

  it('puts the cache mark of a message on its last part', () => {
    const [message] = decodeMessages({
      role: 'system',
      content: 'long',
      cache_control: { type: 'ephemeral', ttl: '1h' },
    });
    assert.deepEqual(message?.parts, [{ type: 'text', text: 'long', cache: { ttl: '1h' } }]);
  });

  const assistants: readonly (readonly [string, JsonObject, readonly Part[]])[] = [
    [
      'reasoning_content',
      { content: 'a', reasoning_content: 'hm' },
      [
        { type: 'thinking', text: 'hm' },
        { type: 'text', text: 'a' },
      ],
    ],
    [
      'blocks without text',
      { content: 'a', content_blocks: [{ type: 'thinking', thinking: 'hm', signature: 's' }] },
      [
        { type: 'thinking', text: 'hm', signature: 's' },
        { type: 'text', text: 'a' },
      ],
    ],
    ['refusal parts', { content: [{ type: 'refusal', refusal: 'No' }] }, [{ type: 'refusal', text: 'No' }]],
    [
      'images in blocks',
      { content: '', content_blocks: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } }] },
      [{ type: 'image', source: { kind: 'base64', mediaType: 'image/png', data: 'AA==' } }],
    ],
  ];
  for (const [name, message, parts] of assistants) {
    it(`reads ${name} of the assistant`, () => {
      assert.deepEqual(decodeMessages({ role: 'assistant', ...message })[0]?.parts, parts);
    });
  }

  it('says which fields of parts it could not keep', () => {
    const watched = context();
    chat.decodeCall(
      { model: 'm', messages: [{ role: 'user', content: [{ type: 'text', text: 'a', odd: 1 }] }] },
      watched,
    );
    assert.deepEqual(watched.lost, ['messages.content.odd']);
  });
});
