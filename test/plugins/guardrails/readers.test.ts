import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { DialectName, Endpoint, JsonObject } from 'portcullis/sdk';
import { isReadable, readReply, readRequest } from '../../../plugins/guardrails/scan/read.ts';
import type { Reading } from '../../../plugins/guardrails/scan/reading.ts';
import { exchangeOf } from '../../support/exchange.ts';

const rows = ({ fragments }: Reading) =>
  fragments.map(({ role, kind, message, text, path }) => [role, kind, message, text, path.join('.')]);
const request = (endpoint: Endpoint, body: JsonObject, method = 'POST') =>
  readRequest(exchangeOf({ endpoint, method }), body);
const imageRows = ({ images }: Reading) => images.map(({ path, url }) => [path.join('.'), url]);

describe('the texts of a chat request', () => {
  it('are those of every role, kind and form', () => {
    const body = {
      messages: [
        { role: 'developer', content: 'be good' },
        { role: 'system', content: [{ type: 'text', text: 'be brief' }] },
        {
          role: 'user',
          content: ['bare', { type: 'text', text: 'part' }, { type: 'image_url', image_url: { url: 'https://i/1' } }],
        },
        {
          role: 'assistant',
          content: [
            { type: 'refusal', refusal: 'no' },
            { type: 'thinking', thinking: 'hm' },
          ],
          reasoning_content: 'because',
          tool_calls: [
            { id: 'a', type: 'function', function: { name: 'f', arguments: '{"q":1}' } },
            { id: 'b', type: 'custom', custom: { name: 'g', input: 'free' } },
            { id: 'c', type: 'function', function: { name: 'h', arguments: { q: 2 } } },
          ],
          function_call: { name: 'old', arguments: '{}' },
        },
        { role: 'tool', tool_call_id: 'a', content: 'found' },
        { role: 'function', name: 'old', content: 'older' },
        { role: 'assistant', content: 'shown', content_blocks: [{ type: 'text', text: 'sent' }], refusal: 'never' },
        { role: 'user', content: null },
      ],
    };
    const reading = request('chatComplete', body);
    assert.deepEqual(rows(reading), [
      ['system', 'text', 0, 'be good', 'messages.0.content'],
      ['system', 'text', 1, 'be brief', 'messages.1.content.0.text'],
      ['user', 'text', 2, 'bare', 'messages.2.content.0'],
      ['user', 'text', 2, 'part', 'messages.2.content.1.text'],
      ['assistant', 'refusal', 3, 'no', 'messages.3.content.0.refusal'],
      ['assistant', 'thinking', 3, 'hm', 'messages.3.content.1.thinking'],
      ['assistant', 'tool-arguments', 3, '{"q":1}', 'messages.3.tool_calls.0.function.arguments'],
      ['assistant', 'tool-arguments', 3, 'free', 'messages.3.tool_calls.1.custom.input'],
      ['assistant', 'tool-arguments', 3, '{"q":2}', 'messages.3.tool_calls.2.function.arguments'],
      ['assistant', 'tool-arguments', 3, '{}', 'messages.3.function_call.arguments'],
      ['assistant', 'thinking', 3, 'because', 'messages.3.reasoning_content'],
      ['tool', 'tool-result', 4, 'found', 'messages.4.content'],
      ['tool', 'tool-result', 5, 'older', 'messages.5.content'],
      ['assistant', 'text', 6, 'shown', 'messages.6.content'],
      ['assistant', 'refusal', 6, 'never', 'messages.6.refusal'],
      ['assistant', 'text', 6, 'sent', 'messages.6.content_blocks.0.text'],
    ]);
    assert.deepEqual(imageRows(reading), [['messages.2.content.2', 'https://i/1']]);
    assert.equal(reading.turns, 8);
  });

  it('are none where the messages are no list', () => {
    for (const messages of ['text', 5, null, {}, [null, 1]])
      assert.deepEqual(rows(request('chatComplete', { messages })), []);
  });
});

