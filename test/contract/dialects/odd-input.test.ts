import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { dialects } from '../../../sdk/dialects/index.ts';
import type { Delta } from '../../../sdk/dialects/neutral.ts';
import { makerOf } from '../../../sdk/dialects/signature.ts';
import { GatewayError } from '../../../sdk/errors.ts';
import type { Frame } from '../../../sdk/framing/framing.ts';
import type { JsonObject } from '../../../sdk/json.ts';
import { contextOf, decodeFrames, encodeDeltas, framesOfText, frozen, generation } from './codec.ts';

describe('odd input: words that every object inherits mean nothing special', () => {
  const words = ['constructor', '__proto__', 'toString', 'hasOwnProperty'];
  const bodies: Readonly<Record<string, (word: string) => JsonObject>> = {
    chat: (word) => ({
      model: 'm',
      messages: [{ role: word, content: 'Hi' }],
      reasoning_effort: word,
      service_tier: word,
    }),
    messages: (word) => ({
      model: 'm',
      max_tokens: 1,
      messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }, { type: word }] }],
      service_tier: word,
    }),
    responses: (word) => ({
      model: 'm',
      input: [{ role: word, content: 'Hi' }],
      service_tier: word,
      reasoning: { effort: word },
    }),
    gemini: (word) => ({
      model: 'm',
      contents: [{ parts: [{ text: 'Hi' }, { inlineData: { mimeType: `audio/${word}`, data: 'AA==' } }] }],
      serviceTier: word,
    }),
  };
  for (const client of generation) {
    const body = bodies[client.name];
    if (body === undefined) continue;
    it(client.name, () => {
      for (const word of words) {
        const call = frozen(client.decodeCall(frozen(body(word)), contextOf(false)));
        for (const target of generation) {
          try {
            const sent = target.encodeCall(call, contextOf(false));
            assert.deepEqual(JSON.parse(JSON.stringify(sent)), sent, `${word} at ${target.name}`);
          } catch (error) {
            assert.ok(GatewayError.is(error), `${word} at ${target.name}: ${String(error)}`);
          }
        }
      }
    });
  }
});

describe('odd input: providers that are sloppy with their own format', () => {
  const event = (json: JsonObject): Frame => ({ data: JSON.stringify(json), event: String(json.type) });

  it('puts the pieces of interleaved messages blocks back together for every client', () => {
    const block = (index: number): JsonObject => ({ type: 'tool_use', id: `toolu_${index}`, name: 'f', input: {} });
    const piece = (index: number, text: string): Frame =>
      event({ type: 'content_block_delta', index, delta: { type: 'input_json_delta', partial_json: text } });
    const deltas = decodeFrames(dialects.messages.decodeStream(contextOf(true)), [
      event({ type: 'message_start', message: { id: 'm', model: 'm' } }),
      event({ type: 'content_block_start', index: 0, content_block: block(0) }),
      event({ type: 'content_block_start', index: 1, content_block: block(1) }),
      piece(0, '{"a":'),
      piece(1, '{"b":'),
      piece(0, '1}'),
      piece(1, '2}'),
      event({ type: 'content_block_stop', index: 0 }),
      event({ type: 'content_block_stop', index: 1 }),
      event({ type: 'message_delta', delta: { stop_reason: 'tool_use' } }),
      event({ type: 'message_stop' }),
    ]);
    assert.deepEqual(argumentsIn(deltas), ['{"a":1}', '{"b":2}']);
    for (const client of generation.filter((dialect) => dialect.name !== 'completions')) {
      const wire = encodeDeltas(client, deltas, contextOf(true));
      const seen = decodeFrames(client.decodeStream(contextOf(true)), framesOfText(wire));
      assert.deepEqual(argumentsIn(seen), ['{"a":1}', '{"b":2}'], client.name);
    }
  });

  it('gives a call without any id a new one', () => {
    const body = { output: [{ type: 'function_call', name: 'f', arguments: '{}' }] };
    const [part] = dialects.responses.decodeReply(body, contextOf(true)).choices[0]?.parts ?? [];
    assert.equal(part?.type === 'tool-call' && part.id, 'call_1');
  });

  it('unpacks the signature from the id of a call in a messages stream, as in a whole reply', () => {
    const { data } = {
      data: event({
        type: 'content_block_start',
        index: 0,
        content_block: { type: 'tool_use', id: 'a__sig_c2ln', name: 'f' },
      }),
    };
    const call = dialects.messages
      .decodeStream(contextOf(true))
      .push(data)
      .find((delta) => delta.type === 'tool-call');
    assert.deepEqual(call, { type: 'tool-call', choice: 0, block: 0, id: 'a', signature: 'sig', name: 'f' });
  });
});

