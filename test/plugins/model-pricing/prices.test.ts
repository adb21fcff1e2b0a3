import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { type Catalogue, historyOf, overlaid, type Price, priceOf } from '../../../plugins/model-pricing/prices.ts';
import { readProvider } from '../../../plugins/model-pricing/read-prices.ts';

const price = (from: number, request_token: number): Price => ({ from, rates: { request_token } });
const provider = (models: Record<string, Price[]>, aliases: Record<string, string> = {}) => ({
  models: new Map(Object.entries(models)),
  aliases: new Map(Object.entries(aliases)),
});
const catalogue: Catalogue = new Map([
  [
    'acme',
    provider(
      {
        big: [price(Number.NEGATIVE_INFINITY, 1), price(1000, 2), price(2000, 3)],
        new: [price(5000, 9)],
        'big-2024-05-13': [price(0, 7)],
      },
      { large: 'big' },
    ),
  ],
]);
const rate = (model: string, at: number) => priceOf(catalogue, 'acme', model, at)?.rates.request_token;

describe('the price of a model', () => {
  for (const [at, expected] of [
    [-1, 1],
    [999, 1],
    [1000, 2],
    [1001, 2],
    [1999, 2],
    [2000, 3],
    [9_999_999, 3],
  ] as const) {
    it(`is the one in force at ${at}`, () => assert.equal(rate('big', at), expected));
  }

  it('is not known before it starts', () => {
    assert.equal(rate('new', 4999), undefined);
    assert.equal(rate('new', 5000), 9);
  });

  it('is that of the model that an alias stands for', () => assert.equal(rate('large', 1500), 2));

  it('is its own for a dated name that has one, and that of the name without the date otherwise', () => {
    assert.equal(rate('big-2024-05-13', 1500), 7);
    assert.equal(rate('big-2025-01-01', 1500), 2);
    assert.equal(rate('big-20250101', 1500), 2);
    assert.equal(rate('big-2025', 1500), undefined);
  });

  it('is that of the model that a pattern finds in the name, here or in another list, with the region', () => {
    const names = [
      { pattern: /^(?<region>eu)\.acme\.(?<model>.+)$/, provider: 'acme' },
      { pattern: /^(?<model>.+)@\d+$/ },
    ];
    const resold: Catalogue = new Map([...catalogue, ['shop', { ...provider({ own: [price(0, 11)] }), names }]]);
    assert.equal(priceOf(resold, 'shop', 'eu.acme.large', 1500)?.rates.request_token, 2);
    assert.equal(historyOf(resold, 'shop', 'eu.acme.large')?.region, 'eu');
    assert.equal(priceOf(resold, 'shop', 'own@7', 1500)?.rates.request_token, 11);
    assert.equal(priceOf(resold, 'shop', 'eu.acme.none', 1500), undefined);
  });

  it('is looked for in no circle of names, and by no name without end', () => {
    const names = [{ pattern: /^(?<model>.+)$/, provider: 'b' }];
    const back = [{ pattern: /^(?<model>.+)$/, provider: 'a' }];
    const circle: Catalogue = new Map([
      ['a', { ...provider({}), names }],
      ['b', { ...provider({}), names: back }],
    ]);
    assert.equal(priceOf(circle, 'a', 'm', 0), undefined);
    const long = 'm'.repeat(300);
    assert.equal(priceOf(new Map([['a', provider({ [long]: [price(0, 1)] })]]), 'a', long, 0), undefined);
  });

  it('of a fine-tuned model is that of its base when fine-tuned', () => {
    const tuned: Catalogue = new Map([['a', provider({ base: [price(0, 1)], 'ft:base': [price(0, 2)] })]]);
    assert.equal(priceOf(tuned, 'a', 'ft:base-2024-07-18:acme::x', 0)?.rates.request_token, 2);
    assert.equal(priceOf(tuned, 'a', 'ft:other:acme::x', 0), undefined);
  });

  it('is not known for other models, providers, or names of the language', () => {
    assert.equal(rate('small', 1500), undefined);
    assert.equal(rate('constructor', 1500), undefined);
    assert.equal(priceOf(catalogue, 'other', 'big', 1500), undefined);
    assert.equal(priceOf(catalogue, '__proto__', 'big', 1500), undefined);
  });

  it('never starts after the moment, whatever the history', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.integer(), { minLength: 1 }), fc.integer(), (starts, at) => {
        const history = starts.toSorted((a, b) => a - b).map((from) => price(from, 1));
        const found = priceOf(new Map([['p', provider({ m: history })]]), 'p', 'm', at);
        const before = starts.filter((from) => from <= at);
        assert.equal(found?.from, before.length === 0 ? undefined : Math.max(...before));
      }),
    );
  });
});

