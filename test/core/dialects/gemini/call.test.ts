import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { gemini } from '../../../../sdk/dialects/gemini/index.ts';
import type { Call, Message, Part } from '../../../../sdk/dialects/neutral.ts';
import type { JsonObject } from '../../../../sdk/json.ts';
import { context, fixture, frozen } from './context.ts';

const base: Call = { model: 'gemini-2.5-flash', messages: [], dialect: 'chat', extra: {} };
const user = (text: string): Message => ({ role: 'user', parts: [{ type: 'text', text }] });
const toolCall = (id: string, name: string, fields: { signature?: string; arguments?: string } = {}): Part => ({
  type: 'tool-call',
  id,
  name,
  arguments: '{"a":1}',
  ...fields,
});
const toolResult = (callId: string, text: string): Message => ({
  role: 'tool',
  parts: [{ type: 'tool-result', callId, content: [{ type: 'text', text }] }],
});
function encode(fields: Partial<Call>, strict = true): JsonObject & { drops?: never } {
  return gemini.encodeCall(frozen({ ...base, ...fields }), context({ strict }));
}
function configOf(fields: Partial<Call>): unknown {
  return encode(fields).generationConfig;
}
function partsOf(message: Message, fields: Partial<Call> = {}): unknown {
  return (encode({ ...fields, messages: [message] }).contents as readonly JsonObject[])[0]?.parts;
}

