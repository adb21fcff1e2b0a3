import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import {
  type CataloguePlace,
  loadCatalogue,
  loadOperatorPrices,
  ownCatalogue,
} from '../../../plugins/model-pricing/load.ts';
import { priceOf } from '../../../plugins/model-pricing/prices.ts';
import { filesBelow } from '../../repo/tree.ts';

function copied(t: TestContext): CataloguePlace {
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-prices-'));
  t.after(() => rmSync(folder, { recursive: true }));
  cpSync(ownCatalogue.folder, join(folder, 'catalogue'), { recursive: true });
  cpSync(ownCatalogue.signature, join(folder, 'catalogue.sig'));
  cpSync(ownCatalogue.publicKey, join(folder, 'public-key.json'));
  return {
    folder: join(folder, 'catalogue'),
    signature: join(folder, 'catalogue.sig'),
    publicKey: join(folder, 'public-key.json'),
  };
}

const day = (text: string) => Date.parse(text);
const refused = { code: 'invalid_config', message: /not as it was signed/ };

describe('the catalogue', () => {
  it('is as it was signed', async () => {
    const catalogue = await loadCatalogue();
    assert.deepEqual([...catalogue.keys()].sort(), [
      'anthropic',
      'azure-openai',
      'bedrock',
      'cohere',
      'deepseek',
      'fireworks-ai',
      'google',
      'groq',
      'mistral-ai',
      'openai',
      'openrouter',
      'perplexity-ai',
      'together-ai',
      'vertex-ai',
      'x-ai',
    ]);
  });

  it('is for providers that there are', async () => {
    const providers = new Set(filesBelow('providers').map((path) => path.split('/')[1]));
    for (const provider of (await loadCatalogue()).keys()) assert.ok(providers.has(provider), provider);
  });

  it('has no alias of a model that it lacks', async () => {
    for (const [provider, { models, aliases }] of await loadCatalogue()) {
      for (const [alias, model] of aliases) assert.ok(models.has(model), `${provider}: ${alias} is ${model}`);
    }
  });

  it('has a price that changed at the day on which it did', async () => {
    const catalogue = await loadCatalogue();
    const input = (at: string) => priceOf(catalogue, 'openai', 'o3', day(at))?.rates.request_token;
    assert.equal(input('2025-06-09T23:59:59.999Z'), 0.001);
    assert.equal(input('2025-06-10T00:00:00.000Z'), 0.0002);
  });

  it('has the same prices for the same models elsewhere', async () => {
    const catalogue = await loadCatalogue();
    const now = day('2026-11-21');
    assert.deepEqual(priceOf(catalogue, 'azure-openai', 'gpt-4o', now), priceOf(catalogue, 'openai', 'gpt-4o', now));
  });

  it('says of each file where its prices are from, and of which day', () => {
    for (const name of readdirSync(ownCatalogue.folder)) {
      const file = JSON.parse(readFileSync(join(ownCatalogue.folder, name), 'utf8'));
      assert.equal(file.provider, name.replace('.json', ''));
      assert.match(file.version, /^\d{4}-\d{2}-\d{2}$/, name);
      assert.ok(file.sources.length > 0 && file.sources.every(({ url }: { url: string }) => URL.canParse(url)), name);
      assert.ok(file.collected.length > 0, name);
    }
  });

  // A rate of a thousand times too much, or a collection that has dollars for cents, would be far outside of these.
  it('has no rate outside of what is asked anywhere', async () => {
    for (const [provider, { models }] of await loadCatalogue()) {
      for (const [model, history] of models) {
        for (const { rates, image, units } of history) {
          for (const rate of Object.values(rates)) assert.ok(rate <= 0.06, `${provider}: ${model}: ${rate}`);
          for (const price of Object.values(image ?? {}).flatMap((sizes) => Object.values(sizes))) {
            assert.ok(price >= 0.05 && price <= 30, `${provider}: ${model}: ${price} a picture`);
          }
          for (const price of Object.values(units ?? {})) assert.ok(price <= 5, `${provider}: ${model}: ${price}`);
        }
      }
    }
  });

  it('has cache reads and batches that are no dearer than fresh input at once', async () => {
    for (const [provider, { models }] of await loadCatalogue()) {
      for (const [model, history] of models) {
        for (const { rates, tiers = {} } of history) {
          const { request_token: input = 0, cache_read_input_token: read = 0 } = rates;
          assert.ok(read <= input, `${provider}: ${model}`);
          const { batch } = tiers;
          if (batch === undefined) continue;
          const factor = 'multiplier' in batch ? batch.multiplier : (batch.rates.request_token ?? 0) / input;
          assert.ok(factor > 0 && factor <= 1, `${provider}: ${model}: batch is ${factor} of the standard price`);
        }
      }
    }
  });

  it('is refused when a file was altered', async (t) => {
    const place = copied(t);
    const file = join(place.folder, 'openai.json');
    writeFileSync(file, readFileSync(file, 'utf8').replace('0.00025', '0.00026'));
    await assert.rejects(loadCatalogue(place), refused);
  });

  it('is refused when a file was taken away or added', async (t) => {
    const less = copied(t);
    rmSync(join(less.folder, 'groq.json'));
    await assert.rejects(loadCatalogue(less), refused);
    const more = copied(t);
    writeFileSync(join(more.folder, 'mine.json'), '{"models":{}}');
    await assert.rejects(loadCatalogue(more), refused);
  });

  it('is refused with another signature, another key, or none', async (t) => {
    const altered = copied(t);
    const [header, payload, signature] = readFileSync(altered.signature, 'utf8').trim().split('.');
    const other = signature?.startsWith('A') ? `B${signature.slice(1)}` : `A${signature?.slice(1)}`;
    writeFileSync(altered.signature, [header, payload, other].join('.'));
    await assert.rejects(loadCatalogue(altered), refused);
    const unsigned = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${payload}.`;
    writeFileSync(altered.signature, unsigned);
    await assert.rejects(loadCatalogue(altered), refused);
    const rekeyed = copied(t);
    writeFileSync(rekeyed.publicKey, '{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}');
    await assert.rejects(loadCatalogue(rekeyed), refused);
    rmSync(rekeyed.signature);
    await assert.rejects(loadCatalogue(rekeyed), refused);
  });

  it('stands in the repository without its private key', () => {
    const files = filesBelow('plugins/model-pricing').filter((path) => path.endsWith('.json'));
    assert.deepEqual(
      files.filter((path) => 'd' in JSON.parse(readFileSync(join(ownCatalogue.folder, '../../..', path), 'utf8'))),
      [],
    );
  });
});

describe('the operator’s own prices', () => {
  it('need no signature', async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'portcullis-prices-'));
    t.after(() => rmSync(folder, { recursive: true }));
    const path = join(folder, 'prices.json');
    writeFileSync(path, '{"openai":{"models":{"gpt-4o":[{"request_token":0.5}]}}}');
    assert.equal(priceOf(await loadOperatorPrices(path), 'openai', 'gpt-4o', 0)?.rates.request_token, 0.5);
  });

  it('are refused when they are no prices, naming the variable', async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'portcullis-prices-'));
    t.after(() => rmSync(folder, { recursive: true }));
    const path = join(folder, 'prices.json');
    const fault = { code: 'invalid_config', param: 'MODEL_PRICING_PATH' };
    await assert.rejects(loadOperatorPrices(path), fault);
    for (const text of ['no json', '[]', '{"openai":{"models":{"gpt-4o":[{"request_token":-1}]}}}']) {
      writeFileSync(path, text);
      await assert.rejects(loadOperatorPrices(path), fault);
    }
  });
});
