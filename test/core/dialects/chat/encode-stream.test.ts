import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { chat } from '../../../../sdk/dialects/chat/index.ts';
import type { Delta } from '../../../../sdk/dialects/neutral.ts';
import { deltasOf } from '../../../../sdk/dialects/replay.ts';
import { packToolCallId } from '../../../../sdk/dialects/tool-call-id.ts';
import type { JsonObject } from '../../../../sdk/json.ts';
import { anyParts, completionOf } from './arbitraries.ts';
import { context, encodeAll, events, frozen } from './codec.ts';

const start: Delta = { type: 'start', id: 'a', model: 'm', created: 1 };
const finish: Delta = { type: 'finish', choice: 0, reason: 'stop', native: 'end_turn' };
const text: Delta = { type: 'text', choice: 0, block: 0, text: 'Hi' };
const usage: Delta = { type: 'usage', usage: { input: 2, output: 1 } };
const end: Delta = { type: 'end' };
const header = { id: 'a', object: 'chat.completion.chunk', created: 1, model: 'm' };
const role = { index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null };

function write(strict: boolean, includeUsage: boolean, ...deltas: readonly Delta[]): readonly (JsonObject | string)[] {
  const request = includeUsage ? { stream_options: { include_usage: true } } : {};
  return events(encodeAll(chat.encodeStream(context(strict, request)), deltas));
}
const choicesOf = (written: readonly (JsonObject | string)[]): readonly JsonObject[] =>
  written.flatMap((event) => (typeof event === 'string' ? [] : (event.choices as readonly JsonObject[])));
const deltasIn = (written: readonly (JsonObject | string)[]) =>
  choicesOf(written).map((choice) => choice.delta as JsonObject);

