import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { Delta } from 'portcullis/sdk';
import { withPlainEscapes } from '../../../plugins/guardrails/scan/plain-escapes.ts';
import { PlainArguments } from '../../../plugins/guardrails/stream/plain-arguments.ts';
import { end, finish, start, text } from './windows.ts';

const piece = (said: string, block = 0, choice = 0): Delta => ({ type: 'tool-arguments', choice, block, text: said });

function plain(...deltas: readonly Delta[]): readonly Delta[] {
  const steps = new PlainArguments();
  return [...deltas.flatMap((delta) => steps.push(delta)), ...steps.end()];
}

const said = (deltas: readonly Delta[]) =>
  deltas.map((delta) => (delta.type === 'tool-arguments' ? delta.text : '')).join('');

describe('the escapes in streamed arguments', () => {
  it('are undone as in a whole reply, wherever the pieces are cut', () => {
    const unit = fc.constantFrom(
      '\\u0062',
      '\\u00E9',
      '\\ud83e\\udd8a',
      '\\ud83e',
      '\\u0000',
      '\\\\',
      '\\"',
      '\\n',
      'u0',
      ' ',
    );
    fc.assert(
      fc.property(fc.array(unit, { maxLength: 30 }), fc.array(fc.nat(400), { maxLength: 40 }), (units, cuts) => {
        const json = ` {"a":"${units.join('')}"}`;
        const places = [0, ...cuts.filter((cut) => cut < json.length).toSorted((a, b) => a - b), json.length];
        const pieces = places.slice(1).map((place, index) => piece(json.slice(places[index], place)));
        assert.equal(said(plain(...pieces, finish(), end)), withPlainEscapes(json));
      }),
      { numRuns: 500 },
    );
  });

  it('are left as they are in what does not begin as JSON', () => {
    assert.equal(said(plain(piece('say \\u00'), piece('62 \\'), finish())), 'say \\u0062 \\');
  });

  it('that never end go out before what comes next', () => {
    for (const next of [finish(), piece('{}', 1), text('x', 0, 1), end]) {
      const steps = plain(start, piece('{"a":"\\u00'), next);
      assert.deepEqual(steps, [start, piece('{"a":"'), piece('\\u00'), next]);
    }
    assert.equal(said(plain(piece('{"a":"\\ud83'))), '{"a":"\\ud83');
  });

  it('of several answers do not mix', () => {
    const steps = plain(piece('{"\\u00', 0, 0), piece('{"\\u00', 0, 1), piece('61":1}', 0, 0), piece('62":1}', 0, 1));
    assert.equal(said(steps.filter((step) => 'choice' in step && step.choice === 0)), '{"a":1}');
    assert.equal(said(steps.filter((step) => 'choice' in step && step.choice === 1)), '{"b":1}');
  });
});