describe('the texts of a messages request', () => {
  it('are those of every block, the system prompt first', () => {
    const reading = request('messages', {
      system: [{ type: 'text', text: 'rules' }],
      messages: [
        { role: 'user', content: 'plain' },
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'hm', signature: 's' },
            { type: 'tool_use', id: 't', name: 'f', input: { city: 'Bonn' } },
          ],
        },
        {
          role: 'user',
          content: [
            {
              type: 'tool_result',
              tool_use_id: 't',
              content: [
                { type: 'text', text: 'rain' },
                { type: 'search_result', content: [{ type: 'text', text: 'page' }] },
              ],
            },
            { type: 'tool_result', tool_use_id: 'u', content: 'sun' },
            {
              type: 'document',
              title: 'T',
              context: 'C',
              source: { type: 'text', media_type: 'text/plain', data: 'whole' },
            },
            { type: 'document', source: { type: 'content', content: [{ type: 'text', text: 'chunk' }] } },
            { type: 'image', source: { type: 'url', url: 'https://i/2' } },
            { type: 'text', text: 'and now?' },
          ],
        },
      ],
    });
    assert.deepEqual(rows(reading), [
      ['system', 'text', 0, 'rules', 'system.0.text'],
      ['user', 'text', 1, 'plain', 'messages.0.content'],
      ['assistant', 'thinking', 2, 'hm', 'messages.1.content.0.thinking'],
      ['assistant', 'tool-arguments', 2, '{"city":"Bonn"}', 'messages.1.content.1.input'],
      ['tool', 'tool-result', 3, 'rain', 'messages.2.content.0.content.0.text'],
      ['tool', 'tool-result', 3, 'page', 'messages.2.content.0.content.1.content.0.text'],
      ['tool', 'tool-result', 3, 'sun', 'messages.2.content.1.content'],
      ['user', 'text', 3, 'T', 'messages.2.content.2.title'],
      ['user', 'text', 3, 'C', 'messages.2.content.2.context'],
      ['user', 'text', 3, 'whole', 'messages.2.content.2.source.data'],
      ['user', 'text', 3, 'chunk', 'messages.2.content.3.source.content.0.text'],
      ['user', 'text', 3, 'and now?', 'messages.2.content.5.text'],
    ]);
    assert.deepEqual(imageRows(reading), [['messages.2.content.4', 'https://i/2']]);
  });

  it('are the same where only their tokens are counted', () => {
    const body = { messages: [{ role: 'user', content: 'count me' }] };
    assert.deepEqual(rows(request('messagesCountTokens', body)), rows(request('messages', body)));
  });
});

describe('the texts of a responses request', () => {
  it('are those of instructions, variables and every item', () => {
    const reading = request('createModelResponse', {
      instructions: 'rules',
      prompt: { id: 'p', variables: { who: 'Ada', what: { type: 'input_text', text: 'maths' } } },
      input: [
        { role: 'developer', content: 'be brief' },
        {
          role: 'user',
          content: ['bare', { type: 'input_text', text: 'hi' }, { type: 'input_image', image_url: 'https://i/3' }],
        },
        { type: 'reasoning', summary: [{ type: 'summary_text', text: 'hm' }] },
        { type: 'function_call', call_id: 'c', name: 'f', arguments: '{"a":1}' },
        { type: 'function_call_output', call_id: 'c', output: 'two' },
        { type: 'custom_tool_call', call_id: 'd', name: 'g', input: 'free' },
        { type: 'custom_tool_call_output', call_id: 'd', output: [{ type: 'input_text', text: 'three' }] },
        {
          type: 'message',
          role: 'assistant',
          content: [
            { type: 'output_text', text: 'so' },
            { type: 'refusal', refusal: 'no' },
          ],
        },
      ],
    });
    assert.deepEqual(rows(reading), [
      ['system', 'text', 0, 'rules', 'instructions'],
      ['user', 'text', 1, 'Ada', 'prompt.variables.who'],
      ['user', 'text', 1, 'maths', 'prompt.variables.what.text'],
      ['system', 'text', 2, 'be brief', 'input.0.content'],
      ['user', 'text', 3, 'bare', 'input.1.content.0'],
      ['user', 'text', 3, 'hi', 'input.1.content.1.text'],
      ['assistant', 'thinking', 4, 'hm', 'input.2.summary.0.text'],
      ['assistant', 'tool-arguments', 5, '{"a":1}', 'input.3.arguments'],
      ['tool', 'tool-result', 6, 'two', 'input.4.output'],
      ['assistant', 'tool-arguments', 7, 'free', 'input.5.input'],
      ['tool', 'tool-result', 8, 'three', 'input.6.output.0.text'],
      ['assistant', 'text', 9, 'so', 'input.7.content.0.text'],
      ['assistant', 'refusal', 9, 'no', 'input.7.content.1.refusal'],
    ]);
    assert.deepEqual(imageRows(reading), [['input.1.content.2', 'https://i/3']]);
  });

  it('are the input where that is a text', () => {
    assert.deepEqual(rows(request('createModelResponse', { input: 'hi' })), [['user', 'text', 0, 'hi', 'input']]);
  });
});