describe('gemini requests', () => {
  it('are the same after decoding and encoding', () => {
    const body = fixture('function-call-request.json');
    assert.deepEqual(gemini.encodeCall(frozen(gemini.decodeCall(body, context())), context()), body);
  });

  it('decode into neutral fields', () => {
    const call = gemini.decodeCall(fixture('function-call-request.json'), context());
    assert.equal(call.model, '');
    assert.deepEqual(
      call.messages.map(({ role }) => role),
      ['system', 'user', 'assistant', 'tool'],
    );
    assert.deepEqual(call.messages[2]?.parts[0], {
      type: 'tool-call',
      id: 'fc_1',
      name: 'customDivide',
      arguments: '{"denominator":2,"numerator":10}',
      signature: 'CiQBVKhc7gVNlWrmzW9MEk',
    });
    assert.deepEqual(call.reasoning, { effort: 'low', summary: 'auto' });
    assert.equal(call.maxTokens, 800);
    assert.equal(call.n, 2);
    assert.deepEqual(call.toolChoice, { mode: 'auto' });
    assert.deepEqual(Object.keys(call.extra).sort(), [
      'cachedContent',
      'generationConfig',
      'safetySettings',
      'toolConfig',
    ]);
  });

  it('are read in snake case too, with OpenAPI schemas', () => {
    const call = gemini.decodeCall(
      frozen({
        model: 'models/gemini-2.5-pro',
        system_instruction: { parts: { text: 'Hi' } },
        contents: { parts: [{ inline_data: { mime_type: 'image/png', data: 'AA==' } }, { text: 'what' }] },
        generation_config: {
          max_output_tokens: 5,
          response_mime_type: 'application/json',
          response_schema: { type: 'STRING', nullable: true },
        },
        tools: [
          {
            function_declarations: [
              {
                name: 'f',
                parameters: {
                  type: 'OBJECT',
                  properties: { type: { type: 'ARRAY', min_items: '2', items: { type: 'STRING' } } },
                },
              },
            ],
          },
        ],
      }),
      context(),
    );
    assert.equal(call.model, 'models/gemini-2.5-pro');
    assert.deepEqual(call.messages, [
      { role: 'system', parts: [{ type: 'text', text: 'Hi' }] },
      {
        role: 'user',
        parts: [
          { type: 'image', source: { kind: 'base64', mediaType: 'image/png', data: 'AA==' } },
          { type: 'text', text: 'what' },
        ],
      },
    ]);
    assert.equal(call.maxTokens, 5);
    assert.deepEqual(call.responseFormat, {
      type: 'json_schema',
      name: 'response',
      schema: { type: ['string', 'null'] },
    });
    assert.deepEqual(call.tools, [
      {
        type: 'function',
        name: 'f',
        parameters: { type: 'object', properties: { type: { type: 'array', minItems: 2, items: { type: 'string' } } } },
      },
    ]);
  });

  it('pair calls and responses without ids by name and order, over streamed chunks of one answer', () => {
    const call = gemini.decodeCall(
      frozen({
        contents: [
          { role: 'user', parts: [{ text: 'go' }] },
          { role: 'model', parts: [{ text: 'I think ', thought: true }] },
          { role: 'model', parts: [{ text: 'so', thought: true, thoughtSignature: 'sig' }] },
          { role: 'model', parts: [{ text: 'He' }] },
          {
            role: 'model',
            parts: [{ text: 'llo' }, { functionCall: { name: 'f' } }, { functionCall: { name: 'f', args: { n: 2 } } }],
          },
          {
            role: 'user',
            parts: [
              { functionResponse: { name: 'f', response: { result: 'one' } } },
              { functionResponse: { name: 'f', response: { error: 'no' } } },
              { text: 'and?' },
            ],
          },
        ],
      }),
      context(),
    );
    assert.deepEqual(call.messages.slice(1), [
      {
        role: 'assistant',
        parts: [
          { type: 'thinking', text: 'I think so', signature: 'sig' },
          { type: 'text', text: 'Hello' },
          { type: 'tool-call', id: 'call_1', name: 'f', arguments: '{}' },
          { type: 'tool-call', id: 'call_2', name: 'f', arguments: '{"n":2}' },
        ],
      },
      {
        role: 'tool',
        parts: [
          { type: 'tool-result', callId: 'call_1', name: 'f', content: [{ type: 'text', text: 'one' }] },
          { type: 'tool-result', callId: 'call_2', name: 'f', content: [{ type: 'text', text: 'no' }], isError: true },
        ],
      },
      { role: 'user', parts: [{ type: 'text', text: 'and?' }] },
    ]);
  });

  it('keep media and tool configuration that only this format knows', () => {
    const body = frozen({
      contents: [
        {
          role: 'user',
          parts: [
            { fileData: { fileUri: 'https://video.test/x' }, videoMetadata: { fps: 1 } },
            { fileData: { fileUri: 'https://video.test/y' } },
            { inlineData: { mimeType: 'application/pdf', data: 'AA==', displayName: 'd.pdf' } },
            {
              inlineData: { mimeType: 'image/png', data: 'AA==' },
              mediaResolution: { level: 'MEDIA_RESOLUTION_HIGH' },
            },
          ],
        },
      ],
      toolConfig: { functionCallingConfig: { mode: 'VALIDATED' } },
      generationConfig: { responseMimeType: 'text/x.enum', responseSchema: { type: 'STRING', enum: ['a'] } },
    });
    assert.deepEqual(gemini.encodeCall(frozen(gemini.decodeCall(body, context())), context()), body);
  });

  it('keep a signature on its text through the neutral form', () => {
    const contents = [
      {
        role: 'model',
        parts: [{ text: 'a' }, { text: 'b', thoughtSignature: 's1' }, { text: '', thoughtSignature: 's2' }],
      },
    ];
    const call = gemini.decodeCall(frozen({ contents }), context());
    assert.deepEqual(gemini.encodeCall(frozen(call), context()), { contents });
  });

  for (const body of [
    {},
    { contents: null },
    { contents: ['x', 1] },
    { contents: [{ parts: 'x' }], tools: 'x', toolConfig: [], generationConfig: 3 },
  ]) {
    it(`survive malformed input: ${JSON.stringify(body)}`, () => {
      assert.equal(gemini.decodeCall(frozen(body), context()).dialect, 'gemini');
    });
  }
});

