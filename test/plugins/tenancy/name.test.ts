import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { displayName, sameName, splitName } from '../../../plugins/tenancy/workspaces/name.ts';

describe('the name of a workspace', () => {
  for (const [given, icon, name] of [
    ['🚀 Growth', '🚀', 'Growth'],
    ['🚀Growth', '🚀', 'Growth'],
    ['👩🏽‍💻 Platform', '👩🏽‍💻', 'Platform'],
    ['❤️ Care', '❤️', 'Care'],
    ['🇪🇺🇫🇷 Paris', '🇪🇺🇫🇷', 'Paris'],
    ['  Growth ', null, 'Growth'],
    ['Growth 🚀', null, 'Growth 🚀'],
    ['3 musketeers', null, '3 musketeers'],
    ['#1', null, '#1'],
    ['© Acme', null, '© Acme'],
    ['🚀', null, '🚀'],
  ] as const) {
    it(`splits "${given}"`, () => assert.deepEqual(splitName(given), { icon, name }));
  }

  it('is shown with its icon', () => {
    assert.equal(displayName({ icon: '🚀', name: 'Growth' }), '🚀 Growth');
    assert.equal(displayName({ icon: null, name: 'Growth' }), 'Growth');
  });

  for (const [a, b, same] of [
    ['My\u00a0team', 'My team', true],
    ['My  team ', 'My team', true],
    ['My\u200bteam', 'Myteam', true],
    ['🚀 My team', 'My team', true],
    ['My ❤️ team', 'My team', true],
    ['Caf\u00e9', 'Cafe\u0301', true],
    ['My team', 'my team', false],
    ['My team', 'Myteam', false],
    ['🚀', '❤️', false],
    ['❤️', '❤', true],
  ] as const) {
    it(`${same ? 'reads the same' : 'differs'}: "${a}" and "${b}"`, () => assert.equal(sameName(a, b), same));
  }
});
