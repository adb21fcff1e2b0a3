import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { compile, condition, type Fault, refuses } from './plans.ts';

const p = { provider: 'p' };
const named = ['a', 'b'].map((name) => ({ ...p, name }));
const when = (query: unknown, target = 'a') => ({
  strategy: { mode: 'conditional', conditions: [condition(query, target)] },
  targets: named,
});

const faults: Readonly<Record<string, Fault>> = {
  'conditional without conditions': {
    config: { strategy: { mode: 'conditional' }, targets: named },
    param: 'strategy.conditions',
    message: /needs conditions/,
  },
  'a condition for nobody': {
    config: when({ 'params.a': 1 }, 'c'),
    param: 'strategy.conditions[0].then',
    message: /Invalid target name found in the query router: c\. The targets are named: a, b\./,
  },
  'a default for nobody': {
    config: {
      strategy: { mode: 'conditional', conditions: [condition({ 'params.a': 1 }, 'a')], default: 'c' },
      targets: named,
    },
    param: 'strategy.default',
    message: /Invalid target name/,
  },
  'two targets of one name': {
    config: {
      strategy: { mode: 'conditional', conditions: [condition({ 'params.a': 1 }, 'a')] },
      targets: [named[0], named[0]],
    },
    param: 'targets[1].name',
    message: /Two targets have the name "a"/,
  },
  'an unknown operator': {
    config: when({ 'params.a': { $like: 'x' } }),
    param: 'strategy.conditions[0].query.params.a',
    message: /Unsupported operator used in the query router: \$like\. Use \$eq/,
  },
  'an operator from the prototype': {
    config: when({ 'params.a': { constructor: 'x' } }),
    param: 'strategy.conditions[0].query.params.a',
    message: /Unsupported operator/,
  },
  'an operator without a field': {
    config: when({ $not: [] }),
    param: 'strategy.conditions[0].query.$not',
    message: /Unsupported operator/,
  },
  'a query of nothing': { config: when({}), param: 'strategy.conditions[0].query', message: /at least one key/ },
  'operators of nothing': {
    config: when({ 'params.a': {} }),
    param: 'strategy.conditions[0].query.params.a',
    message: /holds no operator/,
  },
  'a field outside the request': {
    config: when({ 'process.env': 'x' }),
    param: 'strategy.conditions[0].query.process.env',
    message: /not a field/,
  },
  'a url field other than pathname': {
    config: when({ 'url.host': 'x' }),
    param: 'strategy.conditions[0].query.url.host',
    message: /url\.pathname/,
  },
  'an empty $or': {
    config: when({ $or: [] }),
    param: 'strategy.conditions[0].query.$or',
    message: /at least one query/,
  },
  'a bare list': {
    config: when({ 'params.a': ['x'] }),
    param: 'strategy.conditions[0].query.params.a',
    message: /use \$in/,
  },
  'an order among words': {
    config: when({ 'params.a': { $gt: 'many' } }),
    param: 'strategy.conditions[0].query.params.a.$gt',
    message: /\$gt must be a number/,
  },
  '$in of one value': {
    config: when({ 'params.a': { $in: 'x' } }),
    param: 'strategy.conditions[0].query.params.a.$in',
    message: /must be a list/,
  },
  'an open bracket': {
    config: when({ 'params.a': { $regex: '[' } }),
    param: 'strategy.conditions[0].query.params.a.$regex',
    message: /not a valid pattern/,
  },
  'a look-ahead': {
    config: when({ 'params.a': { $regex: '(?=a)b' } }),
    param: 'strategy.conditions[0].query.params.a.$regex',
    message: /look-around/,
  },
  'a long pattern': {
    config: when({ 'params.a': { $regex: 'a'.repeat(1001) } }),
    param: 'strategy.conditions[0].query.params.a.$regex',
    message: /1000 characters/,
  },
  'a pattern bomb': {
    config: when({ 'params.a': { $regex: '[a-z]{0,990}'.repeat(80) } }),
    param: 'strategy.conditions[0].query.params.a.$regex',
    message: /too large/,
  },
  'a nest of $and': {
    config: when(Array.from({ length: 20 }).reduce<object>((query) => ({ $and: [query] }), { 'params.a': 1 })),
    param: `strategy.conditions[0].query${'.$and[0]'.repeat(17)}`,
    message: /nest 16 levels/,
  },
};

describe('faults of conditions', () => {
  for (const [name, fault] of Object.entries(faults)) {
    it(`refuses ${name}`, () => refuses(fault));
  }

  it('bounds the patterns of all conditions together', () => {
    const conditions = Array.from({ length: 200 }, () => condition({ 'params.a': { $regex: '[a-z]{1,700}' } }, 'a'));
    assert.throws(
      () => compile({ strategy: { mode: 'conditional', conditions }, targets: named }),
      /too large together/,
    );
  });
});
