import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JsonObject } from 'portcullis/sdk';
import { readChat, readChatReply } from '../../../plugins/guardrails/scan/chat.ts';
import { readMessages } from '../../../plugins/guardrails/scan/messages.ts';
import { readResponses } from '../../../plugins/guardrails/scan/responses.ts';
import { withoutScaffolding } from '../../../plugins/guardrails/scan/scaffolding.ts';
import { scanReply, scanRequest } from '../../../plugins/guardrails/scan/scan.ts';

const conversation = readChat({
  messages: [
    { role: 'system', content: 'rules' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'first' },
        { type: 'text', text: 'more' },
      ],
    },
    { role: 'assistant', content: 'answer', reasoning_content: 'thought' },
    { role: 'user', content: 'second' },
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ function: { arguments: '{"a":1}' } }],
      reasoning_content: 'again',
    },
  ],
});
const textsOf = ({ texts }: ReturnType<typeof scanRequest>) => texts.map(({ text }) => text);

describe('the scope of a request', () => {
  const table = [
    ['last_message', ['second', '{"a":1}']],
    ['last_user_message', ['second']],
    ['user_messages', ['first', 'more', 'second']],
    ['all_messages', ['rules', 'first', 'more', 'answer', 'thought', 'second', '{"a":1}', 'again']],
  ] as const;
  for (const [scope, expected] of table) {
    it(`${scope} covers ${expected.join(', ')}`, () => {
      assert.deepEqual(textsOf(scanRequest(conversation, scope, false)), expected);
    });
  }

  it('last_user_message is nothing where no user speaks', () => {
    const reading = readChat({ messages: [{ role: 'system', content: 'rules' }] });
    assert.deepEqual(textsOf(scanRequest(reading, 'last_user_message', false)), []);
  });

  const user = (content: string) => ({ role: 'user', content });
  const answer = { role: 'assistant', content: 'answer' };
  const result = (content: string) => ({ role: 'tool', content });
  const system = { role: 'system', content: 'rules' };
  const behind: readonly [string, JsonObject[], readonly string[], readonly string[]][] = [
    ['messages of the user in a row', [system, user('a'), answer, user('b'), user('c')], ['b', 'c'], ['b', 'c']],
    ['a last message that is empty', [user('a'), user('')], ['a'], ['a']],
    ['results of tools side by side', [user('a'), answer, result('b'), result('c')], ['b', 'c'], ['a']],
    ['an answer in which nothing is said', [user('a'), { role: 'assistant' }, user('b')], ['b'], ['b']],
    ['the user behind results', [user('a'), answer, result('b'), user('c')], ['b', 'c'], ['c']],
    ['an answer that is the last', [user('a'), user('b'), answer], ['a', 'b', 'answer'], ['a', 'b']],
    ['the beginning of an answer', [user('a'), answer, user('b'), { role: 'assistant' }], ['b'], ['b']],
    [
      'beginnings in a row, with the system',
      [user('a'), answer, system, answer],
      ['a', 'answer', 'rules', 'answer'],
      ['a'],
    ],
    ['an answer to results', [user('a'), answer, result('b'), answer], ['b', 'answer'], ['a']],
    ['an answer to nobody', [system, answer], ['rules', 'answer'], []],
    ['the system among what is new', [answer, user('a'), system, user('b')], ['a', 'b'], ['a', 'b']],
    ['the system at the end', [answer, user('a'), system], ['a', 'rules'], ['a']],
    ['the system alone', [system], ['rules'], []],
  ];
  for (const [what, messages, lastMessage, lastUser] of behind) {
    it(`knows what is last from ${what}`, () => {
      const reading = readChat({ messages });
      assert.deepEqual(textsOf(scanRequest(reading, 'last_message', false)), lastMessage);
      assert.deepEqual(textsOf(scanRequest(reading, 'last_user_message', false)), lastUser);
    });
  }

  it('takes items of responses for turns of their own', () => {
    const reading = readResponses({
      instructions: 'rules',
      input: [
        { role: 'user', content: 'a' },
        { type: 'function_call', call_id: 'c', arguments: '{}' },
        { type: 'function_call', call_id: 'd', arguments: '' },
        { type: 'function_call_output', call_id: 'c', output: 'b' },
        { type: 'function_call_output', call_id: 'd', role: 'assistant', output: 'c' },
      ],
    });
    assert.deepEqual(textsOf(scanRequest(reading, 'last_message', false)), ['b', 'c']);
    assert.deepEqual(textsOf(scanRequest(reading, 'last_user_message', false)), ['a']);
  });

  it('takes the results inside a message of the user for what is last', () => {
    const content = ['b', 'c'].map((text) => ({ type: 'tool_result', tool_use_id: text, content: text }));
    const reading = readMessages({
      system: 'rules',
      messages: [user('a'), answer, { role: 'user', content }, user('d')],
    });
    assert.deepEqual(textsOf(scanRequest(reading, 'last_message', false)), ['b', 'c', 'd']);
    assert.deepEqual(textsOf(scanRequest(reading, 'last_user_message', false)), ['d']);
  });

  it('covers what a user calls thinking', () => {
    const reading = readChat({
      messages: [{ role: 'user', content: [{ type: 'thinking', thinking: 'a' }], reasoning_content: 'b' }],
    });
    for (const scope of ['last_message', 'last_user_message', 'user_messages', 'all_messages'] as const)
      assert.deepEqual(textsOf(scanRequest(reading, scope, false)), ['a', 'b']);
  });

  it('covers descriptions of tools only where all is looked at', () => {
    const reading = readChat({
      messages: [user('a')],
      tools: [{ type: 'function', function: { name: 'f', description: 'finds' } }],
    });
    for (const scope of ['last_message', 'last_user_message', 'user_messages'] as const)
      assert.deepEqual(textsOf(scanRequest(reading, scope, false)), ['a']);
    assert.deepEqual(textsOf(scanRequest(reading, 'all_messages', false)), ['a', 'finds']);
  });

  it('numbers the texts in the order of a reader', () => {
    const { texts } = scanRequest(conversation, 'user_messages', false);
    assert.deepEqual(
      texts.map(({ index, message }) => [index, message]),
      [
        [0, 1],
        [1, 1],
        [2, 3],
      ],
    );
  });
});

