import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { messages } from '../../../../sdk/dialects/messages/index.ts';
import type { Delta } from '../../../../sdk/dialects/neutral.ts';
import { asNumber, asObject } from '../../../../sdk/json.ts';
import { contextOf, deltasOf, eventsOf, fixture, wireOf } from './support.ts';

const start: Delta = { type: 'start', id: 'msg_1', model: 'm' };
const finish: Delta = { type: 'finish', choice: 0, reason: 'stop' };
const end: Delta = { type: 'end' };
const at = (block: number) => ({ choice: 0, block });

/** Asserts that blocks are opened and closed one at a time, counting up; gives the event types. */
function shapeOf(text: string): unknown[] {
  let open: number | undefined;
  let next = 0;
  const events = eventsOf(text);
  for (const event of events) {
    const index = asNumber(event.index);
    if (event.type === 'content_block_start') {
      assert.equal(open, undefined);
      assert.equal(index, next++);
      open = index;
    } else if (event.type === 'content_block_delta') assert.equal(index, open);
    else {
      if (event.type === 'content_block_stop') assert.equal(index, open);
      else assert.equal(open, undefined);
      open = undefined;
    }
  }
  return events.map((event) => event.type);
}

/** The answer of a stream, block by block. */
function contentOf(deltas: readonly Delta[]): unknown[] {
  const blocks = new Map<number, { type: string; text: string }>();
  for (const delta of deltas) {
    if (!('block' in delta)) continue;
    const block = blocks.get(delta.block) ?? { type: '', text: '' };
    blocks.set(delta.block, block);
    if (delta.type === 'tool-call') block.type = `tool ${delta.id} ${delta.name}`;
    else if (delta.type === 'redacted-thinking') block.type = `redacted ${delta.data}`;
    else if (delta.type === 'signature') block.type = `signed ${delta.signature}`;
    else if ('text' in delta) {
      block.type ||= delta.type === 'thinking' ? 'thinking' : 'text';
      block.text += delta.text;
    }
  }
  return [...blocks.entries()].sort(([a], [b]) => a - b).map(([, block]) => block);
}

