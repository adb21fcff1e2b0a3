import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { messages } from '../../../../sdk/dialects/messages/index.ts';
import type { Call, Part } from '../../../../sdk/dialects/neutral.ts';
import { GatewayError } from '../../../../sdk/errors.ts';
import type { JsonObject } from '../../../../sdk/json.ts';
import { callOf, contextOf, jsonFixture } from './support.ts';

const encode = (fields: Partial<Call>, context = contextOf()) => messages.encodeCall(callOf(fields), context);
const text = (value: string): Part => ({ type: 'text', text: value });
const tool = { type: 'function', name: 'f' } as const;
const hi = { role: 'user', parts: [text('Hi')] } as const;
const blocksOf = (parts: readonly Part[], context = contextOf()) => {
  const sent = encode({ messages: [{ role: 'user', parts: [text('Q'), ...parts] }] }, context).messages;
  return (sent as unknown as { content: JsonObject[] }[])[0]?.content.slice(1);
};

describe('encoding a call as a messages request', () => {
  it('sends the least that the API accepts', () => {
    assert.deepEqual(encode({}), { model: 'm', max_tokens: 4096, messages: [{ role: 'user', content: 'Hi' }] });
  });

  it('gathers system and developer messages in order, wherever they stand', () => {
    const call = encode({
      messages: [
        { role: 'system', parts: [text('one')] },
        hi,
        { role: 'developer', parts: [{ type: 'text', text: 'two', cache: { ttl: '1h' } }] },
        { role: 'user', parts: [text('again')] },
      ],
    });
    assert.deepEqual(call.system, [
      { type: 'text', text: 'one' },
      { type: 'text', text: 'two', cache_control: { type: 'ephemeral', ttl: '1h' } },
    ]);
    assert.deepEqual(call.messages, [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Hi' },
          { type: 'text', text: 'again' },
        ],
      },
    ]);
  });

  it('answers one assistant turn with one user turn, results first', () => {
    const call = encode({
      messages: [
        hi,
        {
          role: 'assistant',
          parts: [
            text(''),
            { type: 'tool-call', id: 'a', name: 'f', arguments: '{"x":1}' },
            { type: 'tool-call', id: 'b', name: 'f', arguments: '' },
          ],
        },
        { role: 'tool', parts: [{ type: 'tool-result', callId: 'a', content: [text('1')] }] },
        { role: 'user', parts: [text('hurry')] },
        { role: 'tool', parts: [{ type: 'tool-result', callId: 'b', content: [text('2')], isError: true }] },
      ],
    });
    assert.deepEqual((call.messages as unknown as JsonObject[]).slice(1), [
      {
        role: 'assistant',
        content: [
          { type: 'tool_use', id: 'a', name: 'f', input: { x: 1 } },
          { type: 'tool_use', id: 'b', name: 'f', input: {} },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'a', content: '1' },
          { type: 'tool_result', tool_use_id: 'b', content: '2', is_error: true },
          { type: 'text', text: 'hurry' },
        ],
      },
    ]);
  });

  it('leaves out a turn that has nothing to send and joins its neighbours', () => {
    const context = contextOf();
    const call = encode(
      { messages: [hi, { role: 'assistant', parts: [text(' '), { type: 'thinking', text: 'x' }] }, hi] },
      context,
    );
    assert.equal((call.messages as unknown as JsonObject[]).length, 1);
    assert.deepEqual(context.drops, ['thinking']);
  });

  const argumentTable: readonly [string, JsonObject][] = [
    ['', {}],
    ['{"a":1}', { a: 1 }],
    ['[1]', { input: '[1]' }],
    ['{"a":', { input: '{"a":' }],
  ];
  for (const [written, input] of argumentTable) {
    it(`sends the arguments ${JSON.stringify(written)} as an object`, () => {
      assert.deepEqual(blocksOf([{ type: 'tool-call', id: 'a.b', name: 'f', arguments: written }])?.[0]?.input, input);
    });
  }

  it('writes foreign ids the same way in a call and in its result', () => {
    const call = encode({
      messages: [
        hi,
        { role: 'assistant', parts: [{ type: 'tool-call', id: 'f.g:0', name: 'f', arguments: '' }] },
        { role: 'tool', parts: [{ type: 'tool-result', callId: 'f.g:0', content: [] }] },
      ],
    });
    assert.deepEqual(JSON.stringify(call.messages).match(/f_2eg_3a0/g)?.length, 2);
  });

  const fields: readonly [string, Partial<Call>, JsonObject, readonly string[]][] = [
    ['a temperature above 1', { temperature: 1.7 }, { temperature: 1 }, ['temperature']],
    ['temperature and top_p', { temperature: 0.3, topP: 0.9 }, { temperature: 0.3 }, ['top_p']],
    ['stop', { stop: ['a', ' \n'] }, { stop_sequences: ['a'] }, ['stop']],
    ['the user', { user: 'u' }, { metadata: { user_id: 'u' } }, []],
    [
      'no parallel calls',
      { tools: [tool], parallelToolCalls: false },
      {
        tools: [{ name: 'f', input_schema: { type: 'object' } }],
        tool_choice: { type: 'auto', disable_parallel_tool_use: true },
      },
      [],
    ],
    ['tool_choice without tools', { toolChoice: { mode: 'required' } }, {}, ['tool_choice']],
    ['json_object', { responseFormat: { type: 'json_object' } }, {}, ['response_format']],
    [
      'json_schema',
      { responseFormat: { type: 'json_schema', name: 'n', schema: { type: 'object' } } },
      { output_config: { format: { type: 'json_schema', schema: { type: 'object', additionalProperties: false } } } },
      [],
    ],
    ['minimal effort', { reasoning: { effort: 'minimal' } }, { output_config: { effort: 'low' } }, []],
    ['unknown effort', { reasoning: { effort: 'colossal' } }, {}, ['reasoning_effort']],
    ['no effort', { reasoning: { effort: 'none' } }, { thinking: { type: 'disabled' } }, []],
    ['thinking off', { reasoning: { enabled: false } }, { thinking: { type: 'disabled' } }, []],
    ['adaptive thinking', { reasoning: { adaptive: true } }, { thinking: { type: 'adaptive' } }, []],
    [
      'thinking without a budget',
      { reasoning: { enabled: true } },
      { thinking: { type: 'enabled', budget_tokens: 1024 } },
      [],
    ],
    ['a small budget', { reasoning: { budgetTokens: 5 } }, { thinking: { type: 'enabled', budget_tokens: 1024 } }, []],
    [
      'a budget above the default room',
      { reasoning: { budgetTokens: 9000 } },
      { max_tokens: 13_096, thinking: { type: 'enabled', budget_tokens: 9000 } },
      [],
    ],
    [
      'a budget above the asked room',
      { maxTokens: 500, reasoning: { budgetTokens: 2000 } },
      { max_tokens: 2500, thinking: { type: 'enabled', budget_tokens: 2000 } },
      [],
    ],
    [
      'sampling with thinking',
      { temperature: 0.2, topK: 4, topP: 0.5, reasoning: { enabled: true } },
      { thinking: { type: 'enabled', budget_tokens: 1024 } },
      ['temperature', 'top_p', 'top_k'],
    ],
    [
      'fields without a place',
      { seed: 0, logitBias: { a: 1 }, presencePenalty: 1, frequencyPenalty: 0, logprobs: true, n: 1 },
      {},
      ['presence_penalty', 'logit_bias', 'logprobs', 'seed'],
    ],
    ['the standard tier', { serviceTier: 'default' }, { service_tier: 'standard_only' }, []],
    ['a tier of others', { serviceTier: 'flex' }, {}, ['service_tier']],
    ['a cache mark', { cache: { ttl: '1h' } }, { cache_control: { type: 'ephemeral', ttl: '1h' } }, []],
    ['unknown fields', { extra: { mcp_servers: [] } }, {}, ['mcp_servers']],
  ];
  for (const [name, call, expected, drops] of fields) {
    it(`translates ${name}`, () => {
      const context = contextOf();
      assert.deepEqual(encode(call, context), {
        model: 'm',
        max_tokens: 4096,
        messages: [{ role: 'user', content: 'Hi' }],
        ...expected,
      });
      assert.deepEqual(context.drops, drops);
    });
  }

  it('carries unknown fields that the format has when the client is not strict', () => {
    const context = contextOf({}, false);
    assert.deepEqual(encode({ extra: { mcp_servers: [1], nonsense: 2 } }, context).mcp_servers, [1]);
    assert.deepEqual(context.drops, ['nonsense']);
  });

  it('keeps every key of a tool schema and invents none', () => {
    const parameters = { type: 'object', properties: {}, additionalProperties: false, title: 'T' };
    const { tools, tool_choice } = encode({
      tools: [
        { ...tool, parameters, strict: true, cache: {} },
        { ...tool, name: 'g' },
      ],
      toolChoice: { mode: 'allowed', require: true, names: ['f'] },
    });
    assert.deepEqual(tools, [
      { name: 'f', input_schema: parameters, strict: true, cache_control: { type: 'ephemeral' } },
    ]);
    assert.deepEqual(tool_choice, { type: 'any' });
  });

  const base64 = (mediaType: string, data = 'AAAA') => ({ kind: 'base64', mediaType, data }) as const;
  const partTable: readonly [string, Part, JsonObject][] = [
    [
      'an image URL',
      { type: 'image', source: { kind: 'url', url: 'https://e.com/a' } },
      { type: 'image', source: { type: 'url', url: 'https://e.com/a' } },
    ],
    [
      'an inline image',
      { type: 'image', source: base64('image/jpg'), cache: { ttl: '5m' } },
      {
        type: 'image',
        source: { type: 'base64', media_type: 'image/jpeg', data: 'AAAA' },
        cache_control: { type: 'ephemeral', ttl: '5m' },
      },
    ],
    [
      'an image by id',
      { type: 'image', source: { kind: 'file-id', id: 'f' } },
      { type: 'image', source: { type: 'file', file_id: 'f' } },
    ],
    [
      'a PDF',
      { type: 'file', source: base64('application/pdf'), filename: 'a.pdf' },
      { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'AAAA' }, title: 'a.pdf' },
    ],
    [
      'a file by id',
      { type: 'file', source: { kind: 'file-id', id: 'f' } },
      { type: 'document', source: { type: 'file', file_id: 'f' } },
    ],
    [
      'a text file',
      { type: 'file', source: base64('text/csv', Buffer.from('a,é').toString('base64')), citations: true },
      {
        type: 'document',
        source: { type: 'text', media_type: 'text/plain', data: 'a,é' },
        citations: { enabled: true },
      },
    ],
    ['a refusal', { type: 'refusal', text: 'No.' }, { type: 'text', text: 'No.' }],
    [
      'signed thinking',
      { type: 'thinking', text: 'x', signature: 's' },
      { type: 'thinking', thinking: 'x', signature: 's' },
    ],
  ];
  for (const [name, part, block] of partTable) {
    it(`translates ${name}`, () => assert.deepEqual(blocksOf([part]), [block]));
  }

  it('drops thinking that another format signed and citations that it did not make', () => {
    const context = contextOf();
    const cited: Part = { type: 'text', text: 'a', citations: [{ type: 'url_citation', url: 'https://e.com' }] };
    const sent = blocksOf([{ type: 'thinking', text: 'x', signature: 's', itemId: 'rs_1' }, cited], context);
    assert.deepEqual(sent, [{ type: 'text', text: 'a' }]);
    assert.deepEqual(context.drops, ['thinking', 'citations']);
  });

  const refused: readonly [string, Partial<Call>, string, string][] = [
    ['several answers', { n: 2 }, 'translation_unsupported', 'n'],
    ['spoken answers', { modalities: ['text', 'audio'] }, 'translation_unsupported', 'modalities'],
    [
      'audio',
      { messages: [{ role: 'user', parts: [{ type: 'audio', source: base64('audio/wav'), format: 'wav' }] }] },
      'translation_unsupported',
      'messages',
    ],
    [
      'a spreadsheet',
      { messages: [{ role: 'user', parts: [{ type: 'file', source: base64('application/zip') }] }] },
      'translation_unsupported',
      'messages',
    ],
    [
      'a URL that is none',
      { messages: [{ role: 'user', parts: [{ type: 'image', source: { kind: 'url', url: 'data:text/plain,x' } }] }] },
      'translation_unsupported',
      'messages',
    ],
    ['a free-text tool', { tools: [{ type: 'custom', name: 'c' }] }, 'translation_unsupported', 'tools'],
    [
      'a conversation of system messages',
      { messages: [{ role: 'system', parts: [text('x')] }] },
      'bad_request',
      'messages',
    ],
  ];
  for (const [name, call, code, param] of refused) {
    it(`refuses ${name}`, () => {
      assert.throws(
        () => encode(call),
        (error) => GatewayError.is(error) && error.code === code && error.param === param,
      );
    });
  }

  it('counts what becomes input and nothing else', () => {
    const context = contextOf();
    const counted =
      messages.counting?.encodeCall(messages.decodeCall(jsonFixture('full.call.json'), context), context) ?? {};
    assert.deepEqual(Object.keys(counted).sort(), [
      'cache_control',
      'context_management',
      'mcp_servers',
      'messages',
      'model',
      'output_config',
      'system',
      'thinking',
      'tool_choice',
      'tools',
    ]);
    assert.equal(messages.counting?.decodeReply({ input_tokens: 14 }), 14);
    assert.equal(messages.counting?.decodeReply({}), undefined);
    assert.deepEqual(messages.counting?.encodeReply(14), { input_tokens: 14 });
  });
});