describe('the scope of a reply', () => {
  const reply = readChatReply({
    choices: [{ message: { content: 'one', reasoning_content: 'thought' } }, { message: { content: 'two' } }],
  });

  it('covers every choice, and thinking only where all is looked at', () => {
    for (const scope of ['last_message', 'last_user_message', 'user_messages'] as const)
      assert.deepEqual(textsOf(scanReply(reply, scope)), ['one', 'two']);
    assert.deepEqual(textsOf(scanReply(reply, 'all_messages')), ['one', 'thought', 'two']);
  });
});

describe('a text without scaffolding', () => {
  const left = (text: string) => withoutScaffolding(text).map(({ start, end }) => text.slice(start, end));
  const table: readonly [string, string, readonly string[]][] = [
    ['keeps what has none', 'plain < text', ['plain < text']],
    ['leaves out an element', 'a<system-reminder>b</system-reminder>c', ['a', 'c']],
    ['leaves out elements with attributes', '<attached_files count="2">x</attached_files>c', ['c']],
    ['leaves out one after another', '<command-name>a</command-name><command-args>b</command-args>', []],
    ['keeps an element that is never closed', 'a<system-reminder>b', ['a<system-reminder>b']],
    ['keeps elements of other names', '<b>x</b>', ['<b>x</b>']],
    ['keeps a closing tag without its opening', 'a</system-reminder>b', ['a</system-reminder>b']],
    ['ends an element at its first closing tag', '<ide_selection>a<ide_selection>b</ide_selection>c', ['c']],
    ['tells names apart that begin alike', '<command-name>a</command-name-x>b', ['<command-name>a</command-name-x>b']],
  ];
  for (const [what, text, expected] of table) {
    it(what, () => assert.deepEqual(left(text), expected));
  }

  it('takes time in proportion to a hostile text', () => {
    const text = '<system-reminder>'.repeat(50_000);
    assert.deepEqual(left(text), [text]);
  });

  it('never touches what a tool gave back', () => {
    const wrapped = 'x<system-reminder>y</system-reminder>';
    const reading = readChat({
      messages: [
        { role: 'tool', content: wrapped },
        { role: 'user', content: wrapped },
      ],
    });
    assert.deepEqual(textsOf(scanRequest(reading, 'all_messages', true)), [wrapped, 'x']);
  });
});
