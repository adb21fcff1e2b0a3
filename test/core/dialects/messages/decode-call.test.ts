import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { messages } from '../../../../sdk/dialects/messages/index.ts';
import { GatewayError } from '../../../../sdk/errors.ts';
import type { JsonObject } from '../../../../sdk/json.ts';
import { contextOf, frozen, jsonFixture } from './support.ts';

const decode = (fields: JsonObject, context = contextOf()) =>
  messages.decodeCall(
    frozen({ model: 'm', max_tokens: 9, messages: [{ role: 'user', content: 'Hi' }], ...fields }),
    context,
  );
const decodeBlock = (block: JsonObject) =>
  decode({ messages: [{ role: 'user', content: [block] }] }).messages[0]?.parts[0];

describe('decoding a messages request', () => {
  it('gives back the whole request when it is encoded again', () => {
    const request = jsonFixture('full.call.json');
    const context = contextOf();
    const call = frozen(messages.decodeCall(request, context));
    assert.deepEqual(messages.encodeCall(call, context), request);
    assert.deepEqual(context.drops, []);
  });

  it('splits a user turn at its tool results and keeps the order', () => {
    const result = { type: 'tool_result', tool_use_id: 't', content: 'ok' };
    const text = { type: 'text', text: 'a' };
    const call = decode({ messages: [{ role: 'user', content: [text, result, result, text] }] });
    assert.deepEqual(
      call.messages.map((message) => [message.role, message.parts.length]),
      [
        ['user', 1],
        ['tool', 2],
        ['user', 1],
      ],
    );
  });

  it('unpacks the signature from the ids of tool calls and results', () => {
    const id = `call_1__sig_${Buffer.from('sig').toString('base64url')}`;
    const call = decode({
      messages: [
        { role: 'assistant', content: [{ type: 'tool_use', id, name: 'f', input: { a: 1 } }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: id }] },
      ],
    });
    assert.deepEqual(call.messages[0]?.parts, [
      { type: 'tool-call', id: 'call_1', signature: 'sig', name: 'f', arguments: '{"a":1}' },
    ]);
    assert.deepEqual(call.messages[1]?.parts, [{ type: 'tool-result', callId: 'call_1', content: [] }]);
  });

  const fields: readonly [string, JsonObject, object][] = [
    [
      'adaptive thinking',
      { thinking: { type: 'adaptive', display: 'omitted' } },
      { reasoning: { adaptive: true, summary: 'omitted' } },
    ],
    ['disabled thinking', { thinking: { type: 'disabled' } }, { reasoning: { enabled: false } }],
    [
      'a thinking mode of tomorrow',
      { thinking: { type: 'between_tools' } },
      { extra: { thinking: { type: 'between_tools' } } },
    ],
    ['effort', { output_config: { effort: 'xhigh' } }, { reasoning: { effort: 'xhigh' } }],
    ['any', { tool_choice: { type: 'any' } }, { toolChoice: { mode: 'required' } }],
    ['none', { tool_choice: { type: 'none' } }, { toolChoice: { mode: 'none' } }],
    ['a named tool', { tool_choice: { type: 'tool', name: 'f' } }, { toolChoice: { mode: 'tool', name: 'f' } }],
    [
      'one tool at a time',
      { tool_choice: { type: 'auto', disable_parallel_tool_use: true } },
      { parallelToolCalls: false },
    ],
    ['sampling', { temperature: 0.5, top_p: 0.9, top_k: 5 }, { temperature: 0.5, topP: 0.9, topK: 5 }],
    ['a null cache mark', { cache_control: null }, { cache: undefined }],
    ['unknown metadata', { metadata: { user_id: 'u', team: 'x' } }, { user: 'u', extra: { metadata: { team: 'x' } } }],
  ];
  for (const [name, request, expected] of fields) {
    it(`reads ${name}`, () => {
      const call: Readonly<Record<string, unknown>> = { ...decode(request) };
      for (const [field, value] of Object.entries(expected)) assert.deepEqual(call[field], value);
    });
  }

  it('reads a document of content blocks as one text when it holds text alone', () => {
    const content = [
      { type: 'text', text: 'a' },
      { type: 'text', text: 'b' },
    ];
    assert.deepEqual(decodeBlock({ type: 'document', source: { type: 'content', content }, title: 'T' }), {
      type: 'file',
      source: { kind: 'text', mediaType: 'text/plain', text: 'a\n\nb' },
      title: 'T',
    });
  });

  const natives: readonly JsonObject[] = [
    { type: 'mcp_tool_use', id: 'x', name: 'f', server_name: 's', input: {} },
    { type: 'block_of_tomorrow', z: 1 },
    { type: 'image', source: { type: 'hologram' } },
    { type: 'tool_use', id: 'a', name: 'click', input: {}, toolset_name: 'browser' },
    { type: 'document', source: { type: 'content', content: [{ type: 'image', source: {} }] } },
  ];
  for (const block of natives) {
    it(`keeps ${String(block.type)} ${JSON.stringify(block.source ?? '')} verbatim`, () => {
      assert.deepEqual(decodeBlock(block), { type: 'native', dialect: 'messages', value: block });
    });
  }

  it('reports a block field that it cannot keep', () => {
    const context = contextOf();
    const image = { type: 'image', source: { type: 'url', url: 'https://e.com/a' }, transformations: { a: 1 } };
    decode({ messages: [{ role: 'user', content: [image] }] }, context);
    assert.deepEqual(context.drops, ['image.transformations']);
  });

  const bad: readonly [unknown, string][] = [
    ['text', 'messages[0]'],
    [{ role: 'tool', content: 'x' }, 'messages[0].role'],
    [{ role: 'user' }, 'messages[0].content'],
    [{ role: 'user', content: ['x'] }, 'messages[0].content[0]'],
    [{ role: 'user', content: [{ type: 'text' }] }, 'messages[0].content[0].text'],
    [{ role: 'assistant', content: [{ type: 'tool_use', name: 'f' }] }, 'messages[0].content[0].id'],
    [{ role: 'user', content: [{ type: 'tool_result' }] }, 'messages[0].content[0].tool_use_id'],
  ];
  for (const [message, param] of bad) {
    it(`refuses ${JSON.stringify(message)} and names the place`, () => {
      assert.throws(
        () => decode({ messages: [message as JsonObject] }),
        (error) => GatewayError.is(error) && error.code === 'bad_request' && error.param === param,
      );
    });
  }
});
