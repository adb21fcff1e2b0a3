import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Call, Message, Part } from '../../../../sdk/dialects/neutral.ts';
import { responses } from '../../../../sdk/dialects/responses/index.ts';
import { GatewayError } from '../../../../sdk/errors.ts';
import { asObjects, type JsonObject } from '../../../../sdk/json.ts';
import { callOf, contextOf, frozen, jsonFixture } from './support.ts';

const decode = (body: JsonObject): Call => responses.decodeCall(frozen({ model: 'm', ...body }), contextOf());
const encode = (fields: Partial<Call>, strict = true): { body: JsonObject; drops: string[] } => {
  const context = contextOf({}, strict);
  return { body: responses.encodeCall(callOf(fields), context), drops: context.drops };
};
const inputOf = (...messages: Message[]): readonly JsonObject[] => asObjects(encode({ messages }).body.input);
const assistant = (...parts: Part[]): Message => ({ role: 'assistant', parts });

describe('responses: reading a request', () => {
  it('writes back the request that it read', () => {
    const body = jsonFixture('request.json');
    assert.deepEqual(responses.encodeCall(frozen(responses.decodeCall(body, contextOf())), contextOf()), body);
  });

  it('reads a string as a user message and instructions as the leading system message', () => {
    assert.deepEqual(decode({ instructions: 'Be kind.', input: 'Hi' }).messages, [
      { role: 'system', parts: [{ type: 'text', text: 'Be kind.' }] },
      { role: 'user', parts: [{ type: 'text', text: 'Hi' }] },
    ]);
  });

  it('joins consecutive items of the assistant and consecutive results', () => {
    const { messages } = decode({
      input: [
        { role: 'user', content: 'Hi' },
        { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'Hm' }], encrypted_content: 'sig' },
        { role: 'assistant', content: 'Wait' },
        { type: 'function_call', call_id: 'a__sig_c2ln', name: 'f', arguments: '{}' },
        { type: 'function_call', id: 'fc_b', call_id: 'b', name: 'g', arguments: '{}' },
        { type: 'function_call_output', call_id: 'a__sig_c2ln', output: '1' },
        { type: 'function_call_output', call_id: 'b', output: [{ type: 'input_image', file_id: 'file-1' }] },
      ],
    });
    assert.deepEqual(messages, [
      { role: 'user', parts: [{ type: 'text', text: 'Hi' }] },
      {
        role: 'assistant',
        parts: [
          { type: 'thinking', text: 'Hm', signature: 'sig', itemId: 'rs_1' },
          { type: 'text', text: 'Wait' },
          { type: 'tool-call', id: 'a', name: 'f', arguments: '{}', signature: 'sig' },
          { type: 'tool-call', id: 'b', name: 'g', arguments: '{}', itemId: 'fc_b' },
        ],
      },
      {
        role: 'tool',
        parts: [
          { type: 'tool-result', callId: 'a', content: [{ type: 'text', text: '1' }] },
          { type: 'tool-result', callId: 'b', content: [{ type: 'image', source: { kind: 'file-id', id: 'file-1' } }] },
        ],
      },
    ]);
  });

  it('keeps developer messages apart from the system message', () => {
    const roles = decode({ instructions: 'S', input: [{ role: 'developer', content: 'D' }] }).messages.map(
      (m) => m.role,
    );
    assert.deepEqual(roles, ['system', 'developer']);
  });

  it('turns hidden thinking of another provider back into what it was', () => {
    const item = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'redacted:secret' };
    assert.deepEqual(decode({ input: [item] }).messages[0]?.parts, [
      { type: 'redacted-thinking', data: 'secret', itemId: 'rs_1' },
    ]);
  });

  const natives = [
    'web_search_call',
    'file_search_call',
    'computer_call',
    'code_interpreter_call',
    'mcp_call',
    'newest',
  ];
  for (const type of natives) {
    it(`keeps ${type} for its own format`, () => {
      const item = { type, id: 'x', extra: { deep: true } };
      assert.deepEqual(decode({ input: [item] }).messages, [
        { role: 'assistant', parts: [{ type: 'native', dialect: 'responses', value: item }] },
      ]);
    });
  }

  const choices: [JsonObject[string], Call['toolChoice']][] = [
    ['required', { mode: 'required' }],
    [
      { type: 'function', name: 'f' },
      { mode: 'tool', name: 'f' },
    ],
    [
      { type: 'custom', name: 'c' },
      { mode: 'tool', name: 'c', custom: true },
    ],
    [
      { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'function', name: 'f' }] },
      { mode: 'allowed', require: false, names: ['f'] },
    ],
    [{ type: 'file_search' }, { mode: 'native', dialect: 'responses', value: { type: 'file_search' } }],
  ];
  for (const [wire, neutral] of choices) {
    it(`reads and writes the tool choice ${JSON.stringify(wire)}`, () => {
      const call = decode({ input: 'x', tool_choice: wire });
      assert.deepEqual(call.toolChoice, neutral);
      assert.deepEqual(responses.encodeCall(call, contextOf()).tool_choice, wire);
    });
  }

  for (const format of [{ type: 'text' }, { type: 'json_object' }, { type: 'json_schema', name: 'n', schema: {} }]) {
    it(`reads the text format ${format.type}`, () => {
      assert.deepEqual(decode({ input: 'x', text: { format } }).responseFormat, format);
    });
  }

  const kept: [string, JsonObject][] = [
    ['previous_response_id', { previous_response_id: 'resp_1' }],
    ['conversation', { conversation: { id: 'conv_1' } }],
    ['prompt', { prompt: { id: 'pmpt_1' } }],
    ['background', { background: true }],
    [
      'input[1]',
      {
        input: [
          { role: 'user', content: 'x' },
          { type: 'item_reference', id: 'msg_1' },
        ],
      },
    ],
  ];
  for (const [param, body] of kept) {
    it(`refuses ${param}, which only the provider that keeps it can serve`, () => {
      assert.throws(
        () => decode(body),
        (error) => GatewayError.is(error) && error.code === 'translation_unsupported' && error.param === param,
      );
    });
  }

  it('takes null as absent', () => {
    const call = decode({ input: 'x', previous_response_id: null, background: false, truncation: null, user: null });
    assert.deepEqual(call.extra, {});
    assert.equal('user' in call, false);
  });

  const odd: JsonObject[] = [
    {},
    { input: 5 },
    { input: [1, null, 'x', {}, { role: 'alien', content: 5 }] },
    { input: [{ role: 'user', content: [1, null, 'text', {}, { type: 'input_image' }, { type: 'input_file' }] }] },
    { input: [{ type: 'function_call' }, { type: 'function_call_output' }, { type: 'reasoning' }] },
    { input: 'x', tools: [1, {}, { type: 'function' }], tool_choice: 7, text: 'no', reasoning: [], include: 'x' },
    { input: [{ type: 'constructor' }, { role: 'user', content: [{ type: 'toString' }] }] },
  ];
  for (const body of odd) {
    it(`reads ${JSON.stringify(body)} without failing`, () => {
      assert.doesNotThrow(() => responses.encodeCall(decode(body), contextOf()));
    });
  }
});