describe('encoding a call for gemini', () => {
  it('gathers all instructions, merges roles and keeps text beside tool calls', () => {
    const body = encode({
      messages: [
        { role: 'system', parts: [{ type: 'text', text: 'one' }] },
        user('hi'),
        { role: 'developer', parts: [{ type: 'text', text: 'two' }] },
        {
          role: 'assistant',
          parts: [{ type: 'text', text: 'calling' }, toolCall('c1', 'f'), toolCall('c2', 'g', { arguments: '' })],
        },
        toolResult('c1', '{"ok":true}'),
        toolResult('c2', '[1]'),
        user('more'),
      ],
    });
    assert.deepEqual(body, {
      systemInstruction: { parts: [{ text: 'one' }, { text: 'two' }] },
      contents: [
        { role: 'user', parts: [{ text: 'hi' }] },
        {
          role: 'model',
          parts: [
            { text: 'calling' },
            { functionCall: { id: 'c1', name: 'f', args: { a: 1 } } },
            { functionCall: { id: 'c2', name: 'g', args: {} } },
          ],
        },
        {
          role: 'user',
          parts: [
            { functionResponse: { id: 'c1', name: 'f', response: { ok: true } } },
            { functionResponse: { id: 'c2', name: 'g', response: { result: '[1]' } } },
            { text: 'more' },
          ],
        },
      ],
    });
  });

  it('gives broken arguments as input, errors as error, and media of a result beside it', () => {
    const body = encode({
      messages: [
        { role: 'assistant', parts: [toolCall('c1', 'f', { arguments: '{broken' })] },
        {
          role: 'tool',
          parts: [
            {
              type: 'tool-result',
              callId: 'c1',
              isError: true,
              content: [
                { type: 'text', text: 'bad' },
                { type: 'image', source: { kind: 'base64', mediaType: 'image/png', data: 'AA==' } },
              ],
            },
          ],
        },
      ],
    });
    assert.deepEqual(body.contents, [
      { role: 'model', parts: [{ functionCall: { id: 'c1', name: 'f', args: { input: '{broken' } } }] },
      {
        role: 'user',
        parts: [
          { functionResponse: { id: 'c1', name: 'f', response: { error: 'bad' } } },
          { inlineData: { mimeType: 'image/png', data: 'AA==' } },
        ],
      },
    ]);
  });

  it('refuses a tool result that answers no call', () => {
    assert.throws(() => encode({ messages: [user('x'), toolResult('nope', 'r')] }), {
      code: 'bad_request',
      param: 'messages[1].tool_call_id',
    });
  });

  const skip = 'skip_thought_signature_validator';
  const history = (first: Part, second: Part): readonly Message[] => [
    user('a'),
    { role: 'assistant', parts: [toolCall('c0', 'f')] },
    toolResult('c0', 'r'),
    { role: 'assistant', parts: [{ type: 'text', text: 'done' }] },
    user('b'),
    { role: 'assistant', parts: [first, second] },
    toolResult('c1', 'r'),
  ];
  const signatures = (fields: Partial<Call>): unknown =>
    (encode(fields).contents as readonly { parts: readonly JsonObject[] }[]).flatMap(({ parts }) =>
      parts.filter((part) => 'functionCall' in part).map((part) => part.thoughtSignature),
    );
  const plain = history(toolCall('c1', 'f'), toolCall('c2', 'f'));
  const signed = history(toolCall('c1', 'f', { signature: 'real' }), toolCall('c2', 'f'));
  const cases: readonly (readonly [string, Partial<Call>, readonly unknown[]])[] = [
    [
      'stands in for the first missing signature of the current turn',
      { model: 'gemini-3-pro-preview', messages: plain },
      [undefined, skip, undefined],
    ],
    ['puts real signatures back', { model: 'gemini-3-pro-preview', messages: signed }, [undefined, 'real', undefined]],
    [
      'adds none for models that demand none',
      { model: 'gemini-2.5-pro', messages: plain },
      [undefined, undefined, undefined],
    ],
    [
      'adds none to calls of its own clients',
      { model: 'gemini-3-pro', dialect: 'gemini', messages: plain },
      [undefined, undefined, undefined],
    ],
  ];
  for (const [name, fields, expected] of cases) it(name, () => assert.deepEqual(signatures(fields), expected));

  it('replays signed thinking and drops the rest', () => {
    const parts: readonly Part[] = [
      { type: 'thinking', text: 'unsigned' },
      { type: 'thinking', text: 'signed', signature: 's' },
      { type: 'redacted-thinking', data: 'x' },
      { type: 'text', text: 't' },
    ];
    assert.deepEqual(partsOf({ role: 'assistant', parts }), [
      { text: 'signed', thought: true, thoughtSignature: 's' },
      { text: 't' },
    ]);
  });

  const media: readonly (readonly [string, Part, unknown])[] = [
    [
      'an https image',
      { type: 'image', source: { kind: 'url', url: 'https://x.test/a.PNG?b=c' } },
      { fileData: { fileUri: 'https://x.test/a.PNG?b=c', mimeType: 'image/png' } },
    ],
    [
      'a gs file without extension',
      { type: 'file', source: { kind: 'url', url: 'gs://b/doc' } },
      { fileData: { fileUri: 'gs://b/doc', mimeType: 'application/pdf' } },
    ],
    [
      'an uploaded file',
      { type: 'file', source: { kind: 'file-id', id: 'https://g.test/v1beta/files/1' } },
      { fileData: { fileUri: 'https://g.test/v1beta/files/1' } },
    ],
    [
      'a text document',
      { type: 'file', source: { kind: 'text', mediaType: 'text/plain', text: 'é' } },
      { inlineData: { mimeType: 'text/plain', data: 'w6k=' } },
    ],
    [
      'audio',
      { type: 'audio', format: 'mp3', source: { kind: 'base64', mediaType: 'audio/mp3', data: 'AA==' } },
      { inlineData: { mimeType: 'audio/mp3', data: 'AA==' } },
    ],
  ];
  for (const [name, part, expected] of media) {
    it(`encodes ${name}`, () => assert.deepEqual(partsOf({ role: 'user', parts: [part] }), [expected]));
  }

  it('refuses a file id of another provider', () => {
    const parts: readonly Part[] = [{ type: 'file', source: { kind: 'file-id', id: 'file-123' } }];
    assert.throws(() => partsOf({ role: 'user', parts }), {
      code: 'translation_unsupported',
      param: 'messages[0].content[0]',
    });
  });

  const thinking: readonly (readonly [string, Call['reasoning'], unknown])[] = [
    ['gemini-2.5-flash', { effort: 'minimal' }, { thinkingBudget: 1024, includeThoughts: true }],
    ['gemini-2.5-flash', { effort: 'medium' }, { thinkingBudget: 8192, includeThoughts: true }],
    ['gemini-2.5-flash', { effort: 'high' }, { thinkingBudget: 24_576, includeThoughts: true }],
    ['gemini-2.5-flash', { effort: 'none' }, { thinkingBudget: 0 }],
    ['gemini-2.5-flash', { enabled: false }, { thinkingBudget: 0 }],
    ['gemini-2.5-flash', { enabled: true, budgetTokens: 2000 }, { thinkingBudget: 2000, includeThoughts: true }],
    ['gemini-2.5-flash', { adaptive: true }, { thinkingBudget: -1, includeThoughts: true }],
    ['gemini-3-flash-preview', { effort: 'minimal' }, { thinkingLevel: 'MINIMAL', includeThoughts: true }],
    ['gemini-3.1-pro-preview', { effort: 'minimal' }, { thinkingLevel: 'LOW', includeThoughts: true }],
    ['gemini-3-pro', { effort: 'xhigh', summary: 'none' }, { thinkingLevel: 'HIGH' }],
    ['models/gemini-10-pro', { effort: 'low' }, { thinkingLevel: 'LOW', includeThoughts: true }],
    ['gemini-flash-latest', { effort: 'low' }, { thinkingLevel: 'LOW', includeThoughts: true }],
  ];
  for (const [model, reasoning, expected] of thinking) {
    it(`thinks on ${model} as ${JSON.stringify(reasoning)}`, () => {
      assert.deepEqual(configOf({ model, ...(reasoning ? { reasoning } : {}) }), { thinkingConfig: expected });
    });
  }

  const configs: readonly (readonly [Partial<Call>, unknown])[] = [
    [{ stop: ['a'] }, { stopSequences: ['a'] }],
    [{ n: 8 }, { candidateCount: 8 }],
    [
      { logprobs: true, topLogprobs: 2 },
      { responseLogprobs: true, logprobs: 2 },
    ],
    [{ logprobs: false }, undefined],
    [{ modalities: ['text', 'image'] }, { responseModalities: ['TEXT', 'IMAGE'] }],
    [{ responseFormat: { type: 'json_object' } }, { responseMimeType: 'application/json' }],
    [
      {
        responseFormat: {
          type: 'json_schema',
          name: 'n',
          schema: { $ref: '#/$defs/a', $defs: { a: { anyOf: [{ $ref: '#/$defs/a' }, { type: 'null' }] } } },
        },
      },
      {
        responseMimeType: 'application/json',
        responseJsonSchema: { $ref: '#/$defs/a', $defs: { a: { anyOf: [{ $ref: '#/$defs/a' }, { type: 'null' }] } } },
      },
    ],
    [{ audio: { voice: 'Kore' } }, { speechConfig: { voiceConfig: { prebuiltVoiceConfig: { voiceName: 'Kore' } } } }],
  ];
  for (const [fields, expected] of configs) {
    it(`configures ${JSON.stringify(fields)}`, () => assert.deepEqual(configOf(fields), expected));
  }

  const refused: readonly (readonly [Partial<Call>, string])[] = [
    [{ n: 9 }, 'n'],
    [{ stop: ['1', '2', '3', '4', '5', '6'] }, 'stop'],
    [{ tools: [{ type: 'custom', name: 'c' }] }, 'tools[0]'],
    [{ dialect: 'responses', extra: { previous_response_id: 'resp_1' } }, 'previous_response_id'],
    [{ dialect: 'responses', extra: { background: true } }, 'background'],
  ];
  for (const [fields, param] of refused) {
    it(`refuses ${param} rather than change the answer`, () => {
      assert.throws(() => encode(fields), { code: 'translation_unsupported', param });
    });
  }

  it('declares functions with their schema as it is, and built-in tools by name', () => {
    const parameters = { type: 'object', properties: { q: { type: 'string' } }, additionalProperties: false };
    const body = encode({
      tools: [
        { type: 'function', name: 'f', description: 'd', parameters, strict: true },
        { type: 'function', name: 'google_search' },
        { type: 'function', name: 'computer_use', parameters: { environment: 'ENVIRONMENT_BROWSER' } },
        { type: 'function', name: 'code_execution', parameters },
        { type: 'native', dialect: 'chat', value: { type: 'url_context' } },
        { type: 'native', dialect: 'responses', value: { type: 'file_search' } },
      ],
      toolChoice: { mode: 'tool', name: 'f' },
    });
    assert.deepEqual(body.tools, [
      {
        functionDeclarations: [
          { name: 'f', description: 'd', parametersJsonSchema: parameters },
          { name: 'code_execution', parametersJsonSchema: parameters },
        ],
      },
      { googleSearch: {} },
      { computerUse: { environment: 'ENVIRONMENT_BROWSER' } },
      { urlContext: {} },
    ]);
    assert.deepEqual(body.toolConfig, { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['f'] } });
  });

  const choices: readonly (readonly [Call['toolChoice'], unknown])[] = [
    [{ mode: 'auto' }, { mode: 'AUTO' }],
    [{ mode: 'none' }, { mode: 'NONE' }],
    [{ mode: 'required' }, { mode: 'ANY' }],
    [
      { mode: 'allowed', require: true, names: ['f', 'g'] },
      { mode: 'ANY', allowedFunctionNames: ['f', 'g'] },
    ],
    [
      { mode: 'allowed', require: false, names: ['f'] },
      { mode: 'VALIDATED', allowedFunctionNames: ['f'] },
    ],
  ];
  for (const [toolChoice, expected] of choices) {
    it(`chooses tools as ${JSON.stringify(toolChoice)} and back`, () => {
      const body = encode({ tools: [{ type: 'function', name: 'f' }], ...(toolChoice ? { toolChoice } : {}) });
      assert.deepEqual(body.toolConfig, { functionCallingConfig: expected });
      assert.deepEqual(gemini.decodeCall(frozen(body), context()).toolChoice, toolChoice);
    });
  }

  it('carries known extras when not strict, and says what it drops', () => {
    const fields: Partial<Call> = {
      extra: { safety_settings: [1], image_config: { aspectRatio: '1:1' }, web_search_options: {} },
      user: 'u',
      metadata: {},
      parallelToolCalls: false,
      serviceTier: 'default',
      messages: [{ role: 'user', name: 'bob', parts: [{ type: 'text', text: 'x', cache: {} }] }],
    };
    const loose = context({ strict: false });
    const body = gemini.encodeCall(frozen({ ...base, ...fields }), loose);
    assert.deepEqual(body.safetySettings, [1]);
    assert.deepEqual(body.generationConfig, { imageConfig: { aspectRatio: '1:1' } });
    assert.equal(body.serviceTier, 'standard');
    assert.deepEqual(loose.drops.sort(), [
      'cache_control',
      'messages[0].name',
      'metadata',
      'parallel_tool_calls',
      'user',
      'web_search_options',
    ]);
    const strict = context();
    assert.equal(gemini.encodeCall(frozen({ ...base, ...fields }), strict).safetySettings, undefined);
    assert.ok(strict.drops.includes('safety_settings'));
  });

  it('counts tokens of the whole request', () => {
    const body = gemini.counting?.encodeCall(frozen({ ...base, messages: [user('x')] }), context());
    assert.deepEqual(body, {
      generateContentRequest: {
        model: 'models/gemini-2.5-flash',
        contents: [{ role: 'user', parts: [{ text: 'x' }] }],
      },
    });
    assert.equal(gemini.counting?.decodeReply({ totalTokens: 31 }), 31);
    assert.deepEqual(gemini.counting?.encodeReply(31), { totalTokens: 31 });
  });
});
