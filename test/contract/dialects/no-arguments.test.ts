import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { dialects } from 'portcullis/sdk';
import type { Completion, Delta } from '../../../sdk/dialects/neutral.ts';
import { asObject, asObjects, asString, type JsonObject, parseJson } from '../../../sdk/json.ts';
import { contextOf, encodeDeltas, framesOfText, frozen } from './codec.ts';

/** Some providers write nothing at all where a call takes no arguments. */
const completion: Completion = frozen({
  id: 'x',
  model: 'm',
  choices: [
    {
      index: 0,
      finish: 'tool_calls',
      parts: [
        { type: 'tool-call', id: 'a', name: 'now', arguments: '' },
        { type: 'tool-call', id: 'b', name: 'f', arguments: '{"x":1}' },
        { type: 'tool-call', id: 'c', name: 'say', arguments: '', custom: true },
      ],
    },
  ],
});
const place = { choice: 0 } as const;
const streamed = (reason: 'tool_calls' | 'length'): readonly Delta[] => [
  { type: 'start', id: 'x', model: 'm' },
  { type: 'tool-call', ...place, block: 0, id: 'a', name: 'now' },
  { type: 'tool-call', ...place, block: 1, id: 'b', name: 'f' },
  { type: 'tool-arguments', ...place, block: 1, text: '{"x":1}' },
  { type: 'tool-call', ...place, block: 2, id: 'c', name: 'say', custom: true },
  { type: 'finish', ...place, reason },
  { type: 'end' },
];

function eventsOf(name: 'chat' | 'responses', reason: 'tool_calls' | 'length', request?: JsonObject): JsonObject[] {
  const text = encodeDeltas(dialects[name], streamed(reason), contextOf(true, request));
  return framesOfText(text).map(({ data }) => asObject(parseJson(data)) ?? {});
}

function chatDeltas(reason: 'tool_calls' | 'length', request?: JsonObject): JsonObject[] {
  return eventsOf('chat', reason, request).map((chunk) => asObject(asObjects(chunk.choices)[0]?.delta) ?? {});
}

/** What a client gathers, by the place of the call. */
function gathered(deltas: readonly JsonObject[]): readonly string[] {
  const texts: string[] = [];
  for (const call of deltas.flatMap(({ tool_calls }) => asObjects(tool_calls))) {
    const { function: called, custom } = call;
    const text = asString(asObject(called)?.arguments) ?? asString(asObject(custom)?.input) ?? '';
    texts[Number(call.index)] = (texts[Number(call.index)] ?? '') + text;
  }
  return texts;
}

describe('a call without arguments', () => {
  it('has an empty object of them in a chat completion', () => {
    const reply = dialects.chat.encodeReply(completion, contextOf(true));
    const calls = asObjects(asObject(asObjects(reply.choices)[0]?.message)?.tool_calls);
    const texts = calls.map(({ function: called, custom }) => asObject(called)?.arguments ?? asObject(custom)?.input);
    assert.deepEqual(texts, ['{}', '{"x":1}', '']);
  });

  it('has one in a stream of chat, unless the answer was cut off', () => {
    assert.deepEqual(gathered(chatDeltas('tool_calls')), ['{}', '{"x":1}', '']);
    assert.deepEqual(gathered(chatDeltas('length')), ['', '{"x":1}', '']);
  });

  it('has one for clients of functions', () => {
    const request = { model: 'm', messages: [], functions: [{ name: 'now' }] };
    const texts = chatDeltas('tool_calls', request).flatMap(({ function_call }) => {
      return asString(asObject(function_call)?.arguments) ?? [];
    });
    assert.equal(texts.join(''), '{}');
  });

  it('has one in a response, whole and streamed', () => {
    const reply = dialects.responses.encodeReply(completion, contextOf(true));
    const textsOf = (response: JsonObject) => asObjects(response.output).map((item) => item.arguments ?? item.input);
    assert.deepEqual(textsOf(reply), ['{}', '{"x":1}', '']);
    const events = eventsOf('responses', 'tool_calls');
    assert.deepEqual(textsOf(asObject(events.at(-1)?.response) ?? {}), ['{}', '{"x":1}', '']);
    const said = events.filter(({ type, output_index }) => output_index === 0 && String(type).includes('arguments'));
    assert.deepEqual(
      said.map(({ delta, arguments: text }) => delta ?? text),
      ['{}', '{}'],
    );
  });
});
