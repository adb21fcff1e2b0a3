import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { type Delta, dialects, parseJson } from 'portcullis/sdk';
import type { Reading } from '../../../plugins/guardrails/scan/reading.ts';
import type { ClientFormat } from '../../../plugins/guardrails/stream/events.ts';
import type { Looked } from '../../../plugins/guardrails/stream/window-options.ts';
import { answer, mask, pass, text, textOf, understood, windows, wireOf } from './windows.ts';

const secret = 'jane.doe42@example.org';
const pattern = /[\w.]{1,64}@[\w.]+\w/g;
/** What a client may see of a secret: not even a part that tells anything. */
const fewCharacters = 6;

/** Words with white space between them, some outside the basic plane, none that looks like a part of the secret. */
const filler = fc
  .array(fc.constantFrom('Ä', 'zu', '🦊🦊', 'BIG', '漢字', 'x'.repeat(17), '\n', '"', '\\', '1'), { maxLength: 60 })
  .map((words) => words.join(' '));

const clients: readonly ClientFormat[] = [dialects.chat, dialects.completions, dialects.messages, dialects.responses];

/** Cuts at the given places, wherever they fall. */
function pieces<T extends string | Buffer>(whole: T, cuts: readonly number[]): readonly T[] {
  const places = [...new Set(cuts.map((cut) => cut % (whole.length + 1)))].toSorted((a, b) => a - b);
  return [...places, whole.length].map(
    (place, index) => whole.slice(index === 0 ? 0 : (places[index - 1] ?? 0), place) as T,
  );
}

const cuts = fc.array(fc.nat(10_000), { maxLength: 40 });