describe('the texts of requests without messages', () => {
  const table: readonly [Endpoint, JsonObject, readonly (readonly [string, string])[]][] = [
    [
      'complete',
      { prompt: 'one', suffix: 'two' },
      [
        ['one', 'prompt'],
        ['two', 'suffix'],
      ],
    ],
    [
      'complete',
      { prompt: ['one', 'two'] },
      [
        ['one', 'prompt.0'],
        ['two', 'prompt.1'],
      ],
    ],
    ['embed', { input: 'one' }, [['one', 'input']]],
    [
      'embed',
      { input: ['one', { text: 'two' }] },
      [
        ['one', 'input.0'],
        ['two', 'input.1.text'],
      ],
    ],
    ['embed', { input: [{ content: [{ type: 'text', text: 'three' }] }] }, [['three', 'input.0.content.0.text']]],
    ['embed', { input: { text: 'one' } }, [['one', 'input.text']]],
    [
      'embed',
      {
        input: [
          { text: 'one', image: { text: 'two', url: 'https://i/1' } },
          { image: 'three', video: 'https://v/1', audio: { base64: 'AAAA', mime_type: 'audio/wav' } },
          { image: `data:image/png;base64,AAAA`, video: [{ url: 'gs://b/1' }, 'file-1'] },
        ],
      },
      [
        ['one', 'input.0.text'],
        ['two', 'input.0.image.text'],
        ['three', 'input.1.image'],
      ],
    ],
    [
      'rerank',
      { query: 'q', documents: ['d', { title: 't', text: 'u', year: 1 }] },
      [
        ['q', 'query'],
        ['d', 'documents.0'],
        ['t', 'documents.1.title'],
        ['u', 'documents.1.text'],
        ['1', 'documents.1.year'],
      ],
    ],
    [
      'imageGenerate',
      { prompt: 'a cat', negative_prompt: 'a dog' },
      [
        ['a cat', 'prompt'],
        ['a dog', 'negative_prompt'],
      ],
    ],
  ];
  for (const [endpoint, body, expected] of table) {
    it(`of ${endpoint} are ${expected.map(([, path]) => path).join(', ')}`, () => {
      assert.deepEqual(
        rows(request(endpoint, body)),
        expected.map(([text, path]) => ['user', 'text', 0, text, path]),
      );
    });
  }

  it('cannot be read from token ids', () => {
    for (const body of [{ input: [1, 2] }, { input: [[1, 2], 'x'] }])
      assert.match(String(request('embed', body).unreadable[0]), /token ids/);
    assert.match(String(request('complete', { prompt: [[1]] }).unreadable[0]), /prompt holds token ids/);
    assert.deepEqual(request('embed', { input: ['x'] }).unreadable, []);
  });
});

