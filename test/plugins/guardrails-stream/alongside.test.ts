import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import type { JsonObject } from 'portcullis/sdk';
import { mask, pass, textOf, understood, windows } from './windows.ts';

const secret = 'jane@example.org';
const words = fc.array(fc.constantFrom('a ', 'longer words ', `${'x'.repeat(20)} `, 'b\n'), { maxLength: 20 });
const said = fc
  .tuple(words, fc.boolean(), words, fc.array(fc.nat(400), { maxLength: 25 }))
  .map(([before, tells, after, cuts]) => {
    const whole = [...before, tells ? `${secret} ` : '', ...after].join('');
    const places = [0, ...cuts.filter((cut) => cut < whole.length).toSorted((a, b) => a - b), whole.length];
    return { whole, pieces: places.slice(1).map((place, index) => whole.slice(places[index], place)) };
  });

/** The pieces of all, in an order that the turns give. */
function mixed(queues: readonly (readonly JsonObject[])[], turns: readonly number[]): readonly JsonObject[] {
  const waiting = queues.map((queue) => [...queue]);
  return [...turns.flatMap((turn) => waiting[turn]?.splice(0, 1) ?? []), ...waiting.flat()];
}

const chunk = (delta: JsonObject, reason: string | null = null) =>
  `data: ${JSON.stringify({ id: 'c', model: 'm', choices: [{ index: 0, delta, finish_reason: reason }] })}\n\n`;

it('a secret does not go out in part, be it written, heard or in an unknown field, in whatever order pieces come', () => {
  fc.assert(
    fc.property(
      said,
      said,
      said,
      fc.array(fc.nat(2), { maxLength: 100 }),
      fc.integer({ min: 5, max: 40 }),
      fc.boolean(),
      (written, spoken, unknown, turns, tokens, masks) => {
        const deltas = mixed(
          [
            written.pieces.map((content) => ({ content })),
            spoken.pieces.map((transcript) => ({ audio: { id: 'audio_1', transcript } })),
            unknown.pieces.map((new_field) => ({ new_field })),
          ],
          turns,
        );
        const look = masks ? mask(new RegExp(secret, 'g')) : pass;
        const { source, client } = windows(look, { tokens, overlap: tokens });
        for (const delta of deltas) source.push(chunk(delta));
        source.push(`${chunk({}, 'stop')}data: [DONE]\n\n`);
        source.end();

        const steps = understood(client.bytes);
        const heard = steps.map((step) => (step.type === 'audio' ? String(step.audio.transcript) : '')).join('');
        assert.equal(textOf(steps), masks ? written.whole.replace(secret, '[X]') : written.whole);
        if (masks) assert.doesNotMatch(client.bytes, /@/);
        else assert.equal(heard, spoken.whole);
        assert.equal(steps.at(-1)?.type, 'end');
      },
    ),
    { numRuns: 400 },
  );
});
