import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createFramer, dialects, type Endpoint, type JsonObject, parseJson } from 'portcullis/sdk';
import { readReply } from '../../../plugins/guardrails/scan/read.ts';
import type { Fragment } from '../../../plugins/guardrails/scan/reading.ts';
import type { ClientDialect } from '../../../plugins/guardrails/stream/events.ts';
import { Speech } from '../../../plugins/guardrails/stream/speech.ts';
import { contextOf, pass, windows } from './windows.ts';

/** A reply as a provider gives it whole, and the events of the same reply as a stream. */
interface Reply {
  readonly endpoint: Endpoint;
  readonly whole: JsonObject;
  readonly events: readonly JsonObject[];
}

const escaped = '{"to":"\\u006aane\\u0040example.org"}';

/** What each kind of block of `messages` holds; those of tools come as one event, but for what they are called with. */
const blocks: readonly JsonObject[] = [
  { type: 'thinking', thinking: 'a thought', signature: 'c2ln' },
  { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'what is asked' } },
  {
    type: 'web_search_tool_result',
    tool_use_id: 'srvtoolu_1',
    content: [{ type: 'web_search_result', title: 'A page', url: 'https://a.example/', encrypted_content: 'ZQ==' }],
  },
  {
    type: 'mcp_tool_use',
    id: 'mcptoolu_1',
    name: 'look at this',
    server_name: 'files',
    input: { path: 'of the file' },
  },
  {
    type: 'mcp_tool_result',
    tool_use_id: 'mcptoolu_1',
    is_error: false,
    content: [{ type: 'text', text: 'what the tool gave back' }],
  },
  {
    type: 'bash_code_execution_tool_result',
    tool_use_id: 'srvtoolu_2',
    content: {
      type: 'bash_code_execution_result',
      stdout: 'what was printed',
      stderr: '',
      return_code: 0,
      content: [],
    },
  },
  {
    type: 'text',
    text: 'an answer',
    citations: [
      {
        type: 'web_search_result_location',
        url: 'https://a.example/',
        title: 'A page',
        cited_text: 'what is quoted',
        encrypted_index: 'ZQ==',
      },
    ],
  },
];

function blockEvents({ citations, ...block }: JsonObject, index: number): readonly JsonObject[] {
  const delta = (fields: JsonObject) => ({ type: 'content_block_delta', index, delta: fields });
  const opened = (start: JsonObject, ...pieces: readonly JsonObject[]) => [
    { type: 'content_block_start', index, content_block: start },
    ...pieces.map(delta),
    { type: 'content_block_stop', index },
  ];
  if (block.type === 'text')
    return opened(
      { ...block, text: '' },
      { type: 'text_delta', text: block.text ?? '' },
      ...(Array.isArray(citations) ? citations : []).map((citation) => ({ type: 'citations_delta', citation })),
    );
  if (block.type === 'thinking')
    return opened({ ...block, thinking: '' }, { type: 'thinking_delta', thinking: block.thinking ?? '' });
  if (block.input === undefined) return opened(block);
  return opened({ ...block, input: {} }, { type: 'input_json_delta', partial_json: JSON.stringify(block.input) });
}

const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'm', usage: { input_tokens: 1 } };

const stopped: JsonObject = { type: 'refusal', category: 'cyber', explanation: 'why it was refused' };

const items: readonly JsonObject[] = [
  { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'a thought' }] },
  {
    type: 'mcp_call',
    id: 'mcp_1',
    server_label: 'files',
    name: 'look',
    arguments: escaped,
    output: 'what the tool gave back',
  },
  {
    type: 'code_interpreter_call',
    id: 'ci_1',
    container_id: 'cntr_1',
    status: 'completed',
    code: 'print("what is run")',
    outputs: [{ type: 'logs', logs: 'what was printed' }],
  },
  { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search', query: 'what is asked' } },
  {
    type: 'file_search_call',
    id: 'fs_1',
    status: 'completed',
    queries: ['what is sought'],
    results: [{ text: 'found' }],
  },
  { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'send it to', status: 'completed', arguments: escaped },
  {
    type: 'message',
    id: 'msg_1',
    role: 'assistant',
    status: 'completed',
    content: [
      {
        type: 'output_text',
        text: 'an answer',
        annotations: [
          { type: 'url_citation', start_index: 0, end_index: 2, url: 'https://a.example/', title: 'A page' },
          { type: 'file_citation', index: 1, file_id: 'file-1', filename: 'the name.txt' },
        ],
      },
      { type: 'refusal', refusal: 'a refusal' },
    ],
  },
];

const response = { id: 'resp_1', object: 'response', created_at: 1, model: 'm', status: 'completed' };

