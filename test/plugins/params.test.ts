import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JsonObject } from 'portcullis/sdk';
import { createTestHost } from 'portcullis/sdk/testing';
import params from '../../plugins/params/index.ts';
import { exchangeOf, targetOf } from '../support/exchange.ts';

interface Rules {
  readonly defaultParams?: JsonObject;
  readonly overrideParams?: JsonObject;
  readonly dropParams?: readonly string[];
}

async function prepared(body: JsonObject, rules: Rules) {
  const hooks = await params.setup({}, createTestHost());
  return hooks.prepare?.(targetOf({ request: exchangeOf({ body }), body: deepFrozen(body), ...rules }));
}

function deepFrozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null) {
    Object.freeze(value);
    Object.values(value).forEach(deepFrozen);
  }
  return value;
}

const body: JsonObject = {
  model: 'm',
  temperature: 1,
  user: 'u',
  stop: null,
  metadata: { team: 'a', keep: 'b' },
  messages: [
    { role: 'user', content: 'Hi', name: 'n1' },
    { role: 'user', content: 'Ho', name: 'n2' },
  ],
  tools: [{ function: { name: 'f', strict: true } }, { function: { name: 'g', strict: true } }],
};

describe('parameters of a target', () => {
  const changes: readonly [string, Rules, JsonObject][] = [
    ['fills in a default that the client left out', { defaultParams: { top_p: 0.5 } }, { ...body, top_p: 0.5 }],
    [
      'keeps what the client set, null included',
      { defaultParams: { temperature: 0, stop: ['x'], seed: 1 } },
      { ...body, seed: 1 },
    ],
    ['overrides what the client set', { overrideParams: { temperature: 0 } }, { ...body, temperature: 0 }],
    ['overrides after it fills in', { defaultParams: { seed: 1 }, overrideParams: { seed: 2 } }, { ...body, seed: 2 }],
    ['drops after it overrides', { overrideParams: { user: 'x' }, dropParams: ['user'] }, without('user')],
    ['drops a default too', { defaultParams: { seed: 1 }, dropParams: ['seed', 'user'] }, without('user')],
    ['drops inside an object', { dropParams: ['metadata.team'] }, { ...body, metadata: { keep: 'b' } }],
    [
      'drops one item',
      { dropParams: ['messages[0]'] },
      { ...body, messages: [{ role: 'user', content: 'Ho', name: 'n2' }] },
    ],
    [
      'drops a key of one item',
      { dropParams: ['messages[1].name'] },
      {
        ...body,
        messages: [
          { role: 'user', content: 'Hi', name: 'n1' },
          { role: 'user', content: 'Ho' },
        ],
      },
    ],
    ['drops every item', { dropParams: ['tools[*]'] }, { ...body, tools: [] }],
    [
      'drops a key of every item',
      { dropParams: ['tools[*].function.strict'] },
      { ...body, tools: [{ function: { name: 'f' } }, { function: { name: 'g' } }] },
    ],
  ];
  for (const [name, rules, expected] of changes) {
    it(name, async () => assert.deepEqual(await prepared(body, rules), expected));
  }

  const idle: readonly [string, Rules][] = [
    ['there are no rules', {}],
    ['every default is set by the client', { defaultParams: { temperature: 0, stop: ['x'] } }],
    ['the override says the same', { overrideParams: { temperature: 1 } }],
    [
      'nothing of what is to be dropped is there',
      {
        dropParams: [
          'logit_bias',
          'metadata.other',
          'messages[7].name',
          'model.x',
          'tools[*].id',
          'user[0]',
          'messages.role',
        ],
      },
    ],
    [
      'a dropped name is one that every object has',
      { dropParams: ['constructor', '__proto__.x', 'metadata.toString'] },
    ],
  ];
  for (const [name, rules] of idle) {
    it(`leaves the body alone, so that its bytes can be forwarded, when ${name}`, async () => {
      const result = await prepared(body, rules);
      assert.ok(result === undefined || result === body);
    });
  }
});

function without(field: string): JsonObject {
  return Object.fromEntries(Object.entries(body).filter(([name]) => name !== field));
}
