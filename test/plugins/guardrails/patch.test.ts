import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Edit, type JsonObject, parseJson } from 'portcullis/sdk';
import { readChat } from '../../../plugins/guardrails/scan/chat.ts';
import { readMessages } from '../../../plugins/guardrails/scan/messages.ts';
import { patched } from '../../../plugins/guardrails/scan/patch.ts';
import type { Reading } from '../../../plugins/guardrails/scan/reading.ts';
import { readResponses } from '../../../plugins/guardrails/scan/responses.ts';
import { scanRequest } from '../../../plugins/guardrails/scan/scan.ts';
import { deepFreeze } from '../../../sdk/testing/deep-freeze.ts';

type Dialect = 'chat' | 'messages' | 'responses' | 'completions' | 'embeddings' | 'gemini';

const readers: Readonly<Partial<Record<Dialect, (body: JsonObject) => Reading>>> = {
  chat: readChat,
  messages: readMessages,
  responses: readResponses,
};

/** The body after each check has made its edits, all of them in the scope of all messages. */
function edited(dialect: Dialect, body: JsonObject, checks: readonly (readonly Edit[])[], strip = false): JsonObject {
  const reading = (readers[dialect] ?? readChat)(deepFreeze(body));
  const given = checks.map((edits) => ({ scan: scanRequest(reading, 'all_messages', strip), edits }));
  return patched(body, reading, given, { dialect, part: 'request' });
}

const chat = (content: string) => ({ messages: [{ role: 'user', content }] });
/** The edit that takes a word out of a text. */
const out = (text: number, whole: string, word: string, by = ''): Edit => {
  const start = whole.indexOf(word);
  return { text, start, end: start + word.length, with: by };
};

describe('edits of texts', () => {
  const text = 'call 030-123456 or ada@example.com';

  it('of several checks are all applied, wherever they overlap', () => {
    const body = edited('chat', chat(text), [
      [out(0, text, '030-123456 or ada', '[A]')],
      [out(0, text, 'ada@example.com', '[B]')],
      [out(0, text, 'call', '[C]')],
    ]);
    const [message] = body.messages as JsonObject[];
    for (const gone of ['030', '123456', 'ada', 'example']) assert.ok(!String(message?.content).includes(gone), gone);
    assert.match(String(message?.content), /^\[C\] .*\[A\].*\[B\]/);
  });

  it('count in what is left of a text without scaffolding', () => {
    const whole = 'a<system-reminder>secret</system-reminder>secret';
    const body = edited('chat', chat(whole), [[out(1, 'secret', 'secret', 'X')]], true);
    assert.deepEqual(body, chat('a<system-reminder>secret</system-reminder>X'));
  });

  it('change nothing else, and not the body that was given', () => {
    const given = {
      messages: [
        { role: 'user', content: 'ab' },
        { role: 'user', content: [{ type: 'text', text: 'cd' }] },
      ],
      n: 2,
    };
    const body = edited('chat', given, [[{ text: 0, start: 0, end: 1, with: 'X' }]]);
    assert.deepEqual(body, { ...given, messages: [{ role: 'user', content: 'Xb' }, given.messages[1]] });
    assert.equal((body.messages as readonly unknown[])[1], given.messages[1]);
  });

  for (const edit of [
    { text: 1, start: 0, end: 1, with: '' },
    { text: 0, start: -1, end: 1, with: '' },
    { text: 0, start: 2, end: 1, with: '' },
    { text: 0, start: 0, end: 99, with: '' },
    { image: 0, mediaType: 'image/png', data: '' },
  ]) {
    it(`are refused where there is nothing to edit: ${JSON.stringify(edit)}`, () => {
      assert.throws(() => edited('chat', chat('short'), [[edit]]), { code: 'check_failed' });
    });
  }
});