const candidate: JsonObject = {
  index: 0,
  content: {
    role: 'model',
    parts: [
      { text: 'a thought', thought: true },
      { executableCode: { language: 'PYTHON', code: 'print("what is run")' } },
      { codeExecutionResult: { outcome: 'OUTCOME_OK', output: 'what was printed' } },
      { functionCall: { name: 'send it to', args: { to: 'jane@example.org' } } },
      { text: 'an answer' },
    ],
  },
  groundingMetadata: {
    webSearchQueries: ['what is asked'],
    groundingChunks: [{ web: { uri: 'https://a.example/', title: 'A page' } }],
  },
  citationMetadata: { citationSources: [{ startIndex: 0, endIndex: 2, uri: 'https://b.example/', license: 'mit' }] },
  finishReason: 'STOP',
};

const cited: JsonObject = {
  start: 0,
  end: 2,
  text: 'an',
  sources: [{ type: 'document', id: 'doc:1', document: { id: '1', title: 'A page', snippet: 'what is quoted' } }],
};

const heard: JsonObject = { id: 'audio_1', data: 'AAAA', transcript: 'what is heard', expires_at: 1 };
const annotation: JsonObject = {
  type: 'url_citation',
  url_citation: { url: 'https://a.example/', title: 'A page', start_index: 0, end_index: 2 },
};
const chunk = (index: number, delta: JsonObject, reason: string | null = null): JsonObject => ({
  id: 'chatcmpl-1',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'm',
  choices: [{ index, delta, finish_reason: reason }],
});
const called = (call: JsonObject): JsonObject => ({ id: 'call_1', type: 'function', ...call });

const replies: Readonly<Record<ClientDialect, Reply>> = {
  chat: {
    endpoint: 'chatComplete',
    whole: {
      citations: ['https://a.example/'],
      search_results: [{ title: 'A page' }],
      choices: [
        {
          index: 0,
          grounding: { id: 'of no known form' },
          message: {
            role: 'assistant',
            reasoning_content: 'a thought',
            content: 'an answer',
            annotations: [annotation],
            new_field: { inside: ['of no known form'] },
            tool_calls: [called({ function: { name: 'send', arguments: escaped } })],
          },
        },
        { index: 1, message: { role: 'assistant', content: null, refusal: 'a refusal', audio: heard } },
        {
          index: 2,
          message: {
            role: 'assistant',
            content: [{ type: 'document', title: 'of no known kind' }],
            tool_calls: [called({ type: 'custom', custom: { name: 'what is said for a name', input: escaped } })],
          },
        },
      ],
    },
    events: [
      chunk(0, { role: 'assistant', reasoning_content: 'a thought' }),
      { ...chunk(0, { content: 'an ' }), citations: ['https://a.example/'] },
      { ...chunk(0, {}), citations: ['https://a.example/'], search_results: [{ title: 'A page' }] },
      { ...chunk(0, {}), choices: [{ index: 0, delta: {}, grounding: { id: 'of no known form' } }] },
      chunk(0, { content: 'answer', annotations: [annotation], new_field: { inside: ['of no known form'] } }),
      chunk(0, { tool_calls: [called({ index: 0, function: { name: 'send', arguments: escaped.slice(0, 11) } })] }),
      chunk(0, { tool_calls: [{ index: 0, function: { arguments: escaped.slice(11) } }] }, 'tool_calls'),
      chunk(1, { refusal: 'a refusal' }),
      chunk(1, { audio: { id: 'audio_1', transcript: 'what is' } }),
      chunk(1, { audio: { id: 'audio_1', data: 'AAAA' } }),
      chunk(1, { audio: { id: 'audio_1', transcript: ' heard', expires_at: 1 } }, 'stop'),
      chunk(2, { content: [{ type: 'document', title: 'of no known kind' }] }),
      chunk(2, {
        tool_calls: [called({ index: 0, type: 'custom', custom: { name: 'what is said for a name', input: '' } })],
      }),
      chunk(2, { tool_calls: [{ index: 0, custom: { input: escaped } }] }, 'tool_calls'),
    ],
  },
  completions: {
    endpoint: 'complete',
    whole: {
      citations: ['https://a.example/'],
      choices: [{ index: 0, text: 'an answer', finish_reason: 'stop', new_field: { id: 'of no known form' } }],
    },
    events: [
      { id: 'cmpl-1', model: 'm', choices: [{ index: 0, text: 'an ', finish_reason: null }] },
      {
        id: 'cmpl-1',
        model: 'm',
        citations: ['https://a.example/'],
        choices: [{ index: 0, text: 'answer', finish_reason: 'stop', new_field: { id: 'of no known form' } }],
      },
    ],
  },
  messages: {
    endpoint: 'messages',
    whole: { ...message, content: blocks, stop_reason: 'refusal', stop_details: stopped, opening: { id: 'unknown' } },
    events: [
      { type: 'message_start', message: { ...message, content: [], stop_reason: null, opening: { id: 'unknown' } } },
      ...blocks.flatMap(blockEvents),
      {
        type: 'message_delta',
        delta: { stop_reason: 'refusal', stop_details: stopped },
        usage: { output_tokens: 1 },
      },
      { type: 'message_stop' },
    ],
  },
  responses: {
    endpoint: 'createModelResponse',
    whole: { ...response, output: items },
    events: [
      { type: 'response.created', response: { ...response, status: 'in_progress', output: [] } },
      ...items.flatMap((item, index) => [
        { type: 'response.output_item.added', output_index: index, item: { type: item.type ?? '', id: item.id ?? '' } },
        { type: 'response.output_item.done', output_index: index, item },
      ]),
      { type: 'response.completed', response: { ...response, output: items } },
    ],
  },
  gemini: {
    endpoint: 'chatComplete',
    whole: { candidates: [candidate], modelVersion: 'm', opening: { id: 'of no known form' }, closing: 'at the end' },
    events: [
      { candidates: [{ index: 0 }], modelVersion: 'm', opening: { id: 'of no known form' } },
      { candidates: [candidate], modelVersion: 'm', closing: 'at the end' },
    ],
  },
  cohere: {
    endpoint: 'chatComplete',
    whole: {
      id: 'c_1',
      finish_reason: 'COMPLETE',
      message: {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'a thought' },
          { type: 'text', text: 'an answer' },
        ],
        citations: [cited],
        tool_calls: [called({ function: { name: 'send it to', arguments: escaped } })],
      },
    },
    events: [
      { type: 'message-start', id: 'c_1', delta: { message: { role: 'assistant' } } },
      { type: 'content-start', index: 0, delta: { message: { content: { type: 'thinking', thinking: '' } } } },
      { type: 'content-delta', index: 0, delta: { message: { content: { thinking: 'a thought' } } } },
      { type: 'content-end', index: 0 },
      { type: 'content-start', index: 1, delta: { message: { content: { type: 'text', text: '' } } } },
      { type: 'content-delta', index: 1, delta: { message: { content: { text: 'an answer' } } } },
      { type: 'citation-start', index: 0, delta: { message: { citations: cited } } },
      { type: 'citation-end', index: 0 },
      { type: 'content-end', index: 1 },
      {
        type: 'tool-call-start',
        index: 0,
        delta: { message: { tool_calls: called({ function: { name: 'send it to', arguments: '' } }) } },
      },
      { type: 'tool-call-delta', index: 0, delta: { message: { tool_calls: { function: { arguments: escaped } } } } },
      { type: 'tool-call-end', index: 0 },
      { type: 'message-end', delta: { finish_reason: 'COMPLETE', usage: {} } },
    ],
  },
};

