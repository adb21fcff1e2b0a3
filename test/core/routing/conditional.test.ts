import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { WalkFacts } from '../../../core/routing/walk.ts';
import { walk } from '../../../core/routing/walk.ts';
import { compile, condition, deepFrozen, factsOf } from './plans.ts';

const named = ['a', 'b', 'other'].map((name) => ({ provider: 'p', name }));
const facts = factsOf(
  deepFrozen({
    metadata: { tier: 'gold', count: '12', 'a.b': 'dotted', text: 'many' },
    params: {
      model: 'gpt-4o',
      n: 3,
      stream: true,
      stop: null,
      messages: [{ role: 'system' }, { role: 'user', content: 'hi' }],
      list: ['x'],
    },
    path: '/v1/chat/completions',
    random: () => 0,
    now: () => 0,
  }),
);

async function matches(query: unknown, seen: WalkFacts = facts): Promise<boolean> {
  const config = {
    strategy: { mode: 'conditional', conditions: [condition(query, 'a')], default: 'other' },
    targets: named,
  };
  const outcome = await walk(compile(config), seen, async (leaf) => ({ status: 200, name: leaf.name }));
  return outcome.name === 'a';
}

const table: readonly [string, unknown, boolean][] = [
  ['a bare value', { 'metadata.tier': 'gold' }, true],
  ['a bare value of another type', { 'params.n': '3' }, false],
  ['a bare boolean', { 'params.stream': true }, true],
  ['a bare null', { 'params.stop': null }, true],
  ['null against an absent field', { 'params.absent': null }, false],
  ['$eq', { 'params.n': { $eq: 3 } }, true],
  ['$eq of another type', { 'params.n': { $eq: '3' } }, false],
  ['$ne', { 'metadata.tier': { $ne: 'silver' } }, true],
  ['$ne of the same', { 'metadata.tier': { $ne: 'gold' } }, false],
  ['$ne of an absent field', { 'metadata.none': { $ne: 'x' } }, true],
  ['$gt', { 'params.n': { $gt: 2 } }, true],
  ['$gt of the same', { 'params.n': { $gt: 3 } }, false],
  ['$gt with text on both sides', { 'metadata.count': { $gt: '9' } }, true],
  ['$gt of a word', { 'metadata.text': { $gt: 0 } }, false],
  ['$gt of an absent field', { 'metadata.none': { $gt: -1 } }, false],
  ['$gt of a boolean', { 'params.stream': { $gt: 0 } }, false],
  ['$gte', { 'params.n': { $gte: 3 } }, true],
  ['$gte above', { 'params.n': { $gte: 4 } }, false],
  ['$lt', { 'params.n': { $lt: 4 } }, true],
  ['$lt of the same', { 'params.n': { $lt: 3 } }, false],
  ['$lte', { 'params.n': { $lte: 3 } }, true],
  ['$lte below', { 'params.n': { $lte: 2 } }, false],
  ['$lt of an absent field', { 'metadata.none': { $lt: 1 } }, false],
  ['$in', { 'metadata.tier': { $in: ['silver', 'gold'] } }, true],
  ['$in without it', { 'metadata.tier': { $in: ['silver'] } }, false],
  ['$in of an absent field', { 'metadata.none': { $in: ['x'] } }, false],
  ['$nin', { 'metadata.tier': { $nin: ['silver'] } }, true],
  ['$nin with it', { 'metadata.tier': { $nin: ['gold'] } }, false],
  ['$nin of an absent field', { 'metadata.none': { $nin: ['x'] } }, true],
  ['$regex in the middle', { 'params.model': { $regex: 't-4' } }, true],
  ['$regex anchored', { 'params.model': { $regex: '^4o$' } }, false],
  ['$regex of a number', { 'params.n': { $regex: '^3$' } }, true],
  ['$regex of an absent field', { 'params.absent': { $regex: 'undefined' } }, false],
  ['$regex of an object', { 'params.messages': { $regex: 'object' } }, false],
  ['several operators', { 'params.n': { $gt: 2, $lt: 4 } }, true],
  ['several operators, one failing', { 'params.n': { $gt: 2, $lt: 3 } }, false],
  ['$regex beside another operator', { 'params.model': { $regex: 'gpt', $ne: 'gpt-4o' } }, false],
  ['several fields', { 'metadata.tier': 'gold', 'params.n': 3 }, true],
  ['several fields, one failing', { 'metadata.tier': 'gold', 'params.n': 4 }, false],
  ['$and', { $and: [{ 'metadata.tier': 'gold' }, { 'params.n': 3 }] }, true],
  ['$and, one failing', { $and: [{ 'metadata.tier': 'gold' }, { 'params.n': 4 }] }, false],
  ['$or', { $or: [{ 'metadata.tier': 'x' }, { 'params.n': 3 }] }, true],
  ['$or, all failing', { $or: [{ 'metadata.tier': 'x' }, { 'params.n': 4 }] }, false],
  ['$or beside a failing field', { $or: [{ 'params.n': 3 }], 'metadata.tier': 'x' }, false],
  ['$and beside a failing field', { $and: [{ 'params.n': 3 }], 'metadata.tier': 'x' }, false],
  ['$and beside a failing $or', { $and: [{ 'params.n': 3 }], $or: [{ 'params.n': 4 }] }, false],
  ['nested $or in $and', { $and: [{ $or: [{ 'params.n': 9 }, { 'params.n': 3 }] }] }, true],
  ['a deep path', { 'params.messages[0].role': 'system' }, true],
  ['an index as a segment', { 'params.messages.1.role': 'user' }, true],
  ['an index out of range', { 'params.messages[9].role': 'user' }, false],
  ['a metadata key with a dot', { 'metadata.a.b': 'dotted' }, true],
  ['the path of the request', { 'url.pathname': { $regex: '/chat/' } }, true],
  ['a name of the prototype', { 'params.constructor': { $ne: null }, 'params.constructor.name': 'Object' }, false],
  ['__proto__', { 'params.__proto__.x': 1 }, false],
  ['the length of a list', { 'params.list.length': 1 }, false],
  ['a field of a string', { 'params.model.length': 6 }, false],
];

