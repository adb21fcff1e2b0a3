import { type FieldCase, testFields } from './field-table.ts';

const call = { id: 'call_1', type: 'function', function: { name: 'find', arguments: '{}' } };
const parts = [{ type: 'text', text: 'a' }];

const good = [
  { role: 'system', content: 'a' },
  { role: 'developer', content: parts, name: 'n' },
  { role: 'user', content: '' },
  { role: 'user', content: [] },
  { role: 'user', content: [...parts, { type: 'image_url', image_url: { url: 'https://x/', detail: 'low' } }] },
  { role: 'user', content: [{ type: 'image_url', image_url: 'https://x/' }] },
  { role: 'user', content: [{ type: 'input_audio', input_audio: { data: 'AA==', format: 'wav' } }] },
  { role: 'user', content: [{ type: 'file', file: { file_id: 'f' } }] },
  { role: 'user', content: [{ type: 'video_url', video_url: 1 }], cache_control: { type: 'ephemeral' } },
  { role: 'assistant' },
  { role: 'assistant', content: null, tool_calls: [call] },
  { role: 'assistant', content: [{ type: 'refusal', refusal: 'no' }], refusal: null, tool_calls: null, audio: null },
  { role: 'assistant', content: null, function_call: { name: 'find', arguments: '{}' } },
  { role: 'assistant', content: 'a', content_blocks: [{ type: 'thinking', thinking: 't' }], audio: { id: 'a' } },
  { role: 'assistant', tool_calls: [{ id: 'c', type: 'custom', custom: { name: 'n', input: '' } }] },
  { role: 'tool', content: 'a', tool_call_id: 'call_1' },
  { role: 'tool', content: parts, tool_call_id: 'call_1' },
  { role: 'function', name: 'find', content: 'a' },
  { role: 'function', name: 'find', content: null },
];

const messages: FieldCase = {
  field: 'messages',
  nullable: false,
  good: [...good.map((message) => [message]), good],
  bad: [
    { value: [], says: 'at least 1 message; got an empty array' },
    { value: 'Hello', says: 'an array of at least 1 message; got a string' },
    { value: { role: 'user', content: 'a' }, says: 'an array' },
    { value: ['a'], says: 'an object', at: 'messages[0]' },
    { value: [null], says: 'an object; got null', at: 'messages[0]' },
    { value: [{ content: 'a' }], says: 'is required: "system"', at: 'messages[0].role' },
    { value: [{ role: 'model', content: 'a' }], says: '"function"; got "model"', at: 'messages[0].role' },
    { value: [{ role: 1, content: 'a' }], says: 'got 1', at: 'messages[0].role' },
    ...['system', 'developer', 'user'].flatMap((role) => [
      { value: [{ role }], says: 'is required: a string or an array', at: 'messages[0].content' },
      { value: [{ role, content: null }], says: 'got null', at: 'messages[0].content' },
      { value: [{ role, content: {} }], says: 'a string or an array of content parts', at: 'messages[0].content' },
      { value: [{ role, content: 'a', name: 1 }], says: 'a string', at: 'messages[0].name' },
      { value: [{ role, content: ['a'] }], says: 'an object', at: 'messages[0].content[0]' },
      { value: [{ role, content: [{ text: 'a' }] }], says: 'is required', at: 'messages[0].content[0].type' },
      { value: [{ role, content: [{ type: 'text' }] }], says: 'is required', at: 'messages[0].content[0].text' },
    ]),
    {
      value: [...good, { role: 'user', content: [...parts, { type: 'image_url', image_url: {} }] }],
      says: 'is required: a string',
      at: `messages[${good.length}].content[1].image_url.url`,
    },
    {
      value: [{ role: 'user', content: [{ type: 'input_audio', input_audio: { data: 'a' } }] }],
      says: 'is required',
      at: 'messages[0].content[0].input_audio.format',
    },
    { value: [{ role: 'assistant', content: 1 }], says: 'or null; got 1', at: 'messages[0].content' },
    { value: [{ role: 'assistant', tool_calls: {} }], says: 'an array', at: 'messages[0].tool_calls' },
    {
      value: [{ role: 'assistant', tool_calls: [{ ...call, type: 'x' }] }],
      says: '"function" or "custom"; got "x"',
      at: 'messages[0].tool_calls[0].type',
    },
    {
      value: [{ role: 'assistant', tool_calls: [call, { type: 'function', function: call.function }] }],
      says: 'is required: a string',
      at: 'messages[0].tool_calls[1].id',
    },
    {
      value: [{ role: 'assistant', tool_calls: [{ ...call, function: { name: 'a', arguments: {} } }] }],
      says: 'a string; got an object',
      at: 'messages[0].tool_calls[0].function.arguments',
    },
    { value: [{ role: 'assistant', function_call: {} }], says: 'is required', at: 'messages[0].function_call.name' },
    { value: [{ role: 'tool', content: 'a' }], says: 'is required: a string', at: 'messages[0].tool_call_id' },
    { value: [{ role: 'tool', tool_call_id: 'a' }], says: 'is required', at: 'messages[0].content' },
    { value: [{ role: 'tool', tool_call_id: 1, content: 'a' }], says: 'a string', at: 'messages[0].tool_call_id' },
    { value: [{ role: 'function', content: 'a' }], says: 'is required: a string', at: 'messages[0].name' },
    { value: [{ role: 'function', name: 'a' }], says: 'a string or null', at: 'messages[0].content' },
    { value: [{ role: 'function', name: 'a', content: [] }], says: 'a string or null', at: 'messages[0].content' },
  ],
};

testFields('chat', {}, [messages]);