describe('chat streams, written', () => {
  it('begin with the role, end with one finish and [DONE], and hold no usage unless asked', () => {
    assert.deepEqual(write(true, false, start, text, finish, usage, end), [
      { ...header, choices: [role] },
      { ...header, choices: [{ index: 0, delta: { content: 'Hi' }, finish_reason: null }] },
      { ...header, choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
      '[DONE]',
    ]);
  });

  it('hold usage in an extra chunk without choices when asked, and null in every other', () => {
    const written = write(true, true, start, text, finish, usage, end);
    assert.deepEqual(
      written.slice(0, -2).map((event) => (event as JsonObject).usage),
      [null, null, null],
    );
    assert.deepEqual(written.slice(-2), [
      { ...header, choices: [], usage: { prompt_tokens: 2, completion_tokens: 1, total_tokens: 3 } },
      '[DONE]',
    ]);
  });

  it('take usage that is known at the start only', () => {
    const written = write(true, true, { ...start, usage: { input: 4, output: 0 } }, finish, end);
    assert.equal(((written.at(-2) as JsonObject).usage as JsonObject).prompt_tokens, 4);
  });

  it('name a tool call once, count its place on, and carry the signature in the id', () => {
    const written = write(
      true,
      false,
      start,
      text,
      { type: 'tool-call', choice: 0, block: 1, id: 'c', name: 'f', signature: 's' },
      { type: 'tool-arguments', choice: 0, block: 1, text: '{}' },
      { type: 'tool-call', choice: 0, block: 4, id: 'd', name: 'g', custom: true },
      { type: 'tool-arguments', choice: 0, block: 4, text: 'x' },
      { ...finish, reason: 'tool_calls' },
      end,
    );
    assert.deepEqual(
      deltasIn(written).flatMap((delta) => delta.tool_calls ?? []),
      [
        { index: 0, id: packToolCallId('c', 's'), type: 'function', function: { name: 'f', arguments: '' } },
        { index: 0, function: { arguments: '{}' } },
        { index: 1, id: 'd', type: 'custom', custom: { name: 'g', input: '' } },
        { index: 1, custom: { input: 'x' } },
      ],
    );
  });

  const thinking: readonly Delta[] = [
    { type: 'thinking', choice: 0, block: 0, text: 'hm' },
    { type: 'signature', choice: 0, block: 0, signature: 's' },
    { type: 'redacted-thinking', choice: 0, block: 1, data: 'x' },
    { ...text, block: 2 },
  ];
  it('say nothing of thinking when strict', () => {
    const encoder = chat.encodeStream(context(true));
    encoder.push(start);
    assert.deepEqual(
      thinking.map((delta) => encoder.push(delta) === ''),
      [true, true, true, false],
    );
  });
  it('hold thinking in content blocks when not strict, and the native word', () => {
    const written = write(false, false, start, ...thinking, finish, end);
    assert.deepEqual(deltasIn(written).slice(1), [
      { content_blocks: [{ index: 0, delta: { thinking: 'hm' } }] },
      { content_blocks: [{ index: 0, delta: { signature: 's' } }] },
      { content_blocks: [{ index: 1, delta: { data: 'x' } }] },
      { content: 'Hi', content_blocks: [{ index: 2, delta: { text: 'Hi' } }] },
      {},
    ]);
    assert.equal(choicesOf(written).at(-1)?.native_finish_reason, 'end_turn');
  });

  const named = (strict: boolean) => {
    const watched = { ...context(strict), reasoningField: 'reasoning' };
    const written = events(encodeAll(chat.encodeStream(watched), [start, ...thinking, finish, end]));
    return { deltas: deltasIn(written).slice(1), lost: watched.lost };
  };
  it('hold thinking, but no signature, in the field that the context names when strict', () => {
    assert.deepEqual(named(true), {
      deltas: [{ reasoning: 'hm' }, { content: 'Hi' }, {}],
      lost: ['thinking', 'thinking'],
    });
  });
  it('hold thinking in that field beside the content blocks when not strict', () => {
    assert.deepEqual(named(false), {
      deltas: [
        { reasoning: 'hm', content_blocks: [{ index: 0, delta: { thinking: 'hm' } }] },
        { content_blocks: [{ index: 0, delta: { signature: 's' } }] },
        { content_blocks: [{ index: 1, delta: { data: 'x' } }] },
        { content: 'Hi', content_blocks: [{ index: 2, delta: { text: 'Hi' } }] },
        {},
      ],
      lost: [],
    });
  });

  it('send log probabilities with the text that follows', () => {
    const logprobs = { content: [{ token: 'Hi' }] };
    const written = write(true, false, start, { type: 'logprobs', choice: 0, logprobs }, text, finish, end);
    assert.deepEqual(choicesOf(written)[1], { index: 0, delta: { content: 'Hi' }, logprobs, finish_reason: null });
  });

  it('send unknown fields with the next chunk when not strict', () => {
    const extra: Delta = { type: 'extra', fields: { provider: 'x' } };
    const ofChoice: Delta = { type: 'extra', choice: 0, fields: { safety: 1, message: { odd: 2 } } };
    const [, second] = write(false, false, start, extra, ofChoice, text, finish, end);
    assert.equal((second as JsonObject).provider, 'x');
    assert.deepEqual(choicesOf([second ?? ''])[0], {
      index: 0,
      delta: { odd: 2, content: 'Hi', content_blocks: [{ index: 0, delta: { text: 'Hi' } }] },
      safety: 1,
      finish_reason: null,
    });
    assert.equal(
      JSON.stringify(write(true, false, start, extra, ofChoice, text, finish, end)).includes('safety'),
      false,
    );
  });

  it('end with the error and without [DONE] on a fault', () => {
    const fault: Delta = { type: 'fault', fault: { status: 529, message: 'busy', type: 'overloaded_error' } };
    assert.deepEqual(write(true, true, start, text, fault, end).at(-1), {
      error: { message: 'busy', type: 'overloaded_error', param: null, code: null },
    });
  });

  it('are complete even when nothing was said', () => {
    assert.deepEqual(
      choicesOf(write(true, false, end)).map((choice) => choice.finish_reason),
      [null, 'stop'],
    );
  });

  it('keep the rules of the format for every well-formed stream', () => {
    fc.assert(
      fc.property(completionOf(anyParts), fc.boolean(), fc.boolean(), (completion, strict, includeUsage) => {
        const written = write(strict, includeUsage, ...deltasOf(frozen(completion)));
        assert.equal(written.at(-1), '[DONE]');
        const choices = choicesOf(written);
        for (const { index } of completion.choices) {
          const own = choices.filter((choice) => choice.index === index);
          assert.equal(own.filter((choice) => choice.finish_reason !== null).length, 1);
          assert.deepEqual(own[0]?.delta, { role: 'assistant', content: '' });
          const calls = own.flatMap(
            (choice) => ((choice.delta as JsonObject).tool_calls ?? []) as readonly JsonObject[],
          );
          const named = calls.filter((call) => call.id !== undefined).map((call) => call.index);
          assert.deepEqual(
            named,
            named.map((_, place) => place),
          );
        }
        const counted = written.filter((event) => typeof event !== 'string' && event.usage);
        assert.equal(counted.length, includeUsage ? 1 : 0);
        if (strict) assert.equal(JSON.stringify(written).includes('content_blocks'), false);
      }),
    );
  });
});