function argumentsIn(deltas: readonly Delta[]): readonly string[] {
  const texts = new Map<number, string>();
  for (const delta of deltas) {
    if (delta.type === 'tool-arguments') texts.set(delta.block, (texts.get(delta.block) ?? '') + delta.text);
  }
  return [...texts.values()];
}

describe('odd input: whose signature it is', () => {
  const cases: readonly (readonly [string, ReturnType<typeof makerOf>])[] = [
    ['EqQBCgIYAhIM1gbcDa9GJwZA2b3hGgxBdjrkzLoky3dl1pkiMOYds', 'messages'],
    ['EqoBCkgIARABGAIiQL2UoU0b1OHYi', 'messages'],
    ['EmwKAhgBEgy3va3pzix/LafPsn4a', 'messages'],
    ['CiQBVKhc7gVNlWrmzW9MEk', 'gemini'],
    ['EjQKMgG+Pvb7w0dFmLp1nQ', 'gemini'],
    ['gAAAAABoISQ24OyVRYbkYfukdJoqdzWT', 'responses'],
    ['WaUjzkypQ2mUEVM36O2TxuC06KN8xyfbJwyem2dw3URve', undefined],
    ['EqQB', undefined],
    ['', undefined],
  ];
  for (const [signature, maker] of cases)
    it(`${signature || 'nothing'}: ${maker}`, () => assert.equal(makerOf(signature), maker));
});

describe('odd input: JSON that is nested too deeply is refused, in streams with an error event', () => {
  const deep = '['.repeat(100_000) + ']'.repeat(100_000);
  const streams: Readonly<Record<string, readonly string[]>> = {
    chat: [`{"id":"c","choices":[{"index":0,"delta":{"content":"a","x":${deep}},"finish_reason":"stop"}]}`, '[DONE]'],
    messages: [
      '{"type":"message_start","message":{"id":"m"}}',
      `{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"a","name":"f","input":${deep}}}`,
      '{"type":"content_block_stop","index":0}',
      '{"type":"message_delta","delta":{"stop_reason":"tool_use"}}',
      '{"type":"message_stop"}',
    ],
    responses: [
      `{"type":"response.completed","response":{"id":"resp_1","output":[{"type":"web_search_call","x":${deep}}]}}`,
    ],
    gemini: [
      `{"candidates":[{"content":{"parts":[{"functionCall":{"name":"f","args":{"a":${deep}}}}]},"finishReason":"STOP"}]}`,
    ],
  };
  const calls: Readonly<Record<string, string>> = {
    chat: `{"messages":[{"role":"assistant","tool_calls":[{"id":"a","function":{"name":"f","arguments":${deep}}}]}]}`,
    messages: `{"messages":[{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":{"a":${deep}}}]}]}`,
    responses: `{"input":[{"type":"function_call","call_id":"a","name":"f","arguments":${deep}}]}`,
    gemini: `{"contents":[{"role":"model","parts":[{"functionCall":{"name":"f","args":{"a":${deep}}}}]}]}`,
    converse: `{"messages":[{"role":"assistant","content":[{"toolUse":{"toolUseId":"a","name":"f","input":${deep}}}]}]}`,
  };
  for (const dialect of generation.filter((known) => known.name !== 'completions')) {
    it(dialect.name, () => {
      const body = JSON.parse(calls[dialect.name] ?? '') as JsonObject;
      assert.throws(() => dialect.decodeCall(body, contextOf(false)), { code: 'bad_request' });
      const frames = (streams[dialect.name] ?? []).map((data): Frame => ({ data }));
      const decoder = dialect.decodeStream(contextOf(false));
      const deltas = [...frames.flatMap((frame) => decoder.push(frame)), ...decoder.end()];
      for (const client of generation) {
        const encoder = client.encodeStream(contextOf(false));
        const wire = deltas.map((delta) => encoder.push(delta)).join('');
        const seen = decodeFrames(client.decodeStream(contextOf(false)), framesOfText(wire));
        assert.ok(['fault', 'end'].includes(seen.at(-1)?.type ?? ''), client.name);
      }
    });
  }
});