describe('edits of what tools are called with', () => {
  const call = (given: unknown) => ({
    messages: [{ role: 'assistant', content: null, tool_calls: [{ function: { name: 'f', arguments: given } }] }],
  });
  const argumentsIn = (body: JsonObject) => {
    const [message] = body.messages as { tool_calls: { function: { arguments: unknown } }[] }[];
    return message?.tool_calls[0]?.function.arguments;
  };

  it('keep JSON what it is, whatever is put there', () => {
    const given = '{"mail": "ada@example.com"}';
    const body = edited('chat', call(given) as JsonObject, [[out(0, given, 'ada@example.com', 'say "x"\n')]]);
    assert.deepEqual(parseJson(String(argumentsIn(body))), { mail: 'say "x"\n' });
  });

  it('put a text in the place of a number', () => {
    const given = '{"phone":4930123456,"list":[1,4930123456],"ok":true}';
    const first = given.indexOf('4930123456');
    const second = given.lastIndexOf('4930123456');
    const body = edited('chat', call(given) as JsonObject, [
      [first, second].map((start) => ({ text: 0, start, end: start + 10, with: '[PHONE]' })),
    ]);
    assert.deepEqual(parseJson(String(argumentsIn(body))), { phone: '[PHONE]', list: [1, '[PHONE]'], ok: true });
  });

  it('put a text in the place of a part of a number, beside a string that stays one', () => {
    const given = '{"n":-12345,"s":"12"}';
    const body = edited('chat', call(given) as JsonObject, [[out(0, given, '234', '*')]]);
    assert.deepEqual(parseJson(String(argumentsIn(body))), { n: '-1*5', s: '12' });
  });

  it('keep an object an object', () => {
    const given = { type: 'tool_use', id: 't', name: 'f', input: { who: 'Ada', n: [1] } };
    const whole = JSON.stringify(given.input);
    const body = edited('messages', { messages: [{ role: 'assistant', content: [given] }] }, [
      [out(0, whole, 'Ada', 'a "name"'), out(0, whole, '1', 'one')],
    ]);
    assert.deepEqual(body.messages, [
      { role: 'assistant', content: [{ ...given, input: { who: 'a "name"', n: ['one'] } }] },
    ]);
  });

  it('are refused where they would break it', () => {
    const given = '{"a":"b"}';
    assert.throws(() => edited('chat', call(given) as JsonObject, [[out(0, given, '{', '')]]), {
      code: 'check_failed',
      message: /break the JSON/,
    });
  });

  it('write the whole text back without the escapes in which a word was hidden', () => {
    const given = '{"a": "\\u0062ad \\ud83d\\ude00", "n": 12345678901234567890}';
    const body = edited('chat', call(given) as JsonObject, [[{ text: 0, start: 7, end: 10, with: 'X' }]]);
    assert.equal(argumentsIn(body), '{"a": "X \ud83d\ude00", "n": 12345678901234567890}');
  });

  it('are those of any text where it is no JSON', () => {
    const body = edited('chat', call('not {json') as JsonObject, [[out(0, 'not {json', 'json', '"x"')]]);
    assert.equal(argumentsIn(body), 'not {"x"');
  });
});

describe('edits of a large body', () => {
  it('are made in 20,000 messages, each of which is copied once', { timeout: 20_000 }, () => {
    const given = { messages: Array.from({ length: 20_000 }, (_, at) => ({ role: 'user', content: `ab${at}` })) };
    const body = edited('chat', given, [given.messages.map((_, text) => ({ text, start: 0, end: 1, with: 'X' }))]);
    const messages = body.messages as JsonObject[];
    assert.equal(messages.length, 20_000);
    assert.ok(messages.every(({ content }, at) => content === `Xb${at}`));
  });

  it('are made in every one of 20,000 numbers of a tool call', { timeout: 20_000 }, () => {
    const given = JSON.stringify({ list: Array.from({ length: 20_000 }, (_, at) => 100_000 + at) });
    const edits = [...given.matchAll(/\d+/g)].map(({ index }) => ({
      text: 0,
      start: index,
      end: index + 6,
      with: '*',
    }));
    const messages = [{ role: 'assistant', tool_calls: [{ function: { name: 'f', arguments: given } }] }];
    const [message] = edited('chat', { messages }, [edits]).messages as typeof messages;
    const { list } = parseJson(String(message?.tool_calls[0]?.function.arguments)) as { list: string[] };
    assert.deepEqual([list.length, new Set(list)], [20_000, new Set(['*'])]);
  });

  it('are made in a tool call of 20,000 levels', () => {
    const given = `${'['.repeat(20_000)}12345${']'.repeat(20_000)}`;
    const messages = [{ role: 'assistant', tool_calls: [{ function: { name: 'f', arguments: given } }] }];
    const [message] = edited('chat', { messages }, [[out(0, given, '12345', '*')]]).messages as typeof messages;
    assert.equal(message?.tool_calls[0]?.function.arguments, given.replace('12345', '"*"'));
  });

  it('make members of any name', () => {
    const content: JsonObject = parseJson('{"type":"x","__proto__":{"deep":"ab"},"constructor":"cd"}') as JsonObject;
    const body = edited('chat', { messages: [{ role: 'user', content: [content] }] }, [
      [
        { text: 0, start: 0, end: 1, with: 'X' },
        { text: 1, start: 0, end: 1, with: 'Y' },
      ],
    ]);
    assert.equal(
      JSON.stringify(body.messages),
      '[{"role":"user","content":[{"type":"x","__proto__":{"deep":"Xb"},"constructor":"Yd"}]}]',
    );
  });
});