describe('a query', () => {
  for (const [what, query, expected] of table) {
    it(`${expected ? 'matches' : 'does not match'}: ${what}`, async () => {
      assert.equal(await matches(query), expected);
    });
  }

  it('ends on a pattern that would take a backtracking engine for ever', async () => {
    const params = { text: `${'a'.repeat(50_000)}b` };
    assert.equal(await matches({ 'params.text': { $regex: '(a+)+$' } }, factsOf({ params })), false);
  });

  it('refuses to spend more on patterns than one request may', async () => {
    const params = { text: 'ab'.repeat(500_000) };
    await assert.rejects(matches({ 'params.text': { $regex: '([ab]{1,100}a){2}[^ab]' } }, factsOf({ params })), {
      code: 'invalid_config',
      message: /too costly/,
    });
  });
});

describe('the conditional strategy', () => {
  const conditions = [condition({ 'params.n': { $gt: 1 } }, 'a'), condition({ 'params.n': { $gt: 2 } }, 'b')];
  const run = async (leaf: { readonly name?: string }) => ({ status: 500, name: leaf.name });

  it('takes the first condition that matches, and tries nothing after it', async () => {
    const plan = compile({ strategy: { mode: 'conditional', conditions }, targets: named });
    assert.deepEqual(await walk(plan, facts, run), { status: 500, name: 'a' });
  });

  it('ends the request when nothing matches and there is no default', async () => {
    const inner = { strategy: { mode: 'conditional', conditions }, targets: named };
    const plan = compile({ strategy: { mode: 'fallback' }, targets: [inner, { provider: 'p' }] });
    await assert.rejects(walk(plan, factsOf(), run), {
      code: 'invalid_config',
      status: 400,
      param: 'targets[0].strategy.conditions',
      message: 'No condition of the conditional strategy matched and it has no default.',
    });
  });

  it('may stand inside another', async () => {
    const inner = { name: 'in', strategy: { mode: 'conditional', conditions }, targets: named };
    const outer = [condition({ 'metadata.tier': 'gold' }, 'in')];
    const plan = compile({ strategy: { mode: 'conditional', conditions: outer }, targets: [inner] });
    assert.equal((await walk(plan, facts, run)).name, 'a');
  });
});
