import { it } from 'node:test';
import { accepts, boolean, counted, ranged, testFields } from './field-table.ts';
import { filled, shared } from './openai-tables.ts';

const base = { messages: [{ role: 'user', content: 'Hello' }] };
const tool = { type: 'function', function: { name: 'find' } };
const letters = 'characters from a-z, A-Z, 0-9, _ and -';

testFields('chat', base, shared);
testFields('chat', base, [
  {
    field: 'logit_bias',
    nullable: true,
    good: [{}, { '50256': -100, '50257': 100 }],
    bad: [
      { value: { '50256': 101 }, says: 'an integer from -100 to 100; got 101', at: 'logit_bias.50256' },
      { value: { '50256': -101 }, says: '-100', at: 'logit_bias.50256' },
      { value: { '50256': 0.5 }, says: 'an integer', at: 'logit_bias.50256' },
      { value: [], says: 'an object' },
    ],
  },
  boolean('logprobs'),
  { ...ranged('top_logprobs', 0, 20, true), beside: { logprobs: true } },
  counted('max_tokens', undefined),
  counted('max_completion_tokens', undefined),
  {
    field: 'response_format',
    nullable: false,
    good: [
      { type: 'text' },
      { type: 'json_object' },
      { type: 'json_schema', json_schema: { name: 'a' } },
      {
        type: 'json_schema',
        json_schema: { name: 'aZ_9-'.padEnd(64, 'x'), description: 'd', schema: { type: 'object' }, strict: null },
      },
      { type: 'json_schema', json_schema: { name: 'a', strict: true, later: 1 } },
    ],
    bad: [
      { value: 'json_object', says: 'an object' },
      { value: {}, says: 'is required', at: 'response_format.type' },
      { value: { type: 'xml' }, says: '"json_schema"; got "xml"', at: 'response_format.type' },
      { value: { type: 'json_schema' }, says: 'is required', at: 'response_format.json_schema' },
      { value: { type: 'json_schema', json_schema: {} }, says: letters, at: 'response_format.json_schema.name' },
      {
        value: { type: 'json_schema', json_schema: { name: 'a'.repeat(65) } },
        says: '1 to 64',
        at: 'response_format.json_schema.name',
      },
      {
        value: { type: 'json_schema', json_schema: { name: 'a b' } },
        says: letters,
        at: 'response_format.json_schema.name',
      },
      {
        value: { type: 'json_schema', json_schema: { name: 'a', description: 1 } },
        says: 'a string',
        at: 'response_format.json_schema.description',
      },
      {
        value: { type: 'json_schema', json_schema: { name: 'a', schema: 'x' } },
        says: 'an object',
        at: 'response_format.json_schema.schema',
      },
      {
        value: { type: 'json_schema', json_schema: { name: 'a', strict: 'yes' } },
        says: 'true or false or null',
        at: 'response_format.json_schema.strict',
      },
    ],
  },
  {
    field: 'thinking',
    nullable: true,
    good: [{ type: 'disabled' }, { type: 'enabled' }, { type: 'enabled', budget_tokens: 1 }],
    bad: [
      { value: {}, says: 'is required: "enabled" or "disabled"', at: 'thinking.type' },
      { value: { type: 'on' }, says: '"enabled" or "disabled"; got "on"', at: 'thinking.type' },
      {
        value: { type: 'enabled', budget_tokens: 0 },
        says: 'an integer of at least 1; got 0',
        at: 'thinking.budget_tokens',
      },
      { value: { type: 'enabled', budget_tokens: 1.5 }, says: 'an integer', at: 'thinking.budget_tokens' },
      { value: true, says: 'an object' },
    ],
  },
  {
    field: 'tools',
    nullable: false,
    good: [
      [],
      [tool],
      filled(128, tool),
      [{ type: 'custom', custom: { name: 'x' } }],
      [{ type: 'web_search_20250305', name: 'web_search' }],
      [{ type: 'computer', computer: { name: 'computer_20250124' } }],
      [{ type: 'function', function: { name: 'x'.repeat(64), description: 'd', parameters: {}, strict: null } }],
    ],
    bad: [
      { value: filled(129, tool), says: 'at most 128 objects; got 129 items' },
      { value: {}, says: 'an array' },
      { value: ['x'], says: 'an object', at: 'tools[0]' },
      { value: [{ function: { name: 'x' } }], says: 'is required', at: 'tools[0].type' },
      { value: [{ type: 'retrieval' }], says: '"function" or "custom"; got "retrieval"', at: 'tools[0].type' },
      { value: [tool, { type: 'function' }], says: 'is required', at: 'tools[1].function' },
      { value: [{ type: 'function', function: {} }], says: '64', at: 'tools[0].function.name' },
      { value: [{ type: 'function', function: { name: '' } }], says: '1 to 64', at: 'tools[0].function.name' },
      { value: [{ type: 'function', function: { name: 'a.b' } }], says: letters, at: 'tools[0].function.name' },
      {
        value: [{ type: 'function', function: { name: 'a'.repeat(65) } }],
        says: '1 to 64',
        at: 'tools[0].function.name',
      },
      {
        value: [{ type: 'function', function: { name: 'a', parameters: [] } }],
        says: 'an object',
        at: 'tools[0].function.parameters',
      },
      { value: [{ type: 'custom', custom: {} }], says: 'is required', at: 'tools[0].custom.name' },
    ],
  },
  {
    field: 'tool_choice',
    nullable: false,
    good: [
      'none',
      'auto',
      'required',
      { type: 'function', function: { name: 'find' } },
      { type: 'custom', custom: { name: 'find' } },
      { type: 'allowed_tools', allowed_tools: { mode: 'auto', tools: [tool] } },
    ],
    bad: [
      { value: 'any', says: '"none", "auto", "required" or an object' },
      { value: 1, says: '"none", "auto", "required" or an object' },
      { value: {}, says: 'is required', at: 'tool_choice.type' },
      { value: { type: 'tool' }, says: '"function"', at: 'tool_choice.type' },
      { value: { type: 'function' }, says: 'is required', at: 'tool_choice.function' },
      { value: { type: 'function', function: {} }, says: 'is required', at: 'tool_choice.function.name' },
    ],
  },
  boolean('parallel_tool_calls', false),
  {
    field: 'function_call',
    nullable: false,
    good: ['none', 'auto', { name: 'find' }],
    bad: [
      { value: 'required', says: '"none", "auto" or an object with a name; got "required"' },
      { value: {}, says: 'is required', at: 'function_call.name' },
      { value: { name: 1 }, says: 'a string', at: 'function_call.name' },
    ],
  },
  {
    field: 'functions',
    nullable: false,
    good: [[{ name: 'find' }], filled(128, { name: 'a'.repeat(64), description: 'd', parameters: {} })],
    bad: [
      { value: [], says: '1 to 128 objects; got an empty array' },
      { value: filled(129, { name: 'a' }), says: '1 to 128 objects; got 129 items' },
      { value: [{}], says: letters, at: 'functions[0].name' },
      { value: [{ name: 'a'.repeat(65) }], says: '1 to 64', at: 'functions[0].name' },
      { value: [{ name: 'ä' }], says: letters, at: 'functions[0].name' },
      { value: [{ name: 'a', description: 1 }], says: 'a string', at: 'functions[0].description' },
      { value: [{ name: 'a', parameters: 'x' }], says: 'an object', at: 'functions[0].parameters' },
    ],
  },
]);

it('accepts fields that the table does not name', () => {
  accepts('chat', { ...base, reasoning_effort: 'high', store: true, x_later: [1, { a: null }] });
});

it('accepts a body without model, which a config may supply', () => accepts('chat', base));

it('accepts tools beside functions, and both token limits', () => {
  accepts('chat', { ...base, tools: [tool], functions: [{ name: 'find' }], max_tokens: 5, max_completion_tokens: 6 });
});
