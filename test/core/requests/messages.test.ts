import { it } from 'node:test';
import type { RequestKind } from '../../../sdk/requests/index.ts';
import { accepts, boolean, counted, type FieldCase, ranged, string, testFields, word } from './field-table.ts';
import { filled } from './openai-tables.ts';

const base = { max_tokens: 16, messages: [{ role: 'user', content: 'Hello' }] };
const text = { type: 'text', text: 'a' };
const source = { type: 'url', url: 'https://x/' };
const inputSchema = { type: 'object' };

const counts: readonly FieldCase[] = [
  {
    field: 'model',
    nullable: false,
    good: ['any'],
    bad: [{ value: '', says: 'a non-empty string' }],
  },
  {
    field: 'messages',
    nullable: false,
    good: [
      filled(3, { role: 'user', content: 'a' }),
      [{ role: 'assistant', content: [text, { type: 'redacted_thinking', data: 'x' }] }],
      [{ role: 'system', content: [text] }],
      [
        {
          role: 'user',
          content: [
            { type: 'image', source },
            { type: 'document', source, title: null },
          ],
        },
      ],
      [{ role: 'assistant', content: [{ type: 'thinking', thinking: 't', signature: 's' }] }],
      [{ role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'n', input: {} }] }],
      [{ role: 'user', content: [{ type: 'tool_result', tool_use_id: 't' }] }],
      [{ role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: [text, { type: 'later' }] }] }],
      [{ role: 'user', content: [{ type: 'block_of_the_future', x: 1 }] }],
    ],
    bad: [
      { value: [], says: '1 to 100000 messages; got an empty array' },
      { value: filled(100_001, base.messages[0] ?? null), says: 'got 100001 items' },
      { value: 'a', says: 'an array' },
      { value: [{ content: 'a' }], says: 'is required', at: 'messages[0].role' },
      {
        value: [{ role: 'tool', content: 'a' }],
        says: '"user", "assistant" or "system"; got "tool"',
        at: 'messages[0].role',
      },
      { value: [{ role: 'user' }], says: 'a string or an array of content blocks', at: 'messages[0].content' },
      { value: [{ role: 'user', content: null }], says: 'got null', at: 'messages[0].content' },
      { value: [{ role: 'user', content: ['a'] }], says: 'an object', at: 'messages[0].content[0]' },
      { value: [{ role: 'user', content: [{}] }], says: 'is required', at: 'messages[0].content[0].type' },
      { value: [{ role: 'user', content: [{ type: 'text' }] }], says: 'a string', at: 'messages[0].content[0].text' },
      {
        value: [{ role: 'user', content: [{ type: 'image' }] }],
        says: 'is required',
        at: 'messages[0].content[0].source',
      },
      {
        value: [{ role: 'user', content: [{ type: 'tool_result', content: 'a' }] }],
        says: 'is required',
        at: 'messages[0].content[0].tool_use_id',
      },
      {
        value: [{ role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'b', input: '{}' }] }],
        says: 'an object',
        at: 'messages[0].content[0].input',
      },
      {
        value: [{ role: 'user', content: [{ ...text, cache_control: { type: 'ephemeral', ttl: '2h' } }] }],
        says: '"5m" or "1h"; got "2h"',
        at: 'messages[0].content[0].cache_control.ttl',
      },
    ],
  },
  {
    field: 'system',
    nullable: false,
    good: ['a', [text], [{ ...text, cache_control: { type: 'ephemeral', ttl: '1h' } }]],
    bad: [
      { value: 1, says: 'a string or an array of text blocks' },
      { value: [{ type: 'image', source }], says: '"text"; got "image"', at: 'system[0].type' },
      { value: [{ type: 'text' }], says: 'is required', at: 'system[0].text' },
    ],
  },
  {
    field: 'tools',
    nullable: false,
    good: [
      [],
      [{ name: 'a', input_schema: inputSchema }],
      [{ type: 'custom', name: 'a'.repeat(128), input_schema: inputSchema, strict: true }],
      [{ type: null, name: 'a', input_schema: inputSchema }],
      [{ type: 'web_search_20260318', name: 'web_search' }, { type: 'browser_toolset_20260801' }],
    ],
    bad: [
      { value: {}, says: 'an array' },
      { value: [1], says: 'an object', at: 'tools[0]' },
      { value: [{ input_schema: inputSchema }], says: '1 to 128 characters', at: 'tools[0].name' },
      { value: [{ name: '', input_schema: inputSchema }], says: '1 to 128 characters', at: 'tools[0].name' },
      {
        value: [{ name: 'a'.repeat(129), input_schema: inputSchema }],
        says: '1 to 128 characters; got a string of 129 characters',
        at: 'tools[0].name',
      },
      { value: [{ name: 'a' }], says: 'an object', at: 'tools[0].input_schema' },
      { value: [{ type: 'custom', name: 'a', input_schema: 1 }], says: 'an object', at: 'tools[0].input_schema' },
      { value: [{ type: 1, name: 'a' }], says: 'a string', at: 'tools[0].type' },
    ],
  },
  {
    field: 'tool_choice',
    nullable: false,
    good: [{ type: 'auto' }, { type: 'any', disable_parallel_tool_use: true }, { type: 'none' }],
    bad: [
      { value: 'auto', says: 'an object' },
      { value: { type: 'required' }, says: '"auto", "any", "tool" or "none"; got "required"', at: 'tool_choice.type' },
      { value: { type: 'tool' }, says: 'is required', at: 'tool_choice.name' },
      {
        value: { type: 'any', disable_parallel_tool_use: 1 },
        says: 'true or false',
        at: 'tool_choice.disable_parallel_tool_use',
      },
    ],
  },
  {
    field: 'thinking',
    nullable: false,
    good: [{ type: 'enabled', budget_tokens: 1024 }, { type: 'disabled' }, { type: 'adaptive', display: 'omitted' }],
    bad: [
      { value: { type: 'enabled' }, says: 'at least 1024', at: 'thinking.budget_tokens' },
      {
        value: { type: 'enabled', budget_tokens: 1023 },
        says: 'at least 1024; got 1023',
        at: 'thinking.budget_tokens',
      },
      { value: { type: 'on' }, says: '"enabled"', at: 'thinking.type' },
    ],
  },
  {
    field: 'cache_control',
    nullable: true,
    good: [{ type: 'ephemeral' }, { type: 'ephemeral', ttl: '5m' }],
    bad: [{ value: { type: 'persistent' }, says: '"ephemeral"', at: 'cache_control.type' }],
  },
  {
    field: 'output_config',
    nullable: false,
    good: [{}, { effort: 'high' }, { effort: null, format: { type: 'json_schema', schema: {} } }],
    bad: [
      { value: { format: { type: 'json_schema' } }, says: 'an object', at: 'output_config.format.schema' },
      { value: { effort: 1 }, says: 'a string', at: 'output_config.effort' },
    ],
  },
  word('speed', ['standard', 'fast'], true),
];

