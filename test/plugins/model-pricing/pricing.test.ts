import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { PriceQuestion } from 'portcullis/sdk';
import { createTestHost } from 'portcullis/sdk/testing';
import { pricingHooks } from '../../../plugins/model-pricing/lists.ts';
import { loadCatalogue } from '../../../plugins/model-pricing/load.ts';
import type { Catalogue } from '../../../plugins/model-pricing/prices.ts';
import { createPricing } from '../../../plugins/model-pricing/pricing.ts';
import { readProvider } from '../../../plugins/model-pricing/read-prices.ts';
import { caller, entryOf, manifest, pricesOf, pricingWith } from './asked.ts';

const catalogue = await loadCatalogue();
const at = Date.parse('2026-08-21T12:00:00Z');
const question: PriceQuestion = { provider: 'openai', model: 'gpt-4o', usage: { input: 1000, output: 0 }, at };
const own = { ...question, ...caller };
/** A host whose directory answers as it is told to. */
function withDirectory(directory: unknown): Parameters<typeof createPricing>[0] {
  const { log, metrics, directory: none } = createTestHost();
  return { log, metrics, directory: directory as typeof none };
}

const cheap = [
  {
    provider: 'openai',
    model: 'gpt-4o',
    from: '2026-08-01T00:00:00Z',
    price: { request_token: 1e-5, response_token: 0 },
  },
];

describe('asking for a price', () => {
  it('needs no promise while the directory has what it takes', () => {
    const { price } = pricingWith(catalogue, { organisation: cheap });
    assert.deepEqual(price(own), { nanoUsd: 100_000, parts: { input: 100_000 }, source: 'organisation' });
    assert.deepEqual(price(question), { nanoUsd: 2_500_000, parts: { input: 2_500_000 }, source: 'catalogue' });
  });

  it('waits for what the directory has to load', async () => {
    const { host } = pricingWith(catalogue, { organisation: cheap });
    const directory = async (...path: Parameters<typeof host.directory>) => host.directory(...path);
    const price = createPricing(withDirectory(directory), [{ source: 'catalogue', catalogue }]);
    const asked = price(own);
    assert.ok(asked instanceof Promise);
    assert.equal((await asked)?.source, 'organisation');
  });

  it('fails as the directory does, rather than charge a price that may be wrong', async () => {
    const away = () => Promise.reject(new Error('away'));
    const price = createPricing(withDirectory(away), [{ source: 'catalogue', catalogue }]);
    await assert.rejects(async () => price(own), /away/);
  });

  it('asks the directory nothing for callers who belong to no organisation', () => {
    const closed = () => assert.fail('asked');
    const price = createPricing(withDirectory(closed), [{ source: 'catalogue', catalogue }]);
    assert.equal((price(question) as { nanoUsd: number }).nanoUsd, 2_500_000);
  });

  it('gives what holds at the moment, to and fro over the days on which it changes', () => {
    const { price } = pricingWith(catalogue);
    const costAt = (day: string) => {
      const cost = price({ ...question, model: 'o3', at: Date.parse(day) });
      return (cost as { nanoUsd: number }).nanoUsd;
    };
    assert.deepEqual(
      ['2025-06-09', '2025-06-10', '2025-06-09', '2026-01-01'].map(costAt),
      [10_000_000, 2_000_000, 10_000_000, 2_000_000],
    );
  });

  it('gives an organisation’s price from its moment on, though the list price was asked for before', () => {
    const later = cheap.map((price) => ({ ...price, from: '2026-09-01T00:00:00Z' }));
    const { price } = pricingWith(catalogue, { organisation: later });
    const sourceAt = (day: string) => (price({ ...own, at: Date.parse(day) }) as { source: string }).source;
    assert.deepEqual(['2026-08-31', '2026-09-01', '2026-08-31'].map(sourceAt), [
      'catalogue',
      'organisation',
      'catalogue',
    ]);
  });

  it('follows the entries of the directory as they change', () => {
    const entries = {
      prices: { [caller.organisationId]: pricesOf(cheap) },
      provider: { [Object.values(caller).join('/')]: entryOf({}) },
    };
    const directory = (kind: keyof typeof entries, ...path: readonly string[]) => entries[kind][path.join('/')];
    const price = createPricing(withDirectory(directory), [{ source: 'catalogue', catalogue }]);
    const cost = () => (price(own) as { nanoUsd: number }).nanoUsd;
    assert.equal(cost(), 100_000);
    entries.prices = { [caller.organisationId]: pricesOf([]) };
    assert.equal(cost(), 2_500_000);
    entries.provider = { [Object.values(caller).join('/')]: entryOf({ multiplier: { default: 2 } }) };
    assert.equal(cost(), 5_000_000);
  });

  it('keeps apart what two organisations pay', () => {
    const prices = { acme: pricesOf(cheap), other: pricesOf([]) };
    const directory = (kind: string, organisation: keyof typeof prices) =>
      kind === 'prices' ? prices[organisation] : undefined;
    const price = createPricing(withDirectory(directory), [{ source: 'catalogue', catalogue }]);
    const cost = (organisationId: string) => (price({ ...question, organisationId }) as { nanoUsd: number }).nanoUsd;
    assert.deepEqual([cost('acme'), cost('other'), cost('acme')], [100_000, 2_500_000, 100_000]);
  });

  it('stays right however many names of models callers make up', () => {
    const { price } = pricingWith(catalogue);
    for (let index = 0; index < 5000; index++)
      assert.equal(price({ ...question, model: `made-up-${index}` }), undefined);
    assert.equal((price(question) as { nanoUsd: number }).nanoUsd, 2_500_000);
  });

  for (const model of ['__proto__', 'constructor', '', 'x'.repeat(10_000)]) {
    it(`knows no price of a model named ${model.slice(0, 20)}`, () => {
      assert.equal(pricingWith(catalogue).price({ ...question, model }), undefined);
    });
  }

  for (const place of ['__proto__', 'constructor', 'toString']) {
    it(`takes ${place} for no tier, region or tool of its own`, () => {
      const { price } = pricingWith(catalogue);
      const usage = { input: 1000, output: 0, serverTools: { [place]: 1 } };
      const cost = price({ ...question, model: 'gpt-5.4', usage, tier: place, region: place });
      assert.equal((cost as { nanoUsd: number }).nanoUsd, 2_500_000);
    });
  }
});

