import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { DialectName, Endpoint, JsonObject } from 'portcullis/sdk';
import { patched } from '../../../plugins/guardrails/scan/patch.ts';
import { readRequest } from '../../../plugins/guardrails/scan/read.ts';
import { scanRequest } from '../../../plugins/guardrails/scan/scan.ts';
import { exchangeOf } from '../../support/exchange.ts';

const read = (endpoint: Endpoint, body: JsonObject, dialect?: DialectName) =>
  readRequest(exchangeOf({ endpoint, ...(dialect === undefined ? {} : { dialect }) }), body);

const schema = {
  type: 'object',
  title: 't',
  required: ['q'],
  properties: {
    q: { type: 'string', description: 'a', enum: ['b', 5], pattern: 'p' },
    description: { $ref: '#/$defs/r', default: { deep: ['c'] } },
    id: { type: 'array', items: { type: 'string', description: 'd' } },
  },
  $defs: { r: { const: 'e' } },
};
const inSchema = ['t', 'a', 'b', '5', 'c', 'd', 'e'];

describe('what a request says in schemas', () => {
  const table: readonly [string, Endpoint, JsonObject, readonly string[], DialectName?][] = [
    [
      'the parameters of a function',
      'chatComplete',
      { tools: [{ type: 'function', function: { name: 'f', description: 'x', parameters: schema } }] },
      ['x', ...inSchema],
    ],
    ['an older function', 'chatComplete', { functions: [{ name: 'f', parameters: schema }] }, inSchema],
    [
      'the form of an answer',
      'chatComplete',
      { response_format: { type: 'json_schema', json_schema: { name: 'n', description: 'x', schema } } },
      ['x', ...inSchema],
    ],
    [
      'a grammar',
      'chatComplete',
      { tools: [{ type: 'custom', custom: { name: 'n', format: { grammar: { syntax: 'lark', definition: 'a' } } } }] },
      ['a'],
    ],
    [
      'a tool and its examples',
      'messages',
      { tools: [{ name: 'f', input_schema: schema, input_examples: [{ id: 'x', n: 6 }] }] },
      [...inSchema, 'x', '6'],
    ],
    ['the form of an answer', 'messages', { output_config: { format: { type: 'json_schema', schema } } }, inSchema],
    ['a function', 'createModelResponse', { tools: [{ type: 'function', name: 'f', parameters: schema }] }, inSchema],
    [
      'tools in a namespace, and of a server, but none of its secrets',
      'createModelResponse',
      {
        tools: [
          { type: 'namespace', name: 'n', tools: [{ type: 'function', name: 'f', description: 'a' }] },
          { type: 'mcp', server_description: 'b', authorization: 's', headers: { key: 's' } },
        ],
      },
      ['a', 'b'],
    ],
    ['the form of an answer', 'createModelResponse', { text: { format: { name: 'n', schema } } }, inSchema],
    [
      'a function and the form of an answer',
      'chatComplete',
      {
        tools: { functionDeclarations: [{ name: 'f', description: 'x', parameters: { description: 'y' } }] },
        generationConfig: { responseSchema: schema, stopSequences: ['s'] },
      },
      ['x', 'y', ...inSchema],
      'gemini',
    ],
  ];
  for (const [what, endpoint, body, expected, dialect] of table) {
    it(`is read from ${what} (${dialect ?? endpoint})`, () => {
      const { fragments } = read(endpoint, body, dialect);
      assert.deepEqual(
        fragments.map(({ role, message, text }) => [role, message, text]),
        expected.map((text) => ['system', -1, text]),
      );
    });
  }

  it('cannot be read where it is nested too deeply', () => {
    const deep = JSON.parse(`${'{"a":'.repeat(100)}"x"${'}'.repeat(100)}`) as JsonObject;
    const reading = read('chatComplete', { tools: [deep] });
    scanRequest(reading, 'last_message', false);
    assert.deepEqual(reading.unreadable, []);
    scanRequest(reading, 'all_messages', false);
    assert.match(String(reading.unreadable[0]), /deep/);
  });
});

