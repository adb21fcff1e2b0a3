import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { dialects, type GenerationDialectName, type Json, type JsonObject } from 'portcullis/sdk';

/** A request in one format as another has it, and what was lost. */
function translated(from: GenerationDialectName, to: GenerationDialectName, body: JsonObject) {
  const lost: string[] = [];
  const context = { strict: false, dropped: (field: string) => lost.push(field) };
  return { body: dialects[to].encodeCall(dialects[from].decodeCall(body, context), context), lost };
}

const chat = (more: JsonObject): JsonObject => ({ model: 'm', messages: [{ role: 'user', content: 'Hi' }], ...more });
const responses = (more: JsonObject): JsonObject => ({ model: 'm', input: 'Hi', ...more });

describe('tools of the provider, asked for by chat, as messages have them', () => {
  const cases: readonly (readonly [about: string, tool: JsonObject, expected: JsonObject])[] = [
    [
      'with settings below their type',
      { type: 'web_search_20250305', web_search_20250305: { name: 'web_search', max_uses: 5 } },
      { type: 'web_search_20250305', name: 'web_search', max_uses: 5 },
    ],
    [
      'with the version in their name',
      { type: 'web_search', web_search: { name: 'web_search_20250305', max_uses: 5 } },
      { type: 'web_search_20250305', name: 'web_search', max_uses: 5 },
    ],
    [
      'as they are there',
      { type: 'web_search_20250305', name: 'web_search', allowed_domains: ['a.example'] },
      { type: 'web_search_20250305', name: 'web_search', allowed_domains: ['a.example'] },
    ],
    [
      'a computer',
      { type: 'computer', computer: { name: 'computer_20250124', display_width_px: 1024, display_height_px: 768 } },
      { type: 'computer_20250124', name: 'computer', display_width_px: 1024, display_height_px: 768 },
    ],
    ['without a name', { type: 'bash_20250124' }, { type: 'bash_20250124', name: 'bash' }],
    ['an older editor', { type: 'text_editor_20250124' }, { type: 'text_editor_20250124', name: 'str_replace_editor' }],
    [
      'an editor',
      { type: 'text_editor_20250728', max_characters: 9 },
      { type: 'text_editor_20250728', name: 'str_replace_based_edit_tool', max_characters: 9 },
    ],
    [
      'with a mark for the cache beside it',
      { type: 'code_execution_20250825', code_execution_20250825: {}, cache_control: { type: 'ephemeral' } },
      { type: 'code_execution_20250825', name: 'code_execution', cache_control: { type: 'ephemeral' } },
    ],
    ['to fetch', { type: 'web_fetch_20250910' }, { type: 'web_fetch_20250910', name: 'web_fetch' }],
    ['a memory', { type: 'memory_20250818' }, { type: 'memory_20250818', name: 'memory' }],
  ];
  for (const [about, tool, expected] of cases) {
    it(about, () => {
      const { body, lost } = translated('chat', 'messages', chat({ tools: [tool] }));
      assert.deepEqual([body.tools, lost], [[expected], []]);
    });
  }

  it('stand beside functions, and can be chosen', () => {
    const tools = [
      { type: 'function', function: { name: 'f', parameters: { type: 'object' } } },
      { type: 'web_search_20250305', name: 'web_search' },
    ];
    const named = { type: 'function', function: { name: 'web_search' } };
    const { body } = translated('chat', 'messages', chat({ tools, tool_choice: named }));
    assert.equal((body.tools as Json[]).length, 2);
    assert.deepEqual(body.tool_choice, { type: 'tool', name: 'web_search' });
  });

  it('are lost with a word where nobody knows them, and the choice among them too', () => {
    const { body, lost } = translated(
      'chat',
      'messages',
      chat({ tools: [{ type: 'x', x: {} }], tool_choice: 'required' }),
    );
    assert.deepEqual([body.tools, body.tool_choice, lost], [undefined, undefined, ['tools', 'tool_choice']]);
    const back = translated('messages', 'chat', {
      ...chat({ max_tokens: 9 }),
      tools: [{ type: 'web_search_20250305', name: 'web_search' }],
      tool_choice: { type: 'any', disable_parallel_tool_use: true },
    });
    assert.deepEqual(back.lost, ['tools', 'tool_choice', 'parallel_tool_calls']);
  });
});

describe('tools of the provider, asked for by responses, as messages have them', () => {
  it('are the search, with what both can say of it', () => {
    const { body, lost } = translated(
      'responses',
      'messages',
      responses({
        tools: [
          {
            type: 'web_search',
            filters: { allowed_domains: ['a.example'] },
            user_location: { type: 'approximate', city: 'Ulm' },
            search_context_size: 'low',
          },
        ],
        tool_choice: { type: 'web_search' },
      }),
    );
    assert.deepEqual(body.tools, [
      {
        type: 'web_search_20250305',
        name: 'web_search',
        allowed_domains: ['a.example'],
        user_location: { type: 'approximate', city: 'Ulm' },
      },
    ]);
    assert.deepEqual(body.tool_choice, { type: 'tool', name: 'web_search' });
    assert.deepEqual(lost, ['tools.search_context_size']);
  });

  it('are no others', () => {
    const tools = [{ type: 'file_search', vector_store_ids: ['vs_1'] }];
    const { body, lost } = translated(
      'responses',
      'messages',
      responses({ tools, tool_choice: { type: 'file_search' } }),
    );
    assert.deepEqual([body.tools, lost], [undefined, ['tools', 'tool_choice']]);
  });
});

describe('the budget of thinking, in chat', () => {
  it('is read by either word, and what is beside it is not lost without one', () => {
    const asked = (thinking: JsonObject) => translated('chat', 'messages', chat({ max_tokens: 4096, thinking }));
    for (const word of ['budget_tokens', 'token_budget'])
      assert.deepEqual(asked({ type: 'enabled', [word]: 2000 }).body.thinking, {
        type: 'enabled',
        budget_tokens: 2000,
      });
    assert.deepEqual(asked({ type: 'enabled', budget_tokens: 2000, depth: 3 }).lost, ['thinking.depth']);
  });
});