describe('a region', () => {
  const priced = readProvider(
    {
      provider: 'cloud',
      currency: 'USD',
      unit: 'cents per token',
      models: {
        m: [
          {
            effective_from: null,
            request_token: 1,
            regions: { us: { multiplier: 2 }, 'us-gov': { multiplier: 3 } },
          },
        ],
      },
    },
    'cloud',
  );
  for (const [region, factor] of [
    ['us', 2],
    ['us-east-1', 2],
    ['us-gov-west-1', 3],
    ['use-1', 1],
    ['eu-west-1', 1],
  ] as const) {
    it(`is known by the longest name that it begins with: ${region}`, () => {
      const { price } = pricingWith(new Map([['cloud', priced]]));
      const cost = price({ provider: 'cloud', model: 'm', usage: { input: 1, output: 0 }, at: 0, region });
      assert.equal((cost as { nanoUsd: number }).nanoUsd, factor * 10_000_000);
    });
  }
});

describe('the hooks of the plugin', () => {
  const pricedBy = async (env: Readonly<Record<string, string>>) => {
    const { price } = await pricingHooks(createTestHost({ manifest, env }));
    return price?.(question);
  };

  it('know the catalogue, and the prices of the operator over it', async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'portcullis-prices-'));
    t.after(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'prices.json');
    writeFileSync(file, '{"openai":{"models":{"gpt-4o":[{"request_token":0.0001,"response_token":0}]}}}');
    assert.deepEqual(await pricedBy({}), { nanoUsd: 2_500_000, parts: { input: 2_500_000 }, source: 'catalogue' });
    assert.deepEqual(await pricedBy({ MODEL_PRICING_PATH: file }), {
      nanoUsd: 1_000_000,
      parts: { input: 1_000_000 },
      source: 'operator',
    });
  });

  it('are none where the file of the operator cannot be read', async () => {
    await assert.rejects(pricedBy({ MODEL_PRICING_PATH: '/nowhere/prices.json' }), { param: 'MODEL_PRICING_PATH' });
  });
});

