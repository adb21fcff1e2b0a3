import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type JsonObject, verifiedHistory } from 'portcullis/sdk';

const of = (...content: readonly JsonObject[]): JsonObject => ({ messages: [{ role: 'assistant', content }] });

it('leaves a history as it came that holds what Claude takes', () => {
  const bodies: readonly JsonObject[] = [
    {},
    { messages: [{ role: 'user', content: 'Hi' }, 'no message', { role: 'assistant' }] },
    of({ type: 'thinking', thinking: 'Hm', signature: 'EqQB' }, { type: 'redacted_thinking', data: 'EmwK' }),
    of({ type: 'tool_use', id: 'toolu_1', name: 'f', input: {} }, { type: 'tool_result', tool_use_id: 'toolu_1' }),
    of(),
  ];
  for (const body of bodies) assert.equal(verifiedHistory(body), body);
});

it('leaves out thinking that nobody signed, and a message that holds nothing else', () => {
  const unsigned: JsonObject = { type: 'thinking', thinking: 'Hm', signature: '' };
  const text: JsonObject = { type: 'text', text: 'Hi' };
  assert.deepEqual(verifiedHistory(of(unsigned, { type: 'thinking', thinking: 'So' }, text)), of(text));
  assert.deepEqual(verifiedHistory(of(unsigned)), { messages: [] });
});

it('writes an id in the characters that are taken, the same for the call and its result', () => {
  const id = 'functions.f:0';
  const [called, answered] = [
    { type: 'tool_use', id, name: 'f', input: {} },
    { type: 'tool_result', tool_use_id: id, content: 'ok' },
  ];
  const taken = 'functions_2ef_3a0';
  assert.deepEqual(
    verifiedHistory(of(called, answered)),
    of({ ...called, id: taken }, { ...answered, tool_use_id: taken }),
  );
});