describe('encoding a messages stream', () => {
  for (const name of ['basic', 'tool-use', 'thinking', 'web-search']) {
    it(`gives back the ${name} stream`, () => {
      const deltas = deltasOf(fixture(`${name}.stream.txt`));
      const text = wireOf(deltas);
      shapeOf(text);
      const back = deltasOf(text);
      assert.deepEqual(contentOf(back), contentOf(deltas));
      assert.deepEqual(
        back.filter((delta) => delta.type === 'part' || delta.type === 'citation' || delta.type === 'finish'),
        deltas.filter((delta) => delta.type === 'part' || delta.type === 'citation' || delta.type === 'finish'),
      );
    });
  }

  it('sends a whole message even for an empty answer', () => {
    assert.deepEqual(shapeOf(wireOf([start, finish, end])), ['message_start', 'message_delta', 'message_stop']);
    assert.deepEqual(shapeOf(wireOf([end])), ['message_start', 'message_delta', 'message_stop']);
  });

  it('says the usage where it is known: at the start, at the end, or both', () => {
    const usage = { input: 30, output: 1, cacheRead: 20 };
    const early = eventsOf(wireOf([{ ...start, usage }, finish, end]));
    assert.deepEqual(asObject(asObject(early[0]?.message)?.usage), {
      input_tokens: 10,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 20,
      output_tokens: 1,
    });
    const late = eventsOf(wireOf([start, finish, { type: 'usage', usage: { ...usage, output: 9 } }, end]));
    assert.equal(asObject(asObject(late[0]?.message)?.usage)?.output_tokens, 0);
    assert.deepEqual(late[1]?.usage, {
      input_tokens: 10,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 20,
      output_tokens: 9,
    });
  });

  it('holds back a later call while the arguments of an earlier one still come', () => {
    const encoder = messages.encodeStream(contextOf());
    const sent = (delta: Delta) =>
      eventsOf(encoder.push(delta)).map((event) => `${event.type} ${event.index ?? ''}`.trim());
    sent(start);
    assert.deepEqual(sent({ type: 'tool-call', ...at(0), id: 'a', name: 'f' }), ['content_block_start 0']);
    assert.deepEqual(sent({ type: 'tool-arguments', ...at(0), text: '{"x":' }), ['content_block_delta 0']);
    assert.deepEqual(sent({ type: 'tool-call', ...at(1), id: 'b', name: 'g' }), []);
    assert.deepEqual(sent({ type: 'tool-arguments', ...at(1), text: '{}' }), []);
    assert.deepEqual(sent({ type: 'tool-arguments', ...at(0), text: '"}"}' }), [
      'content_block_delta 0',
      'content_block_stop 0',
      'content_block_start 1',
      'content_block_delta 1',
    ]);
    assert.deepEqual(sent(finish), ['content_block_stop 1']);
  });

  const argumentTable: readonly [readonly string[], boolean, unknown][] = [
    [['free ', 'text "'], true, { input: 'free text "' }],
    [['"just', ' a string"'], false, { input: '"just a string"' }],
    [[' ', '{"a":', '"\\"}"}', ' '], false, { a: '"}' }],
    [[], false, {}],
  ];
  for (const [fragments, custom, input] of argumentTable) {
    it(`sends the arguments ${JSON.stringify(fragments)} as an object`, () => {
      const call: Delta = { type: 'tool-call', ...at(0), id: 'a', name: 'f', ...(custom ? { custom } : {}) };
      const steps = fragments.map((text): Delta => ({ type: 'tool-arguments', ...at(0), text }));
      const written = deltasOf(wireOf([start, call, ...steps, finish, end])).flatMap((delta) =>
        delta.type === 'tool-arguments' ? [delta.text] : [],
      );
      assert.deepEqual(JSON.parse(written.join('')), input);
    });
  }

  it('opens a block anew for text after a tool call and for text that comes late', () => {
    const text = wireOf([
      start,
      { type: 'text', ...at(0), text: 'a' },
      { type: 'tool-call', ...at(1), id: 'a', name: 'f' },
      { type: 'tool-arguments', ...at(1), text: '{}' },
      { type: 'text', ...at(2), text: 'b' },
      { type: 'refusal', ...at(3), text: 'No.' },
      { type: 'redacted-thinking', ...at(4), data: 'EmwK' },
      finish,
      end,
    ]);
    assert.equal(shapeOf(text).filter((type) => type === 'content_block_start').length, 5);
    assert.equal(asObject(eventsOf(text).at(-2)?.delta)?.stop_reason, 'refusal');
  });

  it('ends with an error event on a fault and says nothing after it', () => {
    const text = wireOf([
      start,
      { type: 'text', ...at(0), text: 'a' },
      { type: 'fault', fault: { status: 529, message: 'busy' } },
      finish,
      end,
    ]);
    assert.deepEqual(eventsOf(text).at(-1), { type: 'error', error: { type: 'overloaded_error', message: 'busy' } });
  });

  it('reports what only other formats hold', () => {
    const context = contextOf();
    wireOf(
      [
        start,
        { type: 'text', choice: 1, block: 0, text: 'b' },
        { type: 'logprobs', choice: 0, logprobs: {} },
        { type: 'extra', fields: { x: 1 } },
        finish,
        end,
      ],
      context,
    );
    assert.deepEqual(context.drops, ['choices', 'logprobs', 'x']);
  });

  it('carries any well-formed answer there and back', () => {
    const pieces = fc.array(fc.string({ minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 4 });
    const argumentText = fc
      .dictionary(fc.string(), fc.jsonValue(), { maxKeys: 3 })
      .map((value) => JSON.stringify(value));
    const block = fc.oneof(
      fc.record({ kind: fc.constantFrom('text', 'refusal', 'thinking', 'signed'), pieces }),
      fc.record({ kind: fc.constant('redacted'), pieces }),
      fc.record({ kind: fc.constant('tool'), pieces: argumentText.map((text) => text.match(/.{1,4}/gsu) ?? []) }),
    );
    const stepsOf = ({ kind, pieces: texts }: { kind: string; pieces: string[] }, number: number): Delta[] => {
      const where = at(number);
      if (kind === 'redacted') return [{ type: 'redacted-thinking', ...where, data: texts.join('') }];
      if (kind === 'tool') {
        const fragments = texts.map((text): Delta => ({ type: 'tool-arguments', ...where, text }));
        return [{ type: 'tool-call', ...where, id: `id_${number}`, name: 'f' }, ...fragments];
      }
      const type = kind === 'signed' ? 'thinking' : (kind as 'text' | 'refusal' | 'thinking');
      const fragments = texts.map((text): Delta => ({ type, ...where, text }));
      return kind === 'signed' ? [...fragments, { type: 'signature', ...where, signature: 'sig' }] : fragments;
    };
    fc.assert(
      fc.property(fc.array(block, { maxLength: 8 }), fc.infiniteStream(fc.nat(9)), (blocks, picks) => {
        const steps: Delta[] = [];
        // Calls that stand side by side open in order and then mix their fragments.
        let mixed: Delta[][] = [];
        const flush = (): void => {
          while (mixed.some((queue) => queue.length > 0)) {
            const waiting = mixed.filter((queue) => queue.length > 0);
            const step = waiting[(picks.next().value ?? 0) % waiting.length]?.shift();
            if (step !== undefined) steps.push(step);
          }
          mixed = [];
        };
        blocks.forEach((item, number) => {
          const [first, ...rest] = stepsOf(item, number);
          if (item.kind !== 'tool') flush();
          if (first !== undefined) steps.push(first);
          if (item.kind === 'tool') mixed.push(rest);
          else steps.push(...rest);
        });
        flush();
        const text = wireOf([start, ...steps, finish, end]);
        shapeOf(text);
        assert.deepEqual(contentOf(deltasOf(text)), contentOf(steps));
      }),
      { numRuns: 300 },
    );
  });
});