describe('members of a request that its format does not know', () => {
  const table: readonly [Endpoint, JsonObject, JsonObject, readonly string[], DialectName?][] = [
    [
      'chatComplete',
      { messages: [{ role: 'user', content: 'x' }], tools: [], stop: 'y', metadata: { a: 'y' }, user: 'y' },
      {
        system: 'a',
        prompt: 'b',
        suffix: ['c'],
        chat_template: 'd',
        web_search_options: { user_location: { approximate: { city: 'e' } } },
        format: 'f',
        text: 'g',
        top_a: 5,
      },
      ['a', 'b', 'c', 'd', 'e', 'f', 'g'],
    ],
    ['complete', { prompt: 'x', stop: ['y'] }, { system: 'a', response_format: { value: 'b' } }, ['a', 'b']],
    [
      'embed',
      { input: ['x'], encoding_format: 'float' },
      { instruction: 'a', prompt: { text: 'b' }, title: 'c' },
      ['a', 'b', 'c'],
    ],
    [
      'messages',
      {
        messages: [{ role: 'user', content: 'x' }],
        stop_sequences: ['y'],
        container: { id: 'y', skills: [{ type: 'y', skill_id: 'y' }] },
        mcp_servers: [{ type: 'url', name: 'y', url: 'https://a.example/', authorization_token: 's' }],
        anthropic_version: 'y',
      },
      { context_management: { edits: [{ instructions: 'a' }] }, prompt: 'b', tools_note: ['c'] },
      ['https://a.example/', 'a', 'b', 'c'],
    ],
    [
      'createModelResponse',
      { input: 'x', truncation: 'auto', include: ['y'], conversation: { id: 'y' }, previous_response_id: 'y' },
      { messages: [{ content: 'a' }], system: 'b', chat_template: 'c' },
      ['a', 'b', 'c'],
    ],
    [
      'chatComplete',
      {
        contents: [{ parts: [{ text: 'x' }] }],
        toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['y'] } },
        safety_settings: [{ category: 'y', threshold: 'y' }],
        cachedContent: 'y',
        labels: { team: 'y' },
      },
      { system: 'a', systemPrompt: { text: 'b' } },
      ['a', 'b'],
      'gemini',
    ],
  ];
  for (const [endpoint, known, unknown, expected, dialect] of table) {
    it(`are read where all is looked at, and nowhere else (${dialect ?? endpoint})`, () => {
      const reading = read(endpoint, { model: 'm', ...known, ...unknown }, dialect);
      const { texts } = scanRequest(reading, 'all_messages', false);
      assert.deepEqual(
        texts.map(({ message, text }) => [message, text]),
        [[0, 'x'], ...expected.map((text) => [-1, text])],
      );
      for (const scope of ['last_message', 'last_user_message', 'user_messages'] as const)
        assert.deepEqual(
          scanRequest(reading, scope, false).texts.map(({ text }) => text),
          ['x'],
        );
    });
  }

  it('are texts of a message where they stand in one', () => {
    const message = { role: 'user', content: 'x', note: { inside: 'a' } };
    for (const endpoint of ['chatComplete', 'messages'] as const)
      assert.deepEqual(
        read(endpoint, { messages: [message] }).said.map(({ role, text }) => [role, text]),
        ['x', 'a'].map((text) => ['user', text]),
      );
  });

  it('are read whatever names they have inside, but for what is bytes and what opens something', () => {
    const bytes = 'QUJD'.repeat(20);
    const { texts } = scanRequest(
      read('chatComplete', {
        extra_body: {
          id: 'a',
          type: 'b',
          nested: [{ format: 'c', status: { role: 'd' } }],
          signature: bytes,
          encrypted_content: 'e',
          data_sources: [{ authentication: { key: 's' }, parameters: { role_information: 'f' } }],
        },
      }),
      'all_messages',
      false,
    );
    assert.deepEqual(
      texts.map(({ text }) => text),
      ['a', 'b', 'c', 'd', 'e', 'f'],
    );
  });

  it('are changed where they stand', () => {
    const body = { messages: [], system: 'a secret' };
    const reading = read('chatComplete', body);
    const edits = [{ text: 0, start: 2, end: 8, with: 'X' }];
    const given = [{ scan: scanRequest(reading, 'all_messages', false), edits }];
    const edited = patched(body, reading, given, { dialect: 'chat', part: 'request' });
    assert.deepEqual(edited, { messages: [], system: 'a X' });
  });
});