describe('prices over others', () => {
  const over: Catalogue = new Map([
    ['acme', provider({ big: [price(0, 50)] }, { huge: 'big' })],
    ['mine', provider({ own: [price(0, 60)] })],
  ]);
  const merged = overlaid(catalogue, over);

  it('stand alone for the models that they name', () => {
    assert.equal(priceOf(merged, 'acme', 'big', 1500)?.rates.request_token, 50);
    assert.equal(priceOf(merged, 'acme', 'huge', 1500)?.rates.request_token, 50);
    assert.equal(priceOf(merged, 'mine', 'own', 1500)?.rates.request_token, 60);
  });

  it('leave the others as they are', () => {
    assert.equal(priceOf(merged, 'acme', 'new', 5000)?.rates.request_token, 9);
    assert.equal(priceOf(catalogue, 'acme', 'big', 1500)?.rates.request_token, 2);
  });
});

describe('a file of prices', () => {
  const faults: readonly [string, unknown][] = [
    ['no object', []],
    ['without models', {}],
    ['a model without prices', { models: { m: [] } }],
    ['a price below zero', { models: { m: [{ request_token: -1 }] } }],
    ['a price that is a text', { models: { m: [{ request_token: '1' }] } }],
    ['a unit below zero', { models: { m: [{ additional_units: { web_search: -1 } }] } }],
    ['a picture below zero', { models: { m: [{ image: { high: { '1024x1024': -1 } } }] } }],
    ['a long context below zero', { models: { m: [{ long_context: { above_input_tokens: 5, request_token: -1 } }] } }],
    ['a long context from nowhere', { models: { m: [{ long_context: { request_token: 1 } }] } }],
    ['a start that is no day', { models: { m: [{ effective_from: 'soon' }] } }],
    ['starts out of order', { models: { m: [{ effective_from: '2026-02-01' }, { effective_from: '2026-01-01' }] } }],
    [
      'two prices from one day',
      { models: { m: [{ effective_from: '2026-02-01' }, { effective_from: '2026-02-01' }] } },
    ],
    ['a member that nobody knows', { models: { m: [{ requst_token: 1 }] } }],
    ['an alias of nothing', { models: {}, aliases: { a: 1 } }],
    ['aliases that are a list', { models: {}, aliases: ['a'] }],
    [
      'a long context with a member that nobody knows',
      { models: { m: [{ long_context: { above_input_tokens: 5, x: 1 } }] } },
    ],
    ['tiers that are a list', { models: { m: [{ tiers: [] }] } }],
    ['a tier that is a number', { models: { m: [{ tiers: { flex: 0.5 } }] } }],
    ['a tier with a rate below zero', { models: { m: [{ tiers: { flex: { request_token: -1 } } }] } }],
    ['a tier with a member that nobody knows', { models: { m: [{ tiers: { flex: { factor: 1 } } }] } }],
    ['a tier in a tier', { models: { m: [{ tiers: { flex: { tiers: {} } } }] } }],
    ['a multiplier below zero', { models: { m: [{ tiers: { flex: { multiplier: -1 } } }] } }],
    ['a multiplier beside rates', { models: { m: [{ tiers: { flex: { multiplier: 1, request_token: 1 } } }] } }],
    ['a region that is a text', { models: { m: [{ regions: { eu: '1.1' } }] } }],
    ['a fee for a request of no unit', { models: { m: [{ per_request: ['call'] }] } }],
    ['a fee for a request that is a price', { models: { m: [{ additional_units: { call: 1 }, per_request: 1 }] } }],
    ['a tool that is no object', { models: {}, tools: { search: 'web_search' } }],
    ['a tool with a unit that is none', { models: {}, tools: { search: { each: 1 } } }],
    ['a tool with a member that nobody knows', { models: {}, tools: { search: { every: 'web_search' } } }],
    ['names that are no list', { models: {}, names: {} }],
    ['a name without a group for the model', { models: {}, names: [{ pattern: '^x' }] }],
    ['a name with a pattern that is none', { models: {}, names: [{ pattern: '(?<model>' }] }],
    ['a name of a provider that is a number', { models: {}, names: [{ pattern: '(?<model>.+)', provider: 1 }] }],
  ];
  for (const [what, json] of faults) {
    it(`is refused: ${what}`, () => {
      assert.throws(() => readProvider(json as never, 'file'), { code: 'invalid_config' });
    });
  }
});
