import { it } from 'node:test';
import { accepts, boolean, counted, ranged, string, testFields, word } from './field-table.ts';

const base = { input: 'Hello' };
const pairs = (amount: number) => Object.fromEntries(Array.from({ length: amount }, (_, index) => [`k${index}`, 'v']));

testFields('responses', base, [
  { field: 'model', nullable: false, good: ['any'], bad: [{ value: '', says: 'a non-empty string' }] },
  {
    field: 'input',
    nullable: false,
    good: [
      '',
      [],
      [{ role: 'user', content: 'a' }],
      [{ type: 'message', role: 'assistant', id: 'm', content: [{ type: 'output_text', text: 'a', annotations: [] }] }],
      [
        {
          role: 'developer',
          content: [
            { type: 'input_text', text: 'a' },
            { type: 'input_image', file_id: 'f' },
          ],
        },
      ],
      [{ type: 'function_call', call_id: 'c', name: 'n', arguments: '{}' }],
      [{ type: 'function_call_output', call_id: 'c', output: 'a' }],
      [{ type: 'function_call_output', call_id: 'c', output: [{ type: 'input_text', text: 'a' }] }],
      [{ type: 'item_reference', id: 'i' }, { id: 'i' }, { id: 'i', type: null }],
      [{ type: 'reasoning', summary: [] }, { type: 'item_of_the_future' }],
    ],
    bad: [
      { value: 1, says: 'a string or an array of items' },
      { value: {}, says: 'a string or an array of items' },
      { value: ['a'], says: 'an object', at: 'input[0]' },
      { value: [{}], says: '"user", "assistant", "system" or "developer"', at: 'input[0].role' },
      { value: [{ type: 1 }], says: 'a string', at: 'input[0].type' },
      { value: [{ role: 'user' }], says: 'a string or an array of content parts', at: 'input[0].content' },
      { value: [{ role: 'tool', content: 'a' }], says: 'got "tool"', at: 'input[0].role' },
      { value: [{ type: 'message', content: 'a' }], says: 'is required', at: 'input[0].role' },
      {
        value: [{ role: 'user', content: [{ type: 'input_text' }] }],
        says: 'a string',
        at: 'input[0].content[0].text',
      },
      { value: [{ id: 1 }], says: 'a string', at: 'input[0].id' },
      { value: [{ type: 'function_call', name: 'n', arguments: '' }], says: 'required', at: 'input[0].call_id' },
      {
        value: [{ type: 'function_call', call_id: 'c', name: 'n', arguments: {} }],
        says: 'a string',
        at: 'input[0].arguments',
      },
      { value: [{ type: 'function_call_output', call_id: 'c' }], says: 'required', at: 'input[0].output' },
    ],
  },
  counted('max_output_tokens', 1),
  counted('max_tool_calls', undefined),
  ranged('temperature', 0, 2, false),
  ranged('top_p', 0, 1, false),
  ranged('top_logprobs', 0, 20, true),
  boolean('background'),
  boolean('store'),
  boolean('stream'),
  boolean('parallel_tool_calls'),
  string('instructions', true),
  string('previous_response_id', true),
  string('prompt_cache_key', true),
  string('user'),
  {
    field: 'safety_identifier',
    nullable: true,
    good: ['x'.repeat(128)],
    bad: [{ value: 'x'.repeat(129), says: 'at most 128 characters; got a string of 129 characters' }],
  },
  {
    field: 'conversation',
    nullable: true,
    good: ['c', { id: 'c' }],
    bad: [
      { value: {}, says: 'is required', at: 'conversation.id' },
      { value: 1, says: 'a string, an object with an id or null' },
    ],
  },
  {
    field: 'include',
    nullable: true,
    good: [[], ['reasoning.encrypted_content']],
    bad: [{ value: [1], says: 'a string', at: 'include[0]' }],
  },
  {
    field: 'metadata',
    nullable: true,
    good: [{}, pairs(16), { ['k'.repeat(64)]: 'v'.repeat(512) }],
    bad: [
      { value: pairs(17), says: 'at most 16 keys; got 17 keys' },
      { value: { ['k'.repeat(65)]: 'v' }, says: 'at most 64 characters; got a string of 65 characters' },
      { value: { key: 'v'.repeat(513) }, says: 'at most 512 characters', at: 'metadata.key' },
      { value: { 'a key': 1 }, says: 'a string', at: 'metadata["a key"]' },
      { value: [], says: 'an object' },
    ],
  },
  {
    field: 'prompt',
    nullable: true,
    good: [{ id: 'p' }, { id: 'p', version: null, variables: { city: 'x' } }],
    bad: [{ value: {}, says: 'is required', at: 'prompt.id' }],
  },
  {
    field: 'reasoning',
    nullable: true,
    good: [{}, { effort: 'high', summary: 'auto' }, { effort: null, summary: null }],
    bad: [
      { value: { summary: 'long' }, says: '"auto", "concise", "detailed" or null', at: 'reasoning.summary' },
      { value: { effort: 1 }, says: 'a string', at: 'reasoning.effort' },
    ],
  },
  word('service_tier', ['auto', 'default', 'flex', 'scale', 'priority', 'fast', 'ultrafast'], true),
  word('truncation', ['auto', 'disabled'], true),
  {
    field: 'stream_options',
    nullable: true,
    beside: { stream: true },
    good: [{}, { include_obfuscation: false }],
    bad: [{ value: { include_obfuscation: 1 }, says: 'true or false', at: 'stream_options.include_obfuscation' }],
  },
  {
    field: 'text',
    nullable: false,
    good: [
      {},
      { format: { type: 'text' }, verbosity: 'low' },
      { format: { type: 'json_object' }, verbosity: null },
      { format: { type: 'json_schema', name: 'a'.repeat(64), schema: {}, strict: null, description: 'd' } },
    ],
    bad: [
      { value: { format: { type: 'xml' } }, says: '"text", "json_object" or "json_schema"', at: 'text.format.type' },
      { value: { format: { type: 'json_schema', schema: {} } }, says: '1 to 64', at: 'text.format.name' },
      { value: { format: { type: 'json_schema', name: 'a' } }, says: 'an object', at: 'text.format.schema' },
      {
        value: { format: { type: 'json_schema', name: 'a'.repeat(65), schema: {} } },
        says: '1 to 64',
        at: 'text.format.name',
      },
      { value: { verbosity: 'huge' }, says: '"low", "medium", "high" or null', at: 'text.verbosity' },
    ],
  },
  {
    field: 'tools',
    nullable: false,
    good: [
      [],
      [{ type: 'function', name: 'a'.repeat(128), parameters: null, strict: null, description: null }],
      [{ type: 'web_search' }, { type: 'mcp', server_label: 's' }, { type: 'custom', name: 'c' }],
      [{ type: 'tool_of_the_future' }],
    ],
    bad: [
      { value: [{}], says: 'is required', at: 'tools[0].type' },
      { value: [{ type: 'function' }], says: '1 to 128', at: 'tools[0].name' },
      { value: [{ type: 'function', name: 'a'.repeat(129) }], says: '1 to 128', at: 'tools[0].name' },
      { value: [{ type: 'function', name: 'a', parameters: [] }], says: 'an object', at: 'tools[0].parameters' },
      { value: [{ type: 'mcp' }], says: 'is required', at: 'tools[0].server_label' },
    ],
  },
  {
    field: 'tool_choice',
    nullable: false,
    good: [
      'none',
      'auto',
      'required',
      { type: 'function', name: 'a' },
      { type: 'file_search' },
      { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'function', name: 'a' }] },
    ],
    bad: [
      { value: 'any', says: '"required" or an object with a type; got "any"' },
      { value: {}, says: 'is required', at: 'tool_choice.type' },
      { value: { type: 'function' }, says: 'is required', at: 'tool_choice.name' },
      { value: { type: 'allowed_tools', tools: [] }, says: '"auto" or "required"', at: 'tool_choice.mode' },
    ],
  },
]);

it('accepts fields that the schema does not name', () => accepts('responses', { ...base, moderation: 1, later: {} }));
