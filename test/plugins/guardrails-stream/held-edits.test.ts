import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Gathering } from '../../../plugins/guardrails/scan/reading.ts';
import { readingAsSent } from '../../../plugins/guardrails/stream/held-edits.ts';
import { heldAlone } from '../../../plugins/guardrails/stream/said.ts';

describe('what is held of a stream, after edits', () => {
  const reading = new Gathering();
  reading.text(['0'], 'Ask jane now', 'assistant', 'text', 0);
  reading.unreadable.push('A document holds an encoded text file, which no check can read.');

  it('is as unreadable as it was before: who looks later is refused all the same', () => {
    const edited = readingAsSent(reading, new Map([['0', [{ start: 4, end: 8, with: '[X]' }]]]));
    assert.deepEqual(
      edited.fragments.map(({ text }) => text),
      ['Ask [X] now'],
    );
    assert.deepEqual(edited.unreadable, reading.unreadable);
  });

  it('is so without what has been said of it, too', () => {
    const said = new Map([['0', { text: 'Ask ', seams: [], instead: undefined, ended: false }]]);
    const held = heldAlone(reading, said);
    assert.deepEqual(
      held.fragments.map(({ text }) => text),
      ['jane now'],
    );
    assert.deepEqual(held.unreadable, reading.unreadable);
  });
});