describe('what a caller has named itself', () => {
  const document = { id: 'a', status: 'b', detail: { format: 'c' }, list: ['d', 5], role: null };
  const all = ['a', 'b', 'c', 'd', '5'];
  const texts = (endpoint: Endpoint, body: JsonObject) => read(endpoint, body).fragments.map(({ text }) => text);

  it('is read whatever its name, in documents', () => {
    assert.deepEqual(texts('rerank', { documents: [document] }), all);
    assert.deepEqual(texts('chatComplete', { documents: [{ data: document }] }), all);
    const content = [{ type: 'document', document: { id: 'i', data: document } }];
    assert.deepEqual(texts('chatComplete', { messages: [{ role: 'tool', content }] }), all);
  });

  it('is read whatever its name, in variables of a prompt', () => {
    const variables = { status: 'a', id: { type: 'input_text', text: 'b' }, file_data: 'c'.repeat(80) };
    assert.deepEqual(texts('createModelResponse', { prompt: { id: 'p', variables } }), ['a', 'b', 'c'.repeat(80)]);
  });

  it('is changed where it stands, a number too', () => {
    const body = { documents: [{ card: 4111 }] };
    const reading = read('rerank', body);
    const edits = [{ text: 0, start: 0, end: 4, with: '[CARD]' }];
    const given = [{ scan: scanRequest(reading, 'last_message', false), edits }];
    const edited = patched(body, reading, given, { dialect: undefined, part: 'request' });
    assert.deepEqual(edited, { documents: [{ card: '[CARD]' }] });
  });
});

/** The body with every text of it edited that can be. */
function masked(endpoint: Endpoint, body: JsonObject, dialect: DialectName): JsonObject {
  const scan = scanRequest(read(endpoint, body, dialect), 'all_messages', false);
  const edits = scan.texts.map(({ text }, index) => ({ text: index, start: 0, end: text.length, with: 'X' }));
  return patched(body, read(endpoint, body, dialect), [{ scan, edits }], { dialect, part: 'request' });
}

describe('what names or addresses something', () => {
  const user_location = { type: 'approximate', city: 'c', country: 'DE' };
  const server = {
    type: 'mcp',
    server_label: 'l',
    server_url: 'https://a.example/',
    authorization: 's',
    headers: { h: 's' },
  };
  const search = { type: 'web_search', filters: { allowed_domains: ['a.example'] }, user_location };
  const files = { type: 'file_search', vector_store_ids: ['vs_1'], filters: { type: 'eq', key: 'k', value: 'v' } };
  const secret = { type: 'code_interpreter', container: { network_policy: { domain_secrets: [{ value: 's' }] } } };
  const texts = (endpoint: Endpoint, body: JsonObject) => read(endpoint, body).fragments.map(({ text }) => text);

  it('is read in the settings of tools, but for what opens something', () => {
    assert.deepEqual(texts('createModelResponse', { tools: [server, search, files, secret] }), [
      ...['l', 'https://a.example/', 'a.example', 'c', 'DE', 'v'],
    ]);
    const mcp_servers = [{ type: 'url', name: 'n', url: 'https://a.example/', authorization_token: 's' }];
    const tools = [{ type: 'web_search_20250305', name: 'web_search', blocked_domains: ['b.example'], user_location }];
    assert.deepEqual(texts('messages', { mcp_servers, tools }), ['b.example', 'c', 'DE', 'https://a.example/']);
  });

  it('is read where it says more than a name, in keys and settings of any kind', () => {
    const properties = { 'A key that says it.': { type: 'A type that says it.' }, plain_name: { $ref: '#/$defs/r' } };
    const tools = [{ type: 'function', function: { name: 'f', parameters: { properties } } }];
    const messages = [{ role: 'user', content: [{ type: 'new', 'Part.!': 1 }], 'Member.!': { 'Inside.!': true } }];
    assert.deepEqual(texts('chatComplete', { messages, tools, documents: [{ 'Data.!': null }], 'Top.!': 1 }), [
      ...['Part.!', 'Member.!', 'Inside.!', 'Data.!', 'A key that says it.', 'A type that says it.', 'Top.!'],
    ]);
  });

  it('is left as it is by whoever changes texts', () => {
    const body = { input: 'i', tools: [server, search, files], extra: { 'A key.!': 'e' } };
    assert.deepEqual(masked('createModelResponse', body, 'responses'), {
      input: 'X',
      tools: [
        server,
        { ...search, user_location: { ...user_location, city: 'X', country: 'X' } },
        { ...files, filters: { ...files.filters, value: 'X' } },
      ],
      extra: { 'A key.!': 'X' },
    });
  });
});
