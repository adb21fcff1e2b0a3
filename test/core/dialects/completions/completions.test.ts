import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { completions } from '../../../../sdk/dialects/completions/index.ts';
import type { Call, Completion, Delta } from '../../../../sdk/dialects/neutral.ts';
import { deltasOf } from '../../../../sdk/dialects/replay.ts';
import { GatewayError } from '../../../../sdk/errors.ts';
import { asObject, asObjects, type JsonObject } from '../../../../sdk/json.ts';
import { context, decodeBytes, encodeAll, events, frozen } from '../chat/codec.ts';

const decode = (body: JsonObject): Call => completions.decodeCall(frozen(body), context());
const refuses = (run: () => unknown, param: string): void =>
  assert.throws(
    run,
    (error) => GatewayError.is(error) && error.code === 'translation_unsupported' && error.param === param,
  );

describe('text completion requests', () => {
  for (const prompt of ['Say this is a test', ['Say this is a test']]) {
    it(`hold one message of the user for ${JSON.stringify(prompt)}`, () => {
      assert.deepEqual(
        decode({ model: 'm', prompt, max_tokens: 7, stop: '\n', logprobs: 2, best_of: 1, echo: false }),
        {
          model: 'm',
          messages: [{ role: 'user', parts: [{ type: 'text', text: 'Say this is a test' }] }],
          maxTokens: 7,
          stop: ['\n'],
          dialect: 'completions',
          extra: { logprobs: 2 },
        },
      );
    });
  }

  const refused: readonly (readonly [string, JsonObject, string])[] = [
    ['several prompts', { prompt: ['a', 'b'] }, 'prompt'],
    ['token numbers', { prompt: [1, 2] }, 'prompt'],
    ['lists of token numbers', { prompt: [[1, 2]] }, 'prompt'],
    ['no prompt', {}, 'prompt'],
    ['a suffix', { prompt: 'a', suffix: 'b' }, 'suffix'],
    ['an echo', { prompt: 'a', echo: true }, 'echo'],
    ['the best of several', { prompt: 'a', best_of: 2 }, 'best_of'],
  ];
  for (const [name, body, param] of refused) {
    it(`cannot be translated with ${name}`, () => refuses(() => decode({ model: 'm', ...body }), param));
  }

  it('come out as they went in', () => {
    const body = {
      model: 'm',
      prompt: 'a',
      max_tokens: 7,
      temperature: 0,
      n: 2,
      stream: true,
      stop: ['x'],
      logprobs: 2,
      stream_options: { include_usage: true },
    };
    assert.deepEqual(completions.encodeCall(decode(body), context(true)), body);
  });

  const call = (more: Partial<Call>): Call => ({ model: 'm', messages: [], dialect: 'chat', extra: {}, ...more });
  it('hold a conversation as one prompt', () => {
    const said = (role: 'system' | 'user' | 'assistant', text: string) => ({
      role,
      parts: [{ type: 'text', text } as const],
    });
    const body = completions.encodeCall(
      frozen(
        call({
          messages: [said('system', 'Be brief.'), said('user', 'Hi'), said('assistant', 'Yes?'), said('user', 'Why?')],
        }),
      ),
      context(),
    );
    assert.equal(body.prompt, 'System: Be brief.\n\nUser: Hi\n\nAssistant: Yes?\n\nUser: Why?\n\nAssistant:');
  });

  const unsayable: readonly (readonly [string, Partial<Call>, string])[] = [
    ['tools', { tools: [{ type: 'function', name: 'f' }] }, 'tools'],
    ['structured output', { responseFormat: { type: 'json_object' } }, 'response_format'],
    [
      'images',
      { messages: [{ role: 'user', parts: [{ type: 'image', source: { kind: 'url', url: 'https://a.example' } }] }] },
      'messages',
    ],
  ];
  for (const [name, more, param] of unsayable) {
    it(`refuse ${name}`, () => refuses(() => completions.encodeCall(call(more), context()), param));
  }
});

const reply = {
  id: 'cmpl-uqkvlQyYK7bGYrRHQ0eXlWi7',
  object: 'text_completion',
  created: 1589478378,
  model: 'gpt-3.5-turbo-instruct',
  system_fingerprint: 'fp_44709d6fcb',
  choices: [{ text: '\n\nThis is indeed a test', index: 0, logprobs: { tokens: ['x'] }, finish_reason: 'length' }],
  usage: { prompt_tokens: 5, completion_tokens: 7, total_tokens: 12 },
};

describe('text completion replies', () => {
  it('come out as they went in', () => {
    const completion = completions.decodeReply(frozen(reply), context());
    assert.deepEqual(completion.choices[0]?.parts, [{ type: 'text', text: '\n\nThis is indeed a test' }]);
    const { logprobs: _, ...choice } = reply.choices[0] ?? {};
    assert.deepEqual(completions.encodeReply(completion, context()), {
      ...reply,
      choices: [{ ...choice, logprobs: { tokens: ['x'] }, native_finish_reason: 'length' }],
    });
  });

  it('leave out what is not text', () => {
    const watched = context(true);
    const written = completions.encodeReply(
      {
        id: 'a',
        model: 'm',
        choices: [
          {
            index: 0,
            parts: [
              { type: 'text', text: 'x' },
              { type: 'tool-call', id: 'c', name: 'f', arguments: '' },
            ],
            finish: 'tool_calls',
          },
        ],
      },
      watched,
    );
    assert.deepEqual(written.choices, [{ text: 'x', index: 0, logprobs: null, finish_reason: 'stop' }]);
    assert.deepEqual(watched.lost, ['message.tool-call']);
  });
});

