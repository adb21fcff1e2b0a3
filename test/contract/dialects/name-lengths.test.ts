import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { dialects } from 'portcullis/sdk';
import { asObjects, type JsonObject } from '../../../sdk/json.ts';
import { contextOf, frozen } from './codec.ts';

/** The longest that the maker of a format takes: https://platform.openai.com/docs/api-reference */
const limits = { chat: { user: 64, id: 40 }, responses: { user: 64, id: 64 } } as const;

const { chat, responses, messages } = dialects;
const asked = (fields: JsonObject): JsonObject =>
  frozen({ model: 'm', max_tokens: 9, messages: [{ role: 'user', content: 'Hi' }], ...fields });
const translated = (to: keyof typeof limits, body: JsonObject): JsonObject =>
  dialects[to].encodeCall(messages.decodeCall(body, contextOf(true)), contextOf(true));

describe('names that a format takes only so long', () => {
  const agent = `user_${'a1'.repeat(32)}_account__session_0d5ff1ea-5b5e-4f0d-b56a-59de4b3d9d54`;

  for (const to of ['chat', 'responses'] as const) {
    it(`shortens a user of messages for ${to}, each to its own name`, () => {
      const userOf = (user_id: string) => translated(to, asked({ metadata: { user_id } })).user;
      assert.equal(userOf('u'.repeat(limits[to].user)), 'u'.repeat(limits[to].user));
      const short = userOf(agent);
      assert.match(String(short), /^[0-9a-f]{64}$/);
      assert.equal(userOf(agent), short);
      assert.notEqual(userOf(`${agent}2`), short);
    });
  }

  it('leaves the user of its own clients as it is', () => {
    const call = { ...chat.decodeCall({ model: 'm', messages: [], user: agent }, contextOf(true)) };
    assert.equal(chat.encodeCall(call, contextOf(true)).user, agent);
    const own = responses.decodeCall({ model: 'm', input: 'Hi', user: agent }, contextOf(true));
    assert.equal(responses.encodeCall(own, contextOf(true)).user, agent);
  });

  /** As vLLM and other gateways make them. */
  const long = `chatcmpl-tool-${'0f'.repeat(32)}`;
  const history = (id: string): JsonObject =>
    asked({
      messages: [
        { role: 'user', content: 'Where?' },
        { role: 'assistant', content: [{ type: 'tool_use', id, name: 'f', input: {} }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: 'ok' }] },
      ],
    });
  const idsOf = {
    chat: (body: JsonObject) => {
      const [, called, answered] = asObjects(body.messages);
      return [asObjects(called?.tool_calls)[0]?.id, answered?.tool_call_id];
    },
    responses: (body: JsonObject) => asObjects(body.input).flatMap(({ call_id }) => call_id ?? []),
  };

  for (const to of ['chat', 'responses'] as const) {
    it(`shortens the id of a call for ${to}, with that of its result`, () => {
      const fits = 'c'.repeat(limits[to].id);
      assert.deepEqual(idsOf[to](translated(to, history(fits))), [fits, fits]);
      const [called, answered] = idsOf[to](translated(to, history(long)));
      assert.equal(called, answered);
      assert.match(String(called), /^call_[0-9a-f]+$/);
      assert.equal(String(called).length, limits[to].id);
    });
  }
});
