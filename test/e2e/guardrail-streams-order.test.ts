import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { asObject, asObjects, type JsonObject } from 'portcullis/sdk';
import { guarded, says, without } from '../plugins/guardrails/guarded.ts';
import { hooksOf, idsIn, resultsIn } from '../plugins/guardrails-stream/readers.ts';
import { lenient } from '../plugins/guardrails-stream/serving.ts';
import { answer, textOf, understood, wireOf } from '../plugins/guardrails-stream/windows.ts';
import type { ConfigFragment } from '../support/gateway.ts';
import { startPeer } from '../support/peer.ts';
import { noUnhandledRejections } from '../support/rejections.ts';
import { target } from '../support/routed.ts';

noUnhandledRejections();

const windowed: JsonObject = {
  stream_mode: 'window',
  stream_window: { tokens: 16, ms: 10_000, overlap_tokens: 8 },
};
const swaps = (rule: string, redactText: string, more: JsonObject = {}): JsonObject => ({
  'default.regexReplace': { rule, redactText },
  ...windowed,
  ...more,
});
const denies = (word: string, more: JsonObject = {}): JsonObject => ({
  ...without(word),
  deny: true,
  ...windowed,
  ...more,
});
const sequential = { sequential: true };
const filler = 'and so on it goes for quite a while, ';

interface Given {
  readonly said: string;
  readonly config: JsonObject;
  readonly imposed?: NonNullable<ConfigFragment['guardrails']>[string];
}

/** What the client gets of a streamed answer, how it ends, and what its results tell. */
async function streamed(t: TestContext, { said, config, imposed }: Given) {
  const peer = await startPeer(t);
  peer.always({ events: [wireOf(answer(...(said.match(/.{1,5}/gs) ?? [])))] });
  const fragment = imposed && { guardrails: { imposed }, defaultGuardrails: { output: ['imposed'] } };
  const { ask } = await guarded(t, fragment);
  const reply = await ask(target(peer, config), says('x', { stream: true }), lenient);
  const deltas = reply.status === 200 ? understood(reply.text) : [];
  const results =
    reply.status === 200 ? resultsIn(reply.text).at(-1)?.results : (asObject(reply.json.hook_results) ?? {});
  const reason = deltas.find((delta) => delta.type === 'finish')?.reason;
  return { status: reply.status, text: textOf(deltas), reason, ids: idsIn(results), hooks: hooksOf(results) };
}