describe('text completion streams', () => {
  const completion: Completion = {
    id: 'cmpl-1',
    model: 'm',
    created: 1,
    choices: [
      { index: 0, parts: [{ type: 'text', text: 'ab' }], finish: 'stop', extra: { logprobs: { tokens: ['ab'] } } },
      { index: 1, parts: [{ type: 'text', text: 'cd' }], finish: 'length' },
    ],
    usage: { input: 1, output: 2, total: 3 },
  };
  const written = encodeAll(
    completions.encodeStream(context(true, { stream_options: { include_usage: true } })),
    deltasOf(frozen(completion)),
  );

  it('hold text, one finish a choice, and usage when asked', () => {
    const header = { id: 'cmpl-1', object: 'text_completion', created: 1, model: 'm' };
    assert.deepEqual(events(written), [
      { ...header, choices: [{ text: 'ab', index: 0, logprobs: null, finish_reason: null }], usage: null },
      {
        ...header,
        choices: [{ text: '', index: 0, logprobs: { tokens: ['ab'] }, finish_reason: 'stop' }],
        usage: null,
      },
      { ...header, choices: [{ text: 'cd', index: 1, logprobs: null, finish_reason: null }], usage: null },
      { ...header, choices: [{ text: '', index: 1, logprobs: null, finish_reason: 'length' }], usage: null },
      { ...header, choices: [], usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 } },
      '[DONE]',
    ]);
  });

  const unknown: readonly Delta[] = [
    { type: 'start', id: 'cmpl-1', model: 'm', created: 1 },
    { type: 'extra', fields: { citations: ['c'] } },
    { type: 'text', choice: 0, block: 0, text: 'ab' },
    { type: 'extra', choice: 0, fields: { new_field: 'n', logprobs: { tokens: ['ab'] }, message: { content: 'no' } } },
    { type: 'finish', choice: 0, reason: 'stop' },
    { type: 'extra', fields: { late: true } },
    { type: 'end' },
  ];
  const header = { id: 'cmpl-1', object: 'text_completion', created: 1, model: 'm' };

  it('hold fields that the format does not know, where they stood', () => {
    assert.deepEqual(events(encodeAll(completions.encodeStream(context()), unknown)), [
      { citations: ['c'], ...header, choices: [{ text: 'ab', index: 0, logprobs: null, finish_reason: null }] },
      {
        ...header,
        choices: [{ new_field: 'n', text: '', index: 0, logprobs: { tokens: ['ab'] }, finish_reason: 'stop' }],
      },
      { late: true, ...header, choices: [] },
      '[DONE]',
    ]);
  });

  it('hold log probabilities beside the text that they are about, and none is lost', () => {
    const tokens = (...said: string[]) => ({ tokens: said, text_offset: said.map((_, at) => at) });
    const came = [
      { text: 'ab', index: 0, logprobs: tokens('a', 'b') },
      { text: '', index: 0, logprobs: tokens('c') },
      { text: 'cd', index: 0, logprobs: tokens('d') },
      { text: '', index: 0, logprobs: null, finish_reason: 'stop' },
    ];
    const decoder = completions.decodeStream(context());
    const frames = [...came.map((choice) => JSON.stringify({ id: 'cmpl-1', model: 'm', choices: [choice] })), '[DONE]'];
    const deltas = frames.flatMap((data) => decoder.push({ data }));
    const told = events(encodeAll(completions.encodeStream(context()), deltas))
      .flatMap((event) => (typeof event === 'string' ? [] : asObjects(event.choices)))
      .map(({ text, logprobs }) => [text, asObject(logprobs)?.tokens]);
    assert.deepEqual(told, [
      ['ab', ['a', 'b']],
      ['cd', ['c', 'd']],
      ['', undefined],
    ]);
  });

  it('hold none of these for strict clients', () => {
    const plain = events(encodeAll(completions.encodeStream(context(true)), unknown));
    assert.doesNotMatch(JSON.stringify(plain), /new_field|citations|late/);
  });

  it('are read back', () => {
    const read = decodeBytes(completions.decodeStream(context()), Buffer.from(written), [7]);
    const texts = read.flatMap((delta) => (delta.type === 'text' ? [[delta.choice, delta.text]] : []));
    assert.deepEqual(texts, [
      [0, 'ab'],
      [1, 'cd'],
    ]);
    assert.deepEqual(read.slice(-2), [{ type: 'usage', usage: { input: 1, output: 2, total: 3 } }, { type: 'end' }]);
  });

  it('end with the error and without [DONE] on a fault', () => {
    const fault: Delta = { type: 'fault', fault: { status: 500, message: 'boom' } };
    const [event, ...rest] = events(encodeAll(completions.encodeStream(context()), [fault, { type: 'end' }]));
    assert.deepEqual(event, { error: { message: 'boom', type: 'api_error', param: null, code: null } });
    assert.deepEqual(rest, []);
  });
});