describe('edits of images', () => {
  const image: Edit = { image: 0, mediaType: 'image/png', data: 'AAAA' };
  const url = 'data:image/png;base64,AAAA';
  it('have the form of the dialect', () => {
    const inChat = (image_url: unknown) =>
      ({ messages: [{ role: 'user', content: [{ type: 'image_url', image_url }] }] }) as JsonObject;
    assert.deepEqual(
      edited('chat', inChat({ url: 'https://i', detail: 'low' }), [[image]]),
      inChat({ url, detail: 'low' }),
    );
    assert.deepEqual(edited('chat', inChat('https://i'), [[image]]), inChat({ url }));
    const inMessages = (source: JsonObject) => ({ messages: [{ role: 'user', content: [{ type: 'image', source }] }] });
    assert.deepEqual(
      edited('messages', inMessages({ type: 'url', url: 'https://i' }), [[image]]),
      inMessages({ type: 'base64', media_type: 'image/png', data: 'AAAA' }),
    );
    const inResponses = (image_url: string) => ({
      input: [{ role: 'user', content: [{ type: 'input_image', image_url }] }],
    });
    assert.deepEqual(edited('responses', inResponses('https://i'), [[image]]), inResponses(url));
  });

  it('are refused when they are no image', () => {
    const body = { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'https://i' } }] }] };
    assert.throws(() => edited('chat', body, [[{ image: 0, mediaType: 'text/html', data: '' }]]), {
      code: 'check_failed',
    });
  });
});