describe('a price that nobody knows', () => {
  it('is counted by its provider', () => {
    const { host, price } = pricingWith(catalogue);
    price({ ...question, model: 'none' });
    price({ ...question, provider: 'ollama' });
    price(question);
    assert.equal(host.metrics.total('portcullis_price_unknown_total', 'openai'), 1);
    assert.equal(host.metrics.total('portcullis_price_unknown_total', 'ollama'), 1);
  });

  it('of a tool is left out of the cost, and counted', () => {
    const { host, price } = pricingWith(catalogue);
    const usage = { input: 1000, output: 0, serverTools: { code_interpreter: 2 } };
    assert.equal((price({ ...question, usage }) as { nanoUsd: number }).nanoUsd, 2_500_000);
    assert.equal(host.metrics.total('portcullis_tool_price_unknown_total', 'openai', 'code_interpreter'), 1);
  });

  it('of a tool’s pictures is counted as that of a tool, and not where its model has one', () => {
    const { host, price } = pricingWith(catalogue);
    const tool = 'image_generation';
    for (const model of ['gpt-image-1.5', 'gpt-image-9']) {
      const images = { count: 1, by: { tool, model } };
      price({ ...question, usage: { input: 1000, output: 0, serverTools: { [tool]: 1 }, images } });
    }
    assert.equal(host.metrics.total('portcullis_tool_price_unknown_total', 'openai', tool), 1);
  });

  it('because an integration’s own is none is told in the log, once', () => {
    const pricing = { type: 'static', pay_as_you_go: { request_token: 'much' } };
    const { host, price } = pricingWith(catalogue, { models: [{ slug: 'gpt-4o', enabled: true, pricing }] });
    assert.deepEqual([price(own), price(own)], [undefined, undefined]);
    const lines = host.logged.filter(({ event }) => event === 'price_at_fault');
    assert.equal(lines.length, 1);
    assert.equal(lines[0]?.fields.model, 'gpt-4o');
  });
});

describe('a list of prices', () => {
  it('is asked before the one that stands behind it, for each model alone', () => {
    const mine: Catalogue = new Map([
      [
        'openai',
        {
          models: new Map([['gpt-4o', [{ from: 0, rates: { request_token: 1, response_token: 1 } }]]]),
          aliases: new Map(),
        },
      ],
    ]);
    const { host } = pricingWith(catalogue);
    const price = createPricing(host, [
      { source: 'operator', catalogue: mine },
      { source: 'catalogue', catalogue },
    ]);
    const sourceOf = (model: string) => (price({ ...question, model }) as { source: string }).source;
    assert.deepEqual([sourceOf('gpt-4o'), sourceOf('gpt-5')], ['operator', 'catalogue']);
    const usage = { input: 0, output: 0, serverTools: { web_search: 1 } };
    assert.equal(price({ ...question, usage }) !== undefined, true);
  });

  it('has names for the models of the one behind it, and prices for names of that one', async () => {
    const operator = {
      openai: { models: { 'gpt-next': [{ request_token: 0.0001 }] }, aliases: { house: 'gpt-4o' } },
      ollama: { models: {}, names: [{ pattern: '^corp/(?<model>.+)$', provider: 'openai' }] },
    };
    const resold = new Map(catalogue).set('shop', {
      models: new Map(),
      aliases: new Map(),
      names: [{ pattern: /^eu\.(?<model>.+)$/, provider: 'openai' }],
    });
    const { price } = pricingWith(resold, { operator });
    const chargedBy = (provider: string, model: string) => {
      const cost = price({ ...question, provider, model }) as { nanoUsd: number; source: string };
      return [cost.nanoUsd, cost.source];
    };
    assert.deepEqual(chargedBy('openai', 'house'), [2_500_000, 'catalogue']);
    assert.deepEqual(chargedBy('ollama', 'corp/gpt-4o'), [2_500_000, 'catalogue']);
    assert.deepEqual(chargedBy('shop', 'eu.gpt-next'), [1_000_000, 'operator']);
  });
});