describe('a masked text', () => {
  it('never reaches the client, not even in parts, however the provider cuts its stream', () => {
    fc.assert(
      fc.property(
        fc.record({
          dialect: fc.constantFrom(...clients),
          before: filler,
          after: filler,
          tokens: fc.integer({ min: 8, max: 64 }),
          overlap: fc.integer({ min: 0, max: 64 }),
          deltaCuts: cuts,
          byteCuts: cuts,
        }),
        ({ dialect, before, after, tokens, overlap, deltaCuts, byteCuts }) => {
          const said = `${before} ${secret} ${after}`;
          const { source, client } = windows(mask(pattern), { tokens, overlap }, { dialect });
          const bytes = Buffer.from(wireOf(answer(...pieces(said, deltaCuts)), dialect));
          for (const chunk of pieces(bytes, byteCuts)) source.push(chunk);
          source.end();

          const steps = understood(client.bytes, dialect);
          assert.equal(textOf(steps), `${before} [X] ${after}`);
          for (let from = 0; from + fewCharacters <= secret.length; from += 1)
            assert.ok(!client.bytes.includes(secret.slice(from, from + fewCharacters)), client.bytes);
          assert.deepEqual(
            steps.filter(({ type }) => type === 'end' || type === 'fault').map(({ type }) => type),
            ['end'],
          );
        },
      ),
      { numRuns: 400 },
    );
  });

  it('never reaches the client where nothing parts the words, as long as the overlap is as long as it', () => {
    fc.assert(
      fc.property(
        fc.record({
          before: fc.nat(200),
          after: fc.nat(200),
          tokens: fc.integer({ min: 8, max: 40 }),
          deltaCuts: cuts,
        }),
        ({ before, after, tokens, deltaCuts }) => {
          const said = `${'漢'.repeat(before)}<${secret}>${'字'.repeat(after)}`;
          const { source, client } = windows(mask(pattern), { tokens, overlap: 7 });
          source.push(wireOf(answer(...pieces(said, deltaCuts))));
          source.end();
          assert.equal(textOf(understood(client.bytes)), said.replace(secret, '[X]'));
          assert.ok(!client.bytes.includes('example') && !client.bytes.includes('jane'), client.bytes);
        },
      ),
      { numRuns: 300 },
    );
  });

  it('that is longer than all that may be held is masked once, up to its end', () => {
    const key = /BEGIN KEY(?:[\s\S]*?END KEY|[\s\S]*)/g;
    for (const length of [10, 40, 700, 40_000]) {
      for (const overlap of [0, 4, 7]) {
        const said = `It is BEGIN KEY${'0a1b2c3d4e\n'.repeat(length / 10)}END KEY, and no more of it than that.`;
        const { source, client } = windows(mask(key), { tokens: 8, overlap });
        source.push(wireOf(answer(...(said.match(/[\s\S]{1,5}/g) ?? []))));
        source.end();
        assert.equal(textOf(understood(client.bytes)), 'It is [X], and no more of it than that.');
      }
    }
  });

  it('is said once where a change of every word grows with a word', () => {
    const shout = (reading: Reading): Looked => ({
      ...pass(),
      edits: new Map(
        reading.fragments.map(({ path, text: said }) => [
          String(path[0]),
          [{ start: 0, end: said.length, with: said.toUpperCase() }],
        ]),
      ),
    });
    const said = 'a text that is much longer than what may be held of it at once';
    const { source, client } = windows(shout, { tokens: 4, overlap: 2 });
    source.push(wireOf(answer(...(said.match(/.{1,3}/g) ?? []))));
    source.end();
    assert.equal(textOf(understood(client.bytes)), said.toUpperCase());
  });

  it('is masked for a word before it, however little of that stays', () => {
    const said = `The password: ${'hunter22'.repeat(20)} and more of it than that, much more.`;
    for (const overlap of [0, 2, 7]) {
      const { source, client } = windows(mask(/(?<=password: )\S+/g), { tokens: 8, overlap });
      source.push(wireOf(answer(...(said.match(/.{1,5}/g) ?? []))));
      source.end();
      assert.equal(textOf(understood(client.bytes)), 'The password: [X] and more of it than that, much more.');
    }
  });

  it('may be one of no length: what is put before a word stands there once', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 8, max: 20 }),
        fc.nat(20),
        fc.integer({ min: 1, max: 30 }),
        (tokens, overlap, chunk) => {
          const said = 'one foo two three foo foo and so on foo, and a foo at the end of foo';
          const { source, client } = windows(mask(/(?=foo)|$/g, '*'), { tokens, overlap });
          source.push(wireOf(answer(...(said.match(new RegExp(`.{1,${chunk}}`, 'g')) ?? []))));
          source.end();
          assert.equal(textOf(understood(client.bytes)).replaceAll(/\*(?!foo)/g, ''), said.replaceAll('foo', '*foo'));
        },
      ),
    );
  });

  it('is masked in each of several answers that come by turns', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(2), fc.constantFrom('ab ', secret, 'longer words ', ' ')), { maxLength: 60 }),
        fc.integer({ min: 8, max: 20 }),
        (turns, tokens) => {
          const said = [0, 1, 2].map((choice) => turns.map(([at, word]) => (at === choice ? word : '')).join(''));
          const { source, client } = windows(mask(new RegExp(secret, 'g')), { tokens, overlap: tokens });
          const deltas = turns.map(([choice, word]) => text(word, choice));
          const [first, ...rest] = answer();
          if (first !== undefined) source.push(wireOf([first, ...deltas, ...rest]));
          source.end();
          const steps = understood(client.bytes);
          for (const choice of [0, 1, 2])
            assert.equal(textOf(steps, 'text', choice), said[choice]?.replaceAll(secret, '[X]'));
        },
      ),
      { numRuns: 200 },
    );
  });

  it('leaves the arguments of tools JSON, whatever is escaped around it, and wherever they are cut', () => {
    const words = fc.constantFrom('é', '\n', '"', '\\', 'x', 'a', ' ', '漢', 'S3CRET', 'S3CRET');
    fc.assert(
      fc.property(
        fc.array(words, { maxLength: 80 }),
        fc.integer({ min: 8, max: 24 }),
        cuts,
        (parts, tokens, places) => {
          const said = JSON.stringify({ text: parts.join(''), more: parts }).replaceAll(
            /[^\x20-\x7e]/g,
            (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
          );
          const { source, client } = windows(mask(/[a-f0-9u]{0,6}S3CRET/g, '"\\'), { tokens, overlap: 4 });
          const call = { type: 'tool-call', choice: 0, block: 0, id: 'call_1', name: 'send' } as const;
          const written = pieces(said, places).map(
            (piece): Delta => ({ type: 'tool-arguments', choice: 0, block: 0, text: piece }),
          );
          const [first = call, ...rest] = answer();
          source.push(wireOf([first, call, ...written, ...rest]));
          source.end();
          const got = textOf(understood(client.bytes), 'tool-arguments');
          assert.notEqual(parseJson(got), undefined, got);
          assert.doesNotMatch(got, /S3CRET/);
        },
      ),
      { numRuns: 400 },
    );
  });

  it('is never parted from the other half of its characters', () => {
    const { source, client } = windows(mask(pattern), { tokens: 8, overlap: 1 });
    source.push(wireOf(answer(`${'🦊'.repeat(100)}x`)));
    source.end();
    assert.doesNotMatch(client.bytes, /\\ud8/i);
    assert.equal(textOf(understood(client.bytes)), `${'🦊'.repeat(100)}x`);
  });
});