describe('the texts of a reply', () => {
  it('in the chat format are those of every choice', () => {
    const reading = readReply('chatComplete', {
      choices: [
        {
          message: {
            role: 'assistant',
            content: 'one',
            reasoning_content: 'hm',
            audio: { id: 'a', transcript: 'spoken' },
          },
        },
        {
          message: { role: 'assistant', content: null, refusal: 'no', tool_calls: [{ function: { arguments: '{}' } }] },
        },
        { message: { content: 'two', content_blocks: [{ type: 'thinking', thinking: 'so' }] } },
      ],
    });
    assert.deepEqual(
      rows(reading).map(([, kind, choice, text]) => [kind, choice, text]),
      [
        ['text', 0, 'one'],
        ['thinking', 0, 'hm'],
        ['text', 0, 'spoken'],
        ['tool-arguments', 1, '{}'],
        ['refusal', 1, 'no'],
        ['text', 2, 'two'],
        ['thinking', 2, 'so'],
      ],
    );
  });

  const members = { citations: [{ id: 'beside' }], model: 'm', usage: { note: 'n' } };
  const unknown: readonly [Endpoint, DialectName, JsonObject][] = [
    ['complete', 'completions', { choices: [{ text: 'said', new: { type: 'inside' }, finish_reason: 'stop' }] }],
    [
      'chatComplete',
      'gemini',
      {
        candidates: [{ content: { parts: [{ text: 'said' }] }, new: { type: 'inside' }, finishReason: 'STOP' }],
        usageMetadata: { note: 'n' },
        modelVersion: 'm',
      },
    ],
    [
      'chatComplete',
      'cohere',
      { message: { content: 'said', new: { type: 'inside' } }, finish_reason: 'COMPLETE', meta: { note: 'n' } },
    ],
  ];
  for (const [endpoint, dialect, reply] of unknown)
    it(`are those of unknown members too, whatever their names (${dialect})`, () => {
      const found = rows(readReply(endpoint, { id: 'i', ...reply, ...members }, dialect));
      assert.deepEqual(
        found.map(([, kind, index, text]) => [kind, index, text]),
        [
          ['text', 0, 'said'],
          ['text', 0, 'inside'],
          ['text', -1, 'beside'],
        ],
      );
      assert.ok(String(found[1]?.[4]).endsWith('new.type'));
      assert.equal(found[2]?.[4], 'citations.0.id');
    });

  const beside: readonly [Endpoint, JsonObject][] = [
    [
      'messages',
      {
        content: [{ type: 'text', text: 'said' }],
        stop_reason: 'end_turn',
        container: { id: 'c', expires_at: '2026-01-01T00:00:00Z' },
      },
    ],
    [
      'createModelResponse',
      {
        output: [{ type: 'message', content: [{ type: 'output_text', text: 'said' }] }],
        status: 'completed',
        instructions: 'as asked',
        text: { format: { type: 'text' } },
      },
    ],
  ];
  for (const [endpoint, reply] of beside)
    it(`are those of unknown members beside the answer too (${endpoint})`, () => {
      assert.deepEqual(
        rows(readReply(endpoint, { id: 'i', ...reply, ...members })).map(([, , index, text]) => [index, text]),
        [
          [0, 'said'],
          [-1, 'beside'],
        ],
      );
    });

  it('in the chat format are those of unknown members too, where they stand', () => {
    const reply: JsonObject = {
      id: 'chatcmpl-1',
      object: 'chat.completion',
      created: 1,
      model: 'm',
      provider: 'p',
      usage: { note: 'n' },
      service_tier: 'default',
      system_fingerprint: 'fp',
      prompt_filter_results: [{ content_filter_results: { hate: { severity: 'safe' } } }],
      citations: ['cited'],
      search_results: [{ title: 'found', url: 'https://a.example/' }],
      choices: [
        {
          index: 0,
          finish_reason: 'stop',
          native_finish_reason: 'end',
          logprobs: { content: [{ token: 'one' }] },
          content_filter_results: { hate: { severity: 'safe' } },
          message: {
            content: 'one',
            tool_calls: [
              { id: 'a', type: 'function', function: { name: 'f', arguments: '{}', more: 'two' }, new: ['three'] },
            ],
          },
          grounding: { note: 'four' },
        },
        { text: 'five', message: 'six' },
      ],
    };
    assert.deepEqual(rows(readReply('chatComplete', reply)), [
      ['assistant', 'text', 0, 'one', 'choices.0.message.content'],
      ['assistant', 'tool-arguments', 0, '{}', 'choices.0.message.tool_calls.0.function.arguments'],
      ['assistant', 'tool-arguments', 0, 'two', 'choices.0.message.tool_calls.0.function.more'],
      ['assistant', 'tool-arguments', 0, 'three', 'choices.0.message.tool_calls.0.new.0'],
      ['assistant', 'text', 0, 'four', 'choices.0.grounding.note'],
      ['assistant', 'text', 1, 'six', 'choices.1.message'],
      ['assistant', 'text', 1, 'five', 'choices.1.text'],
      ['assistant', 'text', -1, 'cited', 'citations.0'],
      ['assistant', 'text', -1, 'found', 'search_results.0.title'],
      ['assistant', 'text', -1, 'https://a.example/', 'search_results.0.url'],
    ]);
  });

  it('in the completions format are those of every choice', () => {
    const reading = readReply('complete', { choices: [{ text: 'one' }, { text: 'two' }] });
    assert.deepEqual(rows(reading), [
      ['assistant', 'text', 0, 'one', 'choices.0.text'],
      ['assistant', 'text', 1, 'two', 'choices.1.text'],
    ]);
  });

  it('in the messages format are those of every block', () => {
    const reading = readReply('messages', {
      content: [
        { type: 'thinking', thinking: 'hm' },
        { type: 'text', text: 'one' },
        { type: 'tool_use', input: { a: 1 } },
      ],
    });
    assert.deepEqual(
      rows(reading).map(([, kind, choice, text]) => [kind, choice, text]),
      [
        ['thinking', 0, 'hm'],
        ['text', 0, 'one'],
        ['tool-arguments', 0, '{"a":1}'],
      ],
    );
  });

  it('in the responses format are those of every item, stored or new', () => {
    const reply = {
      output: [
        { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'one' }] },
        { type: 'function_call', arguments: '{"a":1}' },
      ],
    };
    for (const endpoint of ['createModelResponse', 'getModelResponse'] as const)
      assert.deepEqual(
        rows(readReply(endpoint, reply)).map(([, kind, choice, text]) => [kind, choice, text]),
        [
          ['text', 0, 'one'],
          ['tool-arguments', 0, '{"a":1}'],
        ],
      );
  });

  it('in a list of stored items are those of each', () => {
    const reading = readReply('listResponseInputItems', {
      data: [{ role: 'user', content: [{ type: 'input_text', text: 'q' }] }],
    });
    assert.deepEqual(rows(reading), [['user', 'text', 0, 'q', 'data.0.content.0.text']]);
  });

  it('of images are what their prompts have become', () => {
    const reply = { created: 1, data: [{ url: 'https://i/1' }, { b64_json: 'AAAA', revised_prompt: 'a cat' }] };
    for (const endpoint of ['imageGenerate', 'imageEdit', 'imageVariation'] as const)
      assert.deepEqual(rows(readReply(endpoint, reply)), [['assistant', 'text', 1, 'a cat', 'data.1.revised_prompt']]);
    assert.equal(readReply('imageGenerate', { data: [{ url: 'https://i/1' }] }).bearsText, false);
    assert.equal(readReply('imageGenerate', undefined).bearsText, false);
  });

  it('cannot be read where it is no JSON object', () => {
    for (const endpoint of ['chatComplete', 'messages', 'createModelResponse'] as const)
      assert.match(String(readReply(endpoint, undefined).unreadable[0]), /no JSON object/);
  });
});

describe('a route', () => {
  it('without texts gives nothing to look at', () => {
    for (const endpoint of ['listModels', 'deleteModelResponse', 'getModelResponse'] as const)
      assert.deepEqual([request(endpoint, {}).bearsText, request(endpoint, {}).unreadable], [false, []]);
    for (const endpoint of ['embed', 'rerank', 'imageGenerate', 'listModels', 'messagesCountTokens'] as const)
      assert.equal(readReply(endpoint, {}).bearsText, false);
  });

  it('that the gateway does not read may hold texts, but for requests without a body', () => {
    for (const reading of [request('proxy', {}), readReply('proxy', {})])
      assert.deepEqual([reading.bearsText, reading.unreadable.length], [true, 1]);
    for (const method of ['GET', 'HEAD']) assert.equal(request('proxy', {}, method).bearsText, false);
  });

  it('says what of it can be read', () => {
    assert.deepEqual([isReadable('moderate', 'request'), isReadable('moderate', 'reply')], [true, false]);
    assert.deepEqual([isReadable('proxy', 'request'), isReadable('getModelResponse', 'reply')], [false, true]);
  });
});
