import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { HookEntry } from 'portcullis/sdk';
import type { Hook } from '../../../plugins/guardrails/definition/hook.ts';
import { Namings, noLevels } from '../../../plugins/guardrails/definition/namings.ts';

const hookOf = (id: string) => ({ id }) as Hook;
const nobody = () => undefined;

function entryOf(value: HookEntry['value'], source: HookEntry['source'] = 'input_guardrails'): HookEntry {
  return { value, source, path: `config.${source}[0]` };
}

/** The names and ids in their order, those of defaults with a star. */
function namesIn({ named }: ReturnType<Namings['of']>): readonly string[] {
  return named.map((one) => ('hook' in one ? one.hook.id : one.name) + (one.imposed ? '*' : ''));
}

describe('what configs and defaults name', () => {
  it('stands there once, in its first place, and is imposed when a default names it', () => {
    const entries = [entryOf('a'), entryOf({ checks: [] }), entryOf('b'), entryOf('a')];
    const own = hookOf('own');
    const inline = ({ value }: HookEntry) => (typeof value === 'string' ? undefined : own);
    const naming = new Namings(inline).of(entries, [{ input: ['c'] }, { input: ['b', 'c'] }], 'beforeRequest');
    assert.deepEqual(namesIn(naming), ['a', 'own', 'b*', 'c*']);
  });

  it('is told apart by the phase, and a mutator from a guardrail of its name', () => {
    const namings = new Namings(nobody);
    const entries = [entryOf('a', 'input_mutators')];
    const levels = [{ input: ['a'], output: ['b'] }];
    assert.deepEqual(namesIn(namings.of(entries, levels, 'beforeRequest')), ['a', 'a*']);
    assert.deepEqual(namesIn(namings.of([], levels, 'afterRequest')), ['b*']);
  });

  it('is worked out once for the same lists, and anew for others that share one of them', () => {
    const namings = new Namings(nobody);
    const [organisation, first, second] = [{ input: ['a'] }, { input: ['b'] }, { input: ['c'] }];
    const entries = [entryOf('d')];
    const known = namings.of(entries, [organisation, first], 'beforeRequest');
    assert.equal(namings.of(entries, [organisation, first], 'beforeRequest'), known);
    assert.deepEqual(namesIn(namings.of(entries, [organisation, second], 'beforeRequest')), ['d', 'a*', 'c*']);
    assert.deepEqual(namesIn(namings.of([], [organisation, first], 'beforeRequest')), ['a*', 'b*']);
    assert.deepEqual(namesIn(namings.of(entries, noLevels, 'beforeRequest')), ['d']);
    assert.deepEqual(namesIn(namings.of(entries, [organisation, first], 'beforeRequest')), ['d', 'a*', 'b*']);
  });
});

describe('the list that names come to', () => {
  it('stays the same object for the same hooks, and is another when one of them has changed', () => {
    const naming = new Namings(nobody).of([entryOf('a')], [{ input: ['b'] }], 'beforeRequest');
    const [a, b, changed] = [hookOf('a'), hookOf('b'), hookOf('b')];
    const list = naming.listOf([a, b]);
    assert.deepEqual(list, { hooks: [a, b], imposed: new Set([b]) });
    assert.equal(naming.listOf([a, b]), list);
    assert.deepEqual(naming.listOf([a, changed]), { hooks: [a, changed], imposed: new Set([changed]) });
  });

  it('has a hook once that is named by its id and by its slug', () => {
    const naming = new Namings(nobody).of([entryOf('id')], [{ input: ['slug'] }], 'beforeRequest');
    const hook = hookOf('slug');
    assert.deepEqual(naming.listOf([hook, hook]), { hooks: [hook], imposed: new Set([hook]) });
  });
});
