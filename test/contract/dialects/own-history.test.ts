import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { dialects } from 'portcullis/sdk';
import type { GenerationDialectName } from '../../../sdk/dialects/dialect.ts';
import { packToolCallId } from '../../../sdk/dialects/tool-call-id.ts';
import type { JsonObject } from '../../../sdk/json.ts';
import { contextOf, frozen } from './codec.ts';

const signed = 'EqQBCgIYAhIM1gbcDa9GJwZA2b3hGgxBdjrkzLoky3dl1pkiMOYds==';
const byGemini = 'CiQBVKhc7gVNlWrmzW9MEkbHv9yoFbGKmwzxrG1dzkhB7g==';
const byOpenAi = 'gAAAAABoMX6dZ9Vw2x1yQbTfJt8nR3pK5sL7uW0vXzA4cBdEgHiJ';

function kept(name: GenerationDialectName, body: JsonObject): { readonly body: JsonObject; readonly lost: string[] } {
  const context = contextOf(true);
  return { body: dialects[name].ownHistory?.(frozen(body), context) ?? body, lost: context.lost };
}

const said = (...content: readonly JsonObject[]): JsonObject => ({ role: 'assistant', content });
const user: JsonObject = { role: 'user', content: 'Hi' };
const text: JsonObject = { type: 'text', text: 'Let me look.' };

const natives: readonly (readonly [GenerationDialectName, JsonObject])[] = [
  ['chat', { model: 'm', messages: [user, { role: 'assistant', content: null, tool_calls: [{ id: 'call_1' }] }] }],
  ['chat', { model: 'm', messages: [{ role: 'tool', tool_call_id: 'call_1', content: 'ok' }] }],
  ['messages', { model: 'claude-x', messages: [user, said({ type: 'thinking', thinking: 'Hm', signature: signed })] }],
  ['messages', { model: 'claude-x', messages: [user, { role: 'assistant', content: [] }, 'no message'] }],
  ['messages', { model: 'm', messages: [said({ type: 'thinking', thinking: 'Hm', signature: '' }, text)] }],
  ['messages', { model: 'm', messages: [said({ type: 'tool_use', id: 'functions.f:0', name: 'f', input: {} })] }],
  ['responses', { model: 'm', input: 'Hi' }],
  ['responses', { model: 'm', input: [{ type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: byOpenAi }] }],
  [
    'gemini',
    { model: 'gemini-3-pro', contents: [{ role: 'model', parts: [{ text: '', thoughtSignature: byGemini }] }] },
  ],
  ['gemini', { model: 'gemini-2.5-pro', contents: [{ role: 'model', parts: [{ functionCall: { name: 'f' } }] }] }],
];

describe('what a history holds of other providers', () => {
  for (const [name, body] of natives) {
    it(`finds nothing in ${JSON.stringify(body).slice(0, 90)}, and gives the very same body`, () => {
      assert.equal(kept(name, body).body, body);
    });
  }

  it('is a signature in the id of a call, and what is no message stays where it stands', () => {
    const id = packToolCallId('call_1', byGemini);
    const { body } = kept('chat', { messages: ['no message', { role: 'tool', tool_call_id: id, content: 'ok' }] });
    assert.deepEqual(body.messages, ['no message', { role: 'tool', tool_call_id: 'call_1', content: 'ok' }]);
  });

  it('is thinking that another maker has signed', () => {
    const { body, lost } = kept('messages', {
      model: 'claude-x',
      messages: [
        user,
        said({ type: 'thinking', thinking: 'Hm', signature: byGemini }, text),
        said({ type: 'redacted_thinking', data: byOpenAi }),
        user,
      ],
    });
    assert.deepEqual(body.messages, [user, said(text), user]);
    assert.deepEqual([...new Set(lost)], ['thinking']);
  });

  it('is a citation without the index that only the provider itself can make', () => {
    const page = { type: 'web_search_result_location', url: 'https://a.example', title: 'A', cited_text: '' };
    const [theirs, ours] = [
      { ...page, encrypted_index: 'Eo8B' },
      { ...page, encrypted_index: '' },
    ];
    const { body } = kept('messages', {
      model: 'm',
      messages: [said({ ...text, citations: [theirs, ours] }, { ...text, citations: [ours] })],
    });
    assert.deepEqual(body.messages, [said({ ...text, citations: [theirs] }, text)]);
  });

  it('is reasoning in items that the gateway made', () => {
    const call = { type: 'function_call', id: 'fc_1', name: 'f', arguments: '{}' };
    const { body, lost } = kept('responses', {
      model: 'm',
      input: [
        { type: 'reasoning', id: 'rs_gw_1', summary: [], encrypted_content: signed },
        { ...call, call_id: 'call_1__sig_c2ln' },
        { type: 'function_call_output', call_id: 'call_1__sig_c2ln', output: 'ok' },
      ],
    });
    assert.deepEqual(body.input, [
      { ...call, call_id: 'call_1' },
      { type: 'function_call_output', call_id: 'call_1', output: 'ok' },
    ]);
    assert.deepEqual(lost, ['thinking']);
  });

  it('is a call of the current turn that another model could not sign', () => {
    const called = (name: string): JsonObject => ({ functionCall: { id: name, name, args: {} } });
    const answered: JsonObject = { role: 'user', parts: [{ functionResponse: { name: 'f', response: {} } }] };
    const { body } = kept('gemini', {
      model: 'gemini-3-pro',
      contents: [
        { role: 'model', parts: [called('old')] },
        { role: 'user', parts: [{ text: 'And?' }] },
        {
          role: 'model',
          parts: [
            { text: '', thoughtSignature: byOpenAi },
            { text: 'Hm', thought: true, thought_signature: signed },
            called('f'),
            called('g'),
          ],
        },
        answered,
      ],
    });
    assert.deepEqual(body.contents, [
      { role: 'model', parts: [called('old')] },
      { role: 'user', parts: [{ text: 'And?' }] },
      {
        role: 'model',
        parts: [
          { text: 'Hm', thought: true },
          { ...called('f'), thoughtSignature: 'skip_thought_signature_validator' },
          called('g'),
        ],
      },
      answered,
    ]);
  });
});
