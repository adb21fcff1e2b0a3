import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { chat } from '../../../../sdk/dialects/chat/index.ts';
import type { Call, Message, Part } from '../../../../sdk/dialects/neutral.ts';
import { GatewayError } from '../../../../sdk/errors.ts';
import { context, frozen } from './codec.ts';

const ofMessages = (messages: readonly Message[], more: Partial<Call> = {}): Call => ({
  model: 'm',
  messages,
  dialect: 'messages',
  extra: {},
  ...more,
});
const encodeMessages = (messages: readonly Message[], strict = false, more: Partial<Call> = {}) =>
  chat.encodeCall(frozen(ofMessages(messages, more)), context(strict)).messages;

describe('writing calls of other formats as chat', () => {
  const result = (callId: string, ...content: readonly Part[]): Part => ({ type: 'tool-result', callId, content });
  const image: Part = { type: 'image', source: { kind: 'url', url: 'https://a.example/i.png' } };

  it('splits results, and moves images behind the last of them', () => {
    const written = encodeMessages([
      {
        role: 'tool',
        parts: [result('a', { type: 'text', text: '1' }, image), result('b', { type: 'text', text: '2' })],
      },
      { role: 'tool', parts: [result('c', image)] },
      { role: 'user', parts: [{ type: 'text', text: 'And?' }] },
    ]);
    const url = { type: 'image_url', image_url: { url: 'https://a.example/i.png' } };
    assert.deepEqual(written, [
      { role: 'tool', tool_call_id: 'a', content: '1' },
      { role: 'tool', tool_call_id: 'b', content: '2' },
      { role: 'tool', tool_call_id: 'c', content: 'See the next user message.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Result of the tool call a:' },
          url,
          { type: 'text', text: 'Result of the tool call c:' },
          url,
        ],
      },
      { role: 'user', content: 'And?' },
    ]);
  });

  it('says in the text that a tool failed', () => {
    const failed: Part = { type: 'tool-result', callId: 'a', content: [{ type: 'text', text: 'boom' }], isError: true };
    assert.deepEqual(encodeMessages([{ role: 'tool', parts: [failed] }]), [
      {
        role: 'tool',
        tool_call_id: 'a',
        content: [
          { type: 'text', text: 'The tool failed:' },
          { type: 'text', text: 'boom' },
        ],
      },
    ]);
  });

  const signed: Message = {
    role: 'assistant',
    parts: [
      { type: 'thinking', text: 'hm', signature: 's' },
      { type: 'text', text: 'ok' },
    ],
  };
  it('replays thinking in content blocks when not strict', () => {
    assert.deepEqual(encodeMessages([signed]), [
      {
        role: 'assistant',
        content: 'ok',
        content_blocks: [
          { type: 'thinking', thinking: 'hm', signature: 's' },
          { type: 'text', text: 'ok' },
        ],
      },
    ]);
  });
  it('drops thinking when strict, and a turn that holds nothing else', () => {
    const alone: Message = { role: 'assistant', parts: [{ type: 'redacted-thinking', data: 'x' }] };
    assert.deepEqual(encodeMessages([signed, alone], true), [{ role: 'assistant', content: 'ok' }]);
  });
  for (const strict of [true, false]) {
    it(`writes thinking as one text where the provider holds it, ${strict ? '' : 'not '}strict, signed or not`, () => {
      const watched = { ...context(strict), reasoningField: 'reasoning' };
      const message: Message = {
        role: 'assistant',
        parts: [
          { type: 'thinking', text: 'hm', signature: 's' },
          { type: 'thinking', text: 'so' },
          { type: 'redacted-thinking', data: 'x' },
          { type: 'text', text: 'ok' },
          image,
        ],
      };
      assert.deepEqual(chat.encodeCall(frozen(ofMessages([message])), watched).messages, [
        { role: 'assistant', content: 'ok', reasoning: 'hm\nso' },
      ]);
      assert.deepEqual(watched.lost, ['thinking', 'messages.content.image']);
    });
  }
  it('gives a turn of thinking alone an empty text, and one of calls none', () => {
    const thinking: Part = { type: 'thinking', text: 'hm' };
    const call: Part = { type: 'tool-call', id: 'c', name: 'f', arguments: '{}' };
    const messages: readonly Message[] = [
      { role: 'assistant', parts: [thinking] },
      { role: 'assistant', parts: [thinking, call] },
      { role: 'assistant', parts: [{ type: 'redacted-thinking', data: 'x' }] },
    ];
    const written = chat.encodeCall(ofMessages(messages), { ...context(true), reasoningField: 'reasoning_content' });
    assert.deepEqual(written.messages, [
      { role: 'assistant', content: '', reasoning_content: 'hm' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }],
        reasoning_content: 'hm',
      },
    ]);
  });
  it('uses the bare id of a signed tool call', () => {
    const call: Part = { type: 'tool-call', id: 'c', name: 'f', arguments: '{}', signature: 's' };
    assert.deepEqual(encodeMessages([{ role: 'assistant', parts: [call] }]), [
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }],
      },
    ]);
  });
  it('writes plain text documents as text', () => {
    const file: Part = { type: 'file', source: { kind: 'text', mediaType: 'text/plain', text: 'body' }, title: 'T' };
    assert.deepEqual(encodeMessages([{ role: 'user', parts: [file] }]), [{ role: 'user', content: 'T\n\nbody' }]);
  });

  const efforts: readonly (readonly [Call['reasoning'] & object, string | undefined])[] = [
    [{ budgetTokens: 1024 }, 'low'],
    [{ budgetTokens: 2047 }, 'low'],
    [{ budgetTokens: 2048 }, 'medium'],
    [{ enabled: true, budgetTokens: 8191 }, 'medium'],
    [{ enabled: true, budgetTokens: 8192 }, 'high'],
    [{ effort: 'xhigh', budgetTokens: 1 }, 'xhigh'],
    [{ adaptive: true }, 'medium'],
    [{ enabled: false }, undefined],
  ];
  for (const [reasoning, effort] of efforts) {
    it(`writes ${JSON.stringify(reasoning)} as effort ${effort}`, () => {
      const body = chat.encodeCall(ofMessages([], { reasoning }), context());
      assert.equal(body.reasoning_effort, effort);
      assert.equal(body.thinking, undefined);
    });
  }

  it('reports what has no place under strict compliance', () => {
    const watched = context(true);
    const body = chat.encodeCall(
      ofMessages([{ role: 'user', parts: [{ type: 'text', text: 'a', cache: {} }] }], {
        topK: 3,
        tools: [{ type: 'native', dialect: 'messages', value: { type: 'web_search_20250305' } }],
        toolChoice: { mode: 'required' },
        extra: { container: 'c', prompt_cache_retention: '24h' },
      }),
      watched,
    );
    assert.deepEqual(body, { model: 'm', messages: [{ role: 'user', content: 'a' }] });
    assert.deepEqual(watched.lost.toSorted(), [
      'cache_control',
      'container',
      'prompt_cache_retention',
      'tool_choice',
      'tools',
      'top_k',
    ]);
  });

  it('carries fields that chat has too when not strict', () => {
    const watched = context();
    const body = chat.encodeCall(
      ofMessages([], { topK: 3, extra: { container: 'c', prompt_cache_retention: '24h' } }),
      watched,
    );
    assert.deepEqual(body, { model: 'm', messages: [], top_k: 3, prompt_cache_retention: '24h' });
    assert.deepEqual(watched.lost, ['container']);
  });

  const refused: readonly (readonly [string, Call, string])[] = [
    [
      'an image by file id',
      ofMessages([{ role: 'user', parts: [{ type: 'image', source: { kind: 'file-id', id: 'f' } }] }]),
      'messages',
    ],
    [
      'a file by URL',
      ofMessages([{ role: 'user', parts: [{ type: 'file', source: { kind: 'url', url: 'https://a.example' } }] }]),
      'messages',
    ],
    [
      'audio by URL',
      ofMessages([
        { role: 'user', parts: [{ type: 'audio', source: { kind: 'url', url: 'https://a.example' }, format: 'wav' }] },
      ]),
      'messages',
    ],
    ['an earlier response', ofMessages([], { extra: { previous_response_id: 'resp_1' } }), 'previous_response_id'],
    ['background mode', ofMessages([], { extra: { background: true } }), 'background'],
  ];
  for (const [name, call, param] of refused) {
    it(`refuses ${name}`, () => {
      assert.throws(
        () => chat.encodeCall(call, context()),
        (error) => GatewayError.is(error) && error.code === 'translation_unsupported' && error.param === param,
      );
    });
  }
});