describe('texts that are added to a message', () => {
  const add = (message: 'system' | 'user' | 'assistant', more: object = {}): Edit => ({
    message,
    at: 'start',
    add: 'P ',
    ...more,
  });
  const user = { role: 'user', content: 'hi' };
  const parts = (type: string) => ({ role: 'user', content: [{ type, text: 'hi' }] });
  const table: readonly [string, Dialect, JsonObject, Edit, JsonObject][] = [
    [
      'go into the first one of the role',
      'chat',
      { messages: [user, user] },
      add('user'),
      { messages: [{ role: 'user', content: 'P hi' }, user] },
    ],
    [
      'go to its end',
      'chat',
      { messages: [user] },
      add('user', { at: 'end', add: ' E' }),
      { messages: [{ role: 'user', content: 'hi E' }] },
    ],
    [
      'are a part of their own beside parts',
      'chat',
      { messages: [parts('text')] },
      add('user'),
      {
        messages: [
          {
            role: 'user',
            content: [
              { type: 'text', text: 'P ' },
              { type: 'text', text: 'hi' },
            ],
          },
        ],
      },
    ],
    [
      'count a developer as the system',
      'chat',
      { messages: [{ role: 'developer', content: 'd' }] },
      add('system'),
      { messages: [{ role: 'developer', content: 'P d' }] },
    ],
    [
      'make a message that is missing',
      'chat',
      { messages: [user] },
      add('system'),
      { messages: [{ role: 'system', content: 'P ' }, user] },
    ],
    [
      'make none where they may not',
      'chat',
      { messages: [user] },
      add('system', { create: false }),
      { messages: [user] },
    ],
    [
      'stand apart',
      'chat',
      { messages: [user] },
      add('user', { apart: true }),
      { messages: [{ role: 'user', content: 'P ' }, user] },
    ],
    [
      'stand apart before the first one of the role',
      'chat',
      { messages: [{ role: 'system', content: 's' }, user, user] },
      add('user', { apart: true }),
      { messages: [{ role: 'system', content: 's' }, { role: 'user', content: 'P ' }, user, user] },
    ],
    [
      'stand apart behind the first one of the role',
      'chat',
      { messages: [user, { role: 'assistant', content: 'a' }] },
      add('user', { apart: true, at: 'end' }),
      { messages: [user, { role: 'user', content: 'P ' }, { role: 'assistant', content: 'a' }] },
    ],
    [
      'begin the answer where there is none yet',
      'chat',
      { messages: [{ role: 'system', content: 's' }, user] },
      add('assistant'),
      { messages: [{ role: 'system', content: 's' }, user, { role: 'assistant', content: 'P ' }] },
    ],
    [
      'stand apart before the first content of the role',
      'gemini',
      { contents: [{ role: 'model', parts: [{ text: 'a' }] }, { parts: [{ text: 'hi' }] }] },
      add('user', { apart: true }),
      {
        contents: [
          { role: 'model', parts: [{ text: 'a' }] },
          { role: 'user', parts: [{ text: 'P ' }] },
          { parts: [{ text: 'hi' }] },
        ],
      },
    ],
    [
      'begin the answer where there is none yet',
      'gemini',
      { contents: [{ role: 'user', parts: [{ text: 'hi' }] }] },
      add('assistant'),
      {
        contents: [
          { role: 'user', parts: [{ text: 'hi' }] },
          { role: 'model', parts: [{ text: 'P ' }] },
        ],
      },
    ],
    [
      'are the system prompt of messages',
      'messages',
      { messages: [user] },
      add('system'),
      { messages: [user], system: 'P ' },
    ],
    [
      'go into the system prompt of messages',
      'messages',
      { system: [{ type: 'text', text: 's' }] },
      add('system'),
      {
        system: [
          { type: 'text', text: 'P ' },
          { type: 'text', text: 's' },
        ],
      },
    ],
    [
      'stand apart in the system prompt',
      'messages',
      { system: 's' },
      add('system', { apart: true, at: 'end' }),
      {
        system: [
          { type: 'text', text: 's' },
          { type: 'text', text: 'P ' },
        ],
      },
    ],
    [
      'go into instructions',
      'responses',
      { instructions: 's', input: 'hi' },
      add('system'),
      { instructions: 'P s', input: 'hi' },
    ],
    ['go into an input that is a text', 'responses', { input: 'hi' }, add('user'), { input: 'P hi' }],
    [
      'go into the items of an input',
      'responses',
      { input: [parts('input_text')] },
      add('user'),
      {
        input: [
          {
            role: 'user',
            content: [
              { type: 'input_text', text: 'P ' },
              { type: 'input_text', text: 'hi' },
            ],
          },
        ],
      },
    ],
    [
      'stand apart in an input that was a text',
      'responses',
      { input: 'hi' },
      add('user', { apart: true }),
      {
        input: [
          { role: 'user', content: 'P ' },
          { role: 'user', content: 'hi' },
        ],
      },
    ],
    ['go into a prompt', 'completions', { prompt: 'hi' }, add('user'), { prompt: 'P hi' }],
    ['go into each of several prompts', 'completions', { prompt: ['a', 'b'] }, add('user'), { prompt: ['P a', 'P b'] }],
  ];
  for (const [what, dialect, body, edit, expected] of table) {
    it(`${what} (${dialect})`, () => assert.deepEqual(edited(dialect, body, [[edit]]), expected));
  }

  it('are refused where there are no messages', () => {
    assert.throws(() => edited('embeddings', { input: 'x' }, [[add('user')]]), { code: 'check_failed' });
    assert.throws(() => edited('completions', { prompt: [[1, 2]] }, [[add('user')]]), { code: 'check_failed' });
    assert.throws(
      () =>
        patched({ choices: [] }, readChat({}), [{ scan: { texts: [], places: [] }, edits: [add('user')] }], {
          dialect: 'chat',
          part: 'reply',
        }),
      { code: 'check_failed' },
    );
  });
});