const marker = 'What no step tells.';
const content = (fields: JsonObject) => chunk(0, { content: 'an answer', ...fields });
const call = (fields: JsonObject) => chunk(0, { tool_calls: [called({ index: 0, ...fields })] });
const block = (fields: JsonObject) => ({
  type: 'content_block_start',
  index: 0,
  content_block: { type: 'text', text: '', ...fields },
});
const added = (fields: JsonObject) => ({
  type: 'content_block_delta',
  index: 0,
  delta: { type: 'text_delta', text: 'a', ...fields },
});
const of = (type: string, fields: JsonObject) => ({ type: `response.${type}`, output_index: 0, ...fields });
const output = (text: string) => [{ type: 'message', id: 'msg_1', content: [{ type: 'output_text', text }] }];
const cohere = (type: string, said: JsonObject) => ({ type, index: 0, delta: { message: said } });

/** Events in which something stands that their format has no step for. */
const untold: readonly [ClientDialect, string, readonly JsonObject[]][] = [
  ['chat', 'members of a call, in pieces', [call({ note: 'What no ' }), call({ note: 'step tells.' })]],
  ['chat', 'members of what is called', [call({ function: { name: 'f', arguments: '{}', note: { id: marker } } })]],
  ['chat', 'calls of no form', [chunk(0, { tool_calls: [marker] })]],
  ['chat', 'a part that is a bare text', [chunk(0, { content: [marker] })]],
  ['chat', 'a content beside other blocks', [content({ content: marker, content_blocks: [{ delta: { text: 'x' } }] })]],
  ['chat', 'a thought beside another one', [content({ reasoning: marker, reasoning_content: 'x' })]],
  [
    'messages',
    'a message that is not empty at its start',
    [{ type: 'message_start', message: { ...message, content: [{ type: 'text', text: marker }] } }],
  ],
  ['messages', 'members of a block', [block({ note: marker })]],
  ['messages', 'members of a piece', [block({}), added({ note: marker })]],
  ['messages', 'a piece of no known kind', [block({}), added({ type: 'new_delta', said: marker })]],
  ['messages', 'an event of no known kind', [{ type: 'new_event', said: marker }]],
  [
    'responses',
    'another text at its end',
    [
      of('output_text.delta', { delta: 'an answer' }),
      of('completed', { response: { ...response, output: output(marker) } }),
    ],
  ],
  [
    'responses',
    'another text of a part',
    [of('output_text.delta', { delta: 'an answer' }), of('output_text.done', { text: marker })],
  ],
  ['responses', 'members of the response', [of('created', { response: { ...response, note: marker } })]],
  ['responses', 'members of an item', [of('output_item.done', { item: { ...output('x')[0], note: marker } })]],
  [
    'responses',
    'an event of no known kind, in pieces',
    [of('new.delta', { delta: 'What no ' }), of('new.delta', { delta: 'step tells.' })],
  ],
  ['gemini', 'members of a content', [{ candidates: [{ content: { note: marker, parts: [] } }] }]],
  [
    'cohere',
    'members of a call',
    [cohere('tool-call-start', { tool_calls: called({ note: marker, function: { name: 'f' } }) })],
  ],
  ['cohere', 'members of a message', [cohere('content-delta', { content: { text: 'a' }, note: marker })]],
  ['cohere', 'members of an event', [{ type: 'content-end', index: 0, note: marker }]],
  ['cohere', 'an event of no known kind', [cohere('new-delta', { said: marker })]],
];