testFields('messages', base, counts);
testFields('count_tokens', { messages: base.messages }, counts);
testFields('messages', base, [
  counted('max_tokens', 0, false),
  ranged('temperature', 0, 1, false, false),
  ranged('top_p', 0, 1, false, false),
  counted('top_k', 0, false),
  {
    field: 'stop_sequences',
    nullable: false,
    good: [[], filled(9, 'x')],
    bad: [
      { value: 'x', says: 'an array' },
      { value: [1], says: 'a string', at: 'stop_sequences[0]' },
    ],
  },
  boolean('stream', false),
  {
    field: 'metadata',
    nullable: false,
    good: [{}, { user_id: 'a' }, { user_id: null }],
    bad: [
      { value: { user_id: 1 }, says: 'a string or null', at: 'metadata.user_id' },
      { value: 'x', says: 'an object' },
    ],
  },
  word('service_tier', ['auto', 'standard_only']),
  { field: 'container', nullable: true, good: ['c', { id: 'c' }], bad: [{ value: 1, says: 'a string, an object' }] },
  string('inference_geo', true),
]);

it('accepts fields that the schemas do not name', () => {
  for (const kind of ['messages', 'count_tokens'] satisfies RequestKind[]) {
    accepts(kind, { ...base, mcp_servers: [{}], context_management: { edits: [] }, later: null });
  }
});
