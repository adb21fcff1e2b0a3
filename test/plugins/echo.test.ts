import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { asObject, asObjects, type JsonObject, parseJson } from 'portcullis/sdk';
import { readModelName } from '../../providers/echo/model-name.ts';
import { ask, chat, choices, jsonOf, messages, textOf } from './ask-echo.ts';

const weather = {
  type: 'function',
  function: {
    name: 'get_weather',
    parameters: {
      type: 'object',
      properties: {
        city: { type: 'string' },
        days: { type: 'integer' },
        unit: { enum: ['c', 'f'] },
        note: { type: 'string' },
      },
      required: ['city', 'days', 'unit'],
    },
  },
};

describe('the model names of the echo', () => {
  const read: readonly (readonly [string, unknown])[] = [
    ['echo', {}],
    ['gpt-anything', {}],
    ['echo-status-429', { status: 429 }],
    ['echo-delay-50+tools', { delay: 50, tools: 1 }],
    ['echo-chunk-delay-20+think+tools-2', { 'chunk-delay': 20, think: 1, tools: 2 }],
    ['echo-large-1000', { large: 1000 }],
  ];
  for (const [model, behaviour] of read) {
    it(`reads ${model}`, () => assert.deepEqual(readModelName(model), behaviour));
  }
  for (const model of [
    'echo-foo',
    'echo-',
    'echo-status',
    'echo-status-200',
    'echo-status-600',
    'echo-tools-21',
    'echo-delay',
    'echo-think+',
    'echo-constructor',
    'echo-large-99999',
  ]) {
    it(`refuses ${model}`, () => assert.match(String(readModelName(model)), /does not exist/));
  }
  it('answers an unknown word with 404', async () => {
    const reply = await ask('/chat/completions', { model: 'echo-foo', messages });
    assert.equal(reply.status, 404);
    assert.match(await textOf(reply), /is none of status, delay/);
  });
});

describe('what the echo answers', () => {
  it('repeats the last user text, with usage of four characters a token', async () => {
    const json = await chat({
      messages: [
        { role: 'system', content: 'Be a gate.' },
        { role: 'user', content: 'One.' },
        { role: 'assistant', content: 'One.' },
        ...messages,
      ],
    });
    assert.deepEqual(
      choices(json).map(({ content, finish }) => [content, finish]),
      [['portcullis up, portcullis down', 'stop']],
    );
    assert.deepEqual(json.usage, { prompt_tokens: 12, completion_tokens: 8, total_tokens: 20 });
  });
  it('cuts at max_tokens words and says so', async () => {
    assert.deepEqual(
      choices(await chat({ max_tokens: 2 })).map(({ content, finish }) => [content, finish]),
      [['portcullis up,', 'length']],
    );
  });
  it('stops before the first stop sequence', async () => {
    assert.equal(choices(await chat({ stop: ['down', ','] }))[0]?.content, 'portcullis up');
  });
  it('gives n choices', async () => assert.equal(choices(await chat({ n: 3 })).length, 3));
  it('gives as many kB as asked for', async () => {
    assert.equal(String(choices(await chat({ model: 'echo-large-20', n: 2 }))[0]?.content).length, 20_000);
  });
  it('thinks first, with a signature, when the request asks for it', async () => {
    const json = await jsonOf('/messages', {
      model: 'echo',
      messages,
      max_tokens: 10,
      thinking: { type: 'enabled', budget_tokens: 1024 },
    });
    const [thinking, text] = asObjects(json.content);
    assert.equal(thinking?.type, 'thinking');
    assert.match(String(thinking?.signature), /^[A-Za-z0-9+/=]+$/);
    assert.equal(text?.text, 'portcullis up, portcullis down');
  });
  it('does not think when the effort is none', async () => {
    assert.equal(choices(await chat({ reasoning_effort: 'none' }))[0]?.content_blocks, undefined);
  });
});

describe('the tools of the echo', () => {
  const callsOf = async (fields: JsonObject) =>
    asObjects(choices(await chat({ tools: [weather], ...fields }))[0]?.tool_calls).map(
      (call) => asObject(call.function) ?? {},
    );
  const filled = { city: 'portcullis up, portcullis down', days: 0, unit: 'c' };

  it('calls a tool with every required field when it must', async () => {
    const [call] = await callsOf({ tool_choice: 'required' });
    assert.equal(call?.name, 'get_weather');
    assert.deepEqual(parseJson(String(call?.arguments)), filled);
  });
  it('calls the tool that is named', async () => {
    const other = { type: 'function', function: { name: 'other' } };
    const calls = await callsOf({
      tools: [weather, other],
      tool_choice: { type: 'function', function: { name: 'other' } },
    });
    assert.deepEqual(calls, [{ name: 'other', arguments: '{"echo":"portcullis up, portcullis down"}' }]);
  });
  const counts: readonly (readonly [string, JsonObject, number])[] = [
    ['no tool is called unasked', {}, 0],
    ['the model name asks for two', { model: 'echo-tools-2' }, 2],
    ['tool_choice none wins over the model name', { model: 'echo-tools', tool_choice: 'none' }, 0],
    ['without tools nothing can be called', { model: 'echo-tools', tools: [] }, 0],
    [
      'a result ends what the model name began',
      { model: 'echo-tools', messages: [...messages, { role: 'tool', tool_call_id: 'c', content: 'sunny' }] },
      0,
    ],
  ];
  for (const [name, fields, count] of counts) {
    it(`${name}: ${count}`, async () => assert.equal((await callsOf(fields)).length, count));
  }
});