describe('responses: writing a request of another format', () => {
  it('stores nothing unless the client says so', () => {
    assert.equal(encode({}).body.store, false);
    assert.equal(encode({ store: true }).body.store, true);
    assert.equal('store' in encode({ dialect: 'responses' }).body, false);
  });

  it('asks for encrypted reasoning when the model reasons', () => {
    assert.deepEqual(encode({ reasoning: { effort: 'low' } }).body.include, ['reasoning.encrypted_content']);
    assert.equal('include' in encode({ reasoning: { effort: 'none' } }).body, false);
    assert.equal('include' in encode({}).body, false);
  });

  const efforts: [Call['reasoning'], JsonObject | undefined][] = [
    [{ effort: 'minimal', budgetTokens: 9000 }, { effort: 'minimal' }],
    [{ enabled: true, budgetTokens: 2047 }, { effort: 'low' }],
    [{ enabled: true, budgetTokens: 2048 }, { effort: 'medium' }],
    [{ enabled: true, budgetTokens: 8192 }, { effort: 'high' }],
    [
      { adaptive: true, summary: 'summarized' },
      { effort: 'medium', summary: 'auto' },
    ],
    [{ effort: 'high', summary: 'omitted' }, { effort: 'high' }],
    [{ enabled: false }, undefined],
  ];
  for (const [reasoning, wire] of efforts) {
    it(`writes the reasoning ${JSON.stringify(reasoning)}`, () => {
      assert.deepEqual(encode(reasoning === undefined ? {} : { reasoning }).body.reasoning, wire);
    });
  }

  it('writes leading plain system messages as instructions and later ones as items', () => {
    const text = (value: string): Part[] => [{ type: 'text', text: value }];
    const { body } = encode({
      messages: [
        { role: 'system', parts: text('A') },
        { role: 'system', parts: text('B') },
        { role: 'user', parts: text('Hi') },
        { role: 'system', parts: text('C') },
        { role: 'developer', parts: text('D') },
      ],
    });
    assert.equal(body.instructions, 'A\n\nB');
    assert.deepEqual(body.input, [
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hi' }] },
      { type: 'message', role: 'system', content: [{ type: 'input_text', text: 'C' }] },
      { type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'D' }] },
    ]);
  });

  it('writes an assistant turn as items in order', () => {
    const items = inputOf(
      assistant(
        { type: 'thinking', text: 'Hm', signature: 'gAAAAABx', itemId: 'rs_1' },
        { type: 'text', text: 'Wait' },
        { type: 'refusal', text: 'No' },
        { type: 'tool-call', id: 'a', name: 'f', arguments: '{"x":1}' },
        { type: 'tool-call', id: 'b', name: 'g', arguments: 'free', custom: true },
      ),
      { role: 'tool', parts: [{ type: 'tool-result', callId: 'a', content: [{ type: 'text', text: '1' }] }] },
      {
        role: 'tool',
        parts: [
          {
            type: 'tool-result',
            callId: 'b',
            content: [{ type: 'image', source: { kind: 'base64', mediaType: 'image/png', data: 'QUJD' } }],
          },
        ],
      },
    );
    assert.deepEqual(items, [
      { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'Hm' }], encrypted_content: 'gAAAAABx' },
      {
        type: 'message',
        role: 'assistant',
        content: [
          { type: 'output_text', text: 'Wait', annotations: [] },
          { type: 'refusal', refusal: 'No' },
        ],
      },
      { type: 'function_call', call_id: 'a', name: 'f', arguments: '{"x":1}' },
      { type: 'custom_tool_call', call_id: 'b', name: 'g', input: 'free' },
      { type: 'function_call_output', call_id: 'a', output: '1' },
      {
        type: 'custom_tool_call_output',
        call_id: 'b',
        output: [{ type: 'input_image', detail: 'auto', image_url: 'data:image/png;base64,QUJD' }],
      },
    ]);
  });

  it('replays only thinking that this format made', () => {
    const thinking: Part[] = [
      { type: 'thinking', text: 'unsigned' },
      { type: 'thinking', text: 'foreign', signature: 'EqQB' },
      { type: 'redacted-thinking', data: 'EqQB' },
      { type: 'thinking', text: '', signature: 'gAAAAABown' },
      { type: 'redacted-thinking', data: 'gAAAAABhidden' },
    ];
    assert.deepEqual(inputOf(assistant(...thinking)), [
      { type: 'reasoning', summary: [], encrypted_content: 'gAAAAABown' },
      { type: 'reasoning', summary: [], encrypted_content: 'gAAAAABhidden' },
    ]);
  });

  it('writes files of every source', () => {
    const file = (source: Extract<Part, { type: 'file' }>['source']): Part => ({ type: 'file', source });
    const [message] = inputOf({
      role: 'user',
      parts: [
        file({ kind: 'url', url: 'https://x.test/a.pdf' }),
        file({ kind: 'file-id', id: 'file-1' }),
        file({ kind: 'base64', mediaType: 'application/pdf', data: 'JVBERi0=' }),
        file({ kind: 'text', mediaType: 'text/plain', text: 'Hi' }),
      ],
    });
    assert.deepEqual(message?.content, [
      { type: 'input_file', file_url: 'https://x.test/a.pdf' },
      { type: 'input_file', file_id: 'file-1' },
      { type: 'input_file', filename: 'document.pdf', file_data: 'data:application/pdf;base64,JVBERi0=' },
      { type: 'input_file', filename: 'document.txt', file_data: 'data:text/plain;base64,SGk=' },
    ]);
  });

  it('raises an output limit below the least that the API accepts', () => {
    const { body, drops } = encode({ maxTokens: 5 });
    assert.equal(body.max_output_tokens, 16);
    assert.deepEqual(drops, ['max_tokens']);
    assert.equal(encode({ maxTokens: 16 }).body.max_output_tokens, 16);
  });

  const placeless: [Partial<Call>, string][] = [
    [{ stop: ['x'] }, 'stop'],
    [{ seed: 1 }, 'seed'],
    [{ topK: 1 }, 'top_k'],
    [{ presencePenalty: 1 }, 'presence_penalty'],
    [{ frequencyPenalty: 1 }, 'frequency_penalty'],
    [{ logitBias: { '5': 1 } }, 'logit_bias'],
    [{ modalities: ['text', 'audio'] }, 'modalities'],
    [{ tools: [{ type: 'native', dialect: 'messages', value: { type: 'bash' } }] }, 'tools'],
    [{ toolChoice: { mode: 'native', dialect: 'messages', value: 1 } }, 'tool_choice'],
    [{ messages: [{ role: 'user', name: 'Ann', parts: [] }] }, 'name'],
    [{ messages: [assistant({ type: 'native', dialect: 'messages', value: { type: 'x' } })] }, 'native'],
  ];
  for (const [fields, name] of placeless) {
    it(`drops ${name} and says so`, () => {
      assert.deepEqual(encode(fields).drops, [name]);
    });
  }

  it('refuses several choices', () => {
    assert.throws(
      () => encode({ n: 2 }),
      (error) => GatewayError.is(error) && error.code === 'translation_unsupported' && error.param === 'n',
    );
    assert.doesNotThrow(() => encode({ n: 1 }));
  });

  it('carries unknown fields only when it has a place for them and compliance is not strict', () => {
    const extra = { truncation: 'auto', web_search_options: {} };
    assert.deepEqual(encode({ extra }).drops, ['truncation', 'web_search_options']);
    const loose = encode({ extra }, false);
    assert.equal(loose.body.truncation, 'auto');
    assert.deepEqual(loose.drops, ['web_search_options']);
  });

  it('writes response format, verbosity and log probabilities in their places', () => {
    const { body } = encode({
      responseFormat: { type: 'json_schema', name: 'n', schema: { type: 'object' }, strict: true },
      verbosity: 'low',
      logprobs: true,
      topLogprobs: 3,
    });
    assert.deepEqual(body.text, {
      format: { type: 'json_schema', name: 'n', schema: { type: 'object' }, strict: true },
      verbosity: 'low',
    });
    assert.equal(body.top_logprobs, 3);
    assert.deepEqual(body.include, ['message.output_text.logprobs']);
  });

  it('does not make a schema strict that its client did not make strict', () => {
    const { body } = encode({ tools: [{ type: 'function', name: 'f' }] });
    assert.deepEqual(body.tools, [
      { type: 'function', name: 'f', parameters: { type: 'object', properties: {} }, strict: false },
    ]);
  });
});