describe('the order of guardrails in the windows of a stream', () => {
  for (const [what, rule, changed] of [
    ['has', 'secret\\d+', true],
    ['has not', 'nothing', false],
  ] as const)
    it(`tells a sequential one that one before it ${what} changed the answer`, async (t) => {
      const { hooks } = await streamed(t, {
        said: 'it is secret123 ok.',
        config: {
          output_guardrails: [
            swaps(rule, '[X]', sequential),
            { id: 'last', 'test-probe.sees': {}, ...windowed, ...sequential },
          ],
        },
      });
      const [check] = asObjects(hooks.find(({ id }) => id === 'last')?.checks);
      assert.deepEqual(asObject(check?.data)?.changed, { request: false, reply: changed });
    });

  for (const before of ['', filler.repeat(4)]) {
    const where = before === '' ? 'the first window' : 'a later window';

    it(`has a sequential one see what those before it made: ${where}`, async (t) => {
      const { status, text, reason } = await streamed(t, {
        said: `${before}it is secret123 ok. ${filler}`,
        config: { output_guardrails: [denies('secret123', sequential), swaps('secret\\d+', '[X]')] },
      });
      assert.deepEqual([status, text, reason], [200, `${before}it is [X] ok. ${filler}`, 'stop']);
    });

    it(`has a sequential one deny what those before it made: ${where}`, async (t) => {
      const { status, text, ids } = await streamed(t, {
        said: `${before}it is sec§ret123 ok. ${filler}`,
        config: {
          output_guardrails: [
            { id: 'gate', ...denies('secret123', sequential) },
            { id: 'joins', ...swaps('§', '') },
            { id: 'late', ...denies('absent', sequential) },
          ],
        },
      });
      assert.equal(status, before === '' ? 446 : 200);
      assert.ok(!text.includes('secret') && !text.includes('sec§'), text);
      if (before === '') assert.deepEqual(ids, ['joins', 'gate']);
    });

    it(`has mutators run in their order, behind all guardrails: ${where}`, async (t) => {
      const mutators = [swaps('ada', 'grace'), swaps('grace hop', 'G. H')];
      const said = `${before}to ada hopper, and ${filler}`;
      for (const [list, got] of [
        [mutators, 'G. Hper'],
        [mutators.toReversed(), 'grace hopper'],
      ] as const) {
        const { text } = await streamed(t, {
          said,
          config: { output_mutators: [...list], output_guardrails: [denies('grace', sequential)] },
        });
        assert.equal(text, `${before}to ${got}, and ${filler}`);
      }
    });

    it(`has the checks of a sequential one see each other: ${where}`, async (t) => {
      const checks = [
        { id: 'default.regexReplace', parameters: { rule: 'one', redactText: 'two' } },
        { id: 'default.regexReplace', parameters: { rule: 'two', redactText: 'three' } },
      ];
      for (const [order, got] of [
        [sequential, 'three'],
        [{}, 'two'],
      ] as const) {
        const config = { output_guardrails: [{ checks, ...windowed, ...order }] };
        const { text } = await streamed(t, { said: `${before}one, ${filler}`, config });
        assert.equal(text, `${before}${got}, ${filler}`);
      }
    });
  }

  it('runs nothing behind the first that denies', async (t) => {
    const { status, ids } = await streamed(t, {
      said: `badword ${filler}`,
      config: {
        output_guardrails: [
          { id: 'first', ...denies('badword', sequential) },
          { id: 'second', ...denies('badword', sequential) },
        ],
        output_mutators: [{ id: 'mutator', ...swaps('badword', '[X]') }],
      },
    });
    assert.deepEqual([status, ids], [446, ['first']]);
  });

  it('goes on with the mask of a mutator that is longer than a window, behind another one', async (t) => {
    const key = `BEGIN KEY ${'0a1b2c3d4e '.repeat(40)}`;
    const { text } = await streamed(t, {
      said: `It is ${key}END KEY, and ${filler}`,
      config: { output_mutators: [swaps('It', 'That'), swaps('BEGIN KEY(?:[\\s\\S]*?END KEY|[\\s\\S]*)', '[X]')] },
    });
    assert.equal(text, `That is [X], and ${filler}`);
  });

  it('leaves a shadow without effect', async (t) => {
    const { text, hooks } = await streamed(t, {
      said: `ada ${filler}`,
      config: {
        output_guardrails: [
          { id: 'shadow', ...swaps('ada', 'badword', { ...sequential, mode: 'shadow' }) },
          { id: 'gate', ...denies('badword', sequential) },
        ],
      },
    });
    assert.equal(text, `ada ${filler}`);
    assert.deepEqual(
      hooks.map(({ id, verdict }) => [id, verdict]),
      [
        ['shadow', true],
        ['gate', true],
      ],
    );
  });
});

describe('a sequential default in the windows of a stream', () => {
  const gate = {
    checks: [{ id: 'default.contains', parameters: { operator: 'none', words: ['badword'] } }],
    actions: { deny: true, ...sequential, ...windowed },
  };

  it('sees what the model said, whatever the caller makes of it', async (t) => {
    const { status } = await streamed(t, {
      said: `badword ${filler}`,
      config: { output_guardrails: [swaps('badword', 'fine')] },
      imposed: gate,
    });
    assert.equal(status, 446);
  });

  it('looks again at what mutators of the caller make, one after the other', async (t) => {
    const { status, text, reason } = await streamed(t, {
      said: `${filler.repeat(4)}a b c ${filler}`,
      config: { output_mutators: [swaps('a b', 'bad'), swaps('bad c', 'badword')] },
      imposed: gate,
    });
    assert.equal(status, 200);
    assert.ok(!text.includes('badword'), text);
    assert.equal(reason, 'content_filter');
  });

  it('gives what it has masked to the mutators of the caller', async (t) => {
    const mask = {
      checks: [{ id: 'default.regexReplace', parameters: { rule: 'secret\\d+', redactText: '[X]' } }],
      actions: { ...sequential, ...windowed },
    };
    const { text } = await streamed(t, {
      said: `${filler.repeat(4)}is secret123 ok. ${filler}`,
      config: { output_mutators: [swaps('is (\\S+) ok', 'holds $1'), swaps('\\[X\\]', '[Y]')] },
      imposed: mask,
    });
    assert.ok(text.includes('[Y]') && !text.includes('secret'), text);
  });
});
