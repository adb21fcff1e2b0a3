import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Endpoint, Json, JsonObject } from 'portcullis/sdk';
import { isCacheable } from '../../../plugins/cache/cacheable.ts';
import { conversationOf } from '../../../plugins/cache/semantic/conversation.ts';
import { exchangeOf, targetOf } from '../../support/exchange.ts';

const of = (body: JsonObject, endpoint: Endpoint = 'chatComplete') =>
  targetOf({ request: exchangeOf({ endpoint, dialect: 'gemini', body }) });
const said = (text: string, role?: string) => ({ ...(role === undefined ? {} : { role }), parts: [{ text }] });

describe('a generateContent request in the cache', () => {
  it('is compared by what is said in it, where that is text alone', () => {
    const systemInstruction = { parts: [{ text: 'rules' }] };
    const body = {
      model: 'm',
      systemInstruction,
      contents: [said('one'), said('two', 'model'), said('three', 'user')],
    };
    assert.deepEqual(conversationOf(of(body)), {
      text: 'user: one\nassistant: two\nuser: three',
      frame: { model: 'm', systemInstruction, contents: [{}, { role: 'model' }, { role: 'user' }] },
    });
    for (const contents of [
      [{ parts: [{ text: 'x' }, { inlineData: { mimeType: 'image/png', data: 'x' } }] }],
      [{ parts: [{ functionCall: { name: 'f' } }] }],
      [{ parts: [{ text: 'x', thought: true }] }],
      { parts: [{ text: 'x' }] },
      new Array(5).fill(said('x')),
    ])
      assert.equal(conversationOf(of({ model: 'm', contents })), undefined, JSON.stringify(contents));
    assert.equal(conversationOf(of(body, 'messagesCountTokens')), undefined);
  });

  it('is not kept where its tools do more than answer', () => {
    const cacheable = (tools: Json) => isCacheable(of({ contents: [said('x')], tools }));
    assert.deepEqual(
      [
        cacheable([]),
        cacheable([{ functionDeclarations: [{ name: 'f' }] }]),
        cacheable([{ googleSearch: {} }]),
        cacheable([{ codeExecution: {} }]),
        cacheable({ code_execution: {} }),
        cacheable([{ computerUse: {} }]),
      ],
      [true, true, true, false, false, false],
    );
  });
});