const wireOf = (name: ClientDialect, events: readonly JsonObject[]) =>
  events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('') +
  (name === 'chat' || name === 'completions' ? 'data: [DONE]\n\n' : '');

/** What is read of each kind from each speaker, each text once. */
const texts = (fragments: readonly Fragment[]) =>
  [
    ...new Set(fragments.map(({ kind, role, message: at, text }) => `${kind} ${role} ${at} ${plain(kind, text)}`)),
  ].toSorted();

/** Whatever the spaces in JSON. */
const plain = (kind: Fragment['kind'], text: string) =>
  kind === 'tool-arguments' ? JSON.stringify(parseJson(text) ?? text) : text;

describe('what a check reads of a streamed reply', () => {
  it('holds once what every chunk says again', () => {
    const speech = new Speech(dialects.chat, contextOf());
    const citations = ['a'.repeat(1024 * 1024), 'b'];
    for (let times = 0; times < 8; times += 1) speech.add({ type: 'extra', fields: { citations } });
    const { fragments, unreadable } = speech.reading();
    assert.deepEqual(
      fragments.map(({ text }) => text),
      citations,
    );
    assert.deepEqual(unreadable, []);
  });

  for (const [name, { endpoint, whole, events }] of Object.entries(replies) as [ClientDialect, Reply][]) {
    const dialect = dialects[name];
    const expected = texts(readReply(endpoint, whole, dialect.name).fragments);

    it(`is what it reads of the same reply whole, at its end: ${name}`, () => {
      const speech = new Speech(dialect, contextOf());
      const decoder = dialect.decodeStream(contextOf());
      const framer = createFramer('sse');
      for (const frame of [...framer.push(Buffer.from(wireOf(name, events))), ...framer.end()])
        speech.hear(frame.data, decoder.push(frame));
      assert.deepEqual(texts(speech.reading().fragments), expected);
    });

    it(`is what it reads of the same reply whole, in windows: ${name}`, () => {
      const seen: Fragment[] = [];
      const look = (reading: { readonly fragments: readonly Fragment[] }) => {
        seen.push(...reading.fragments);
        return pass();
      };
      const { source, client } = windows(look, { tokens: 4096 }, { dialect });
      source.push(wireOf(name, events));
      source.end();
      assert.deepEqual(texts(seen), expected);
      assert.equal(client.ended, 1);
    });
  }

  for (const [name, what, events] of untold) {
    it(`holds what no step tells, at its end: ${what} (${name})`, () => {
      const dialect = dialects[name];
      const speech = new Speech(dialect, contextOf());
      const decoder = dialect.decodeStream(contextOf());
      for (const event of events) {
        const data = JSON.stringify(event);
        speech.hear(data, decoder.push({ data }));
      }
      assert.ok(speech.reading().fragments.some(({ text }) => text === marker));
    });

    it(`holds all that goes out in windows: ${what} (${name})`, () => {
      const seen: string[] = [];
      const look = (reading: { readonly fragments: readonly Fragment[] }) => {
        seen.push(...reading.fragments.map(({ text }) => text));
        return pass();
      };
      const { source, client } = windows(look, { tokens: 4096 }, { dialect: dialects[name] });
      source.push(wireOf(name, events));
      source.end();
      assert.ok(seen.includes(marker) || !/step tells/.test(client.bytes));
    });
  }
});
