import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { asObject, asObjects, type JsonObject } from 'portcullis/sdk';
import { type ControlOptions, startControl, type TestControl } from '../../support/control.ts';
import { onEachStore } from '../../support/stores.ts';

const start = (t: TestContext, options: ControlOptions = {}) =>
  startControl(t, { plugins: ['audit-log', 'tenancy', 'model-pricing'], ...options });

async function lookUp(control: TestControl, path: string) {
  const reply = await fetch(`${control.url}/model-configs/pricing/${path}`);
  return { status: reply.status, json: (await reply.json()) as JsonObject };
}

const override = (more: JsonObject = {}): JsonObject => ({
  provider: 'openai',
  model: 'gpt-4o',
  price: { request_token: 0.0001, response_token: 0.0005 },
  ...more,
});

describe('the price of a model', () => {
  it('is told to everyone, outside of /v1', async (t) => {
    const control = await start(t);
    const { status, json } = await lookUp(control, 'openai/gpt-4o');
    assert.equal(status, 200);
    assert.deepEqual(json.pay_as_you_go, {
      request_token: { price: 0.00025 },
      response_token: { price: 0.001 },
      cache_read_input_token: { price: 0.000125 },
      additional_units: { web_search: { price: 1 }, file_search: { price: 0.25 } },
    });
    assert.equal(json.currency, 'USD');
    assert.equal((await fetch(`${control.url}/v1/model-configs/pricing/openai/gpt-4o`)).status, 404);
  });

  it('says how a request and its answer are charged', async (t) => {
    const { json } = await lookUp(await start(t), 'openai/gpt-4o');
    const product = (count: string, rate: string) => ({
      operation: 'multiply',
      operands: [{ value: count }, { value: `rates.${rate}` }],
    });
    assert.deepEqual(json.calculate, {
      request: {
        operation: 'sum',
        operands: [product('input_tokens', 'request_token'), product('cache_read_tokens', 'cache_read_input_token')],
      },
      response: { operation: 'sum', operands: [product('output_tokens', 'response_token')] },
    });
  });

  it('is told by tier, region and length of the context', async (t) => {
    const control = await start(t);
    const { json } = await lookUp(control, 'openai/gpt-5.4');
    const rates = (request: number, response: number, read: number) => ({
      request_token: { price: request },
      response_token: { price: response },
      cache_read_input_token: { price: read },
    });
    assert.deepEqual(asObject(asObject(json.tiers)?.flex), {
      pay_as_you_go: rates(0.000125, 0.00075, 0.000013),
      long_context: { above_input_tokens: 272_000, pay_as_you_go: rates(0.00025, 0.001125, 0.000025) },
    });
    assert.deepEqual(json.regions, { us: { multiplier: 1.1 }, eu: { multiplier: 1.1 } });
    assert.deepEqual(json.long_context, {
      above_input_tokens: 272_000,
      pay_as_you_go: rates(0.0005, 0.00225, 0.00005),
    });
    const { json: sonar } = await lookUp(control, 'perplexity-ai/sonar');
    assert.deepEqual(sonar.per_request, ['request_low_context', 'request_medium_context', 'request_high_context']);
  });

  it('is told by picture, by quality and size', async (t) => {
    const { json } = await lookUp(await start(t), 'openai/gpt-image-1');
    const image = asObject(asObject(json.pay_as_you_go)?.image);
    assert.deepEqual(asObject(image?.low)?.['1024x1024'], { price: 1.1 });
  });

  for (const path of [
    'together-ai/meta-llama/Llama-3.3-70B-Instruct-Turbo',
    'fireworks-ai/accounts/fireworks/models/kimi-k2p5',
    'together-ai/meta-llama%2FLlama-3.3-70B-Instruct-Turbo',
    'fireworks-ai/accounts%2Ffireworks/models%2Fkimi-k2p5',
  ]) {
    it(`is found by a name with slashes: ${path}`, async (t) => {
      assert.equal((await lookUp(await start(t), path)).status, 200);
    });
  }

  it('is that of the moment', async (t) => {
    const input = async (startAt: number) => {
      const { json } = await lookUp(await start(t, { startAt }), 'anthropic/claude-sonnet-5');
      return asObject(asObject(json.pay_as_you_go)?.request_token)?.price;
    };
    assert.equal(await input(Date.UTC(2026, 7, 31, 23)), 0.0002);
    assert.equal(await input(Date.UTC(2026, 8, 1)), 0.0003);
  });

  for (const path of [
    'openai/none',
    'none/gpt-4o',
    'openai/__proto__',
    'constructor/gpt-4o',
    'vertex-ai/projects/one/locations/eu/publishers/none/models/gemini',
    `openai/${'a/'.repeat(200)}b`,
  ]) {
    it(`is not there for ${path}`, async (t) => {
      assert.deepEqual(await lookUp(await start(t), path), { status: 404, json: { error: 'Model not found' } });
    });
  }

  it('is the operator’s own where the operator has one', async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'portcullis-prices-'));
    t.after(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'prices.json');
    writeFileSync(
      file,
      '{"openai":{"models":{"gpt-4o":[{"request_token":0.5}]}},"mine":{"models":{"m":[{"request_token":1}]}}}',
    );
    const control = await start(t, { env: { MODEL_PRICING_PATH: file } });
    const price = async (path: string) => asObject((await lookUp(control, path)).json.pay_as_you_go)?.request_token;
    assert.deepEqual(await price('openai/gpt-4o'), { price: 0.5 });
    assert.deepEqual(await price('mine/m'), { price: 1 });
    assert.deepEqual(await price('openai/gpt-4.1'), { price: 0.0002 });
  });

  it('is the one that is charged where the operator has one for a name without a date, or for a day to come', async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'portcullis-prices-'));
    t.after(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'prices.json');
    const models = {
      'gpt-4o': [{ request_token: 0.5 }],
      'gpt-4.1': [{ effective_from: '2026-12-01', request_token: 1 }],
    };
    writeFileSync(file, JSON.stringify({ openai: { models } }));
    const control = await start(t, { env: { MODEL_PRICING_PATH: file } });
    const price = async (path: string) => asObject((await lookUp(control, path)).json.pay_as_you_go)?.request_token;
    assert.deepEqual(await price('openai/gpt-4o-2024-05-13'), { price: 0.5 });
    assert.deepEqual(await price('openai/gpt-4.1'), { price: 0.0002 });
  });

  it('keeps the gateway from starting when the operator’s file is at fault', async (t) => {
    await assert.rejects(start(t, { env: { MODEL_PRICING_PATH: '/nowhere/prices.json' } }), /MODEL_PRICING_PATH/);
  });
});

onEachStore((_, __, fresh) => {
  it('is what the organisation has agreed on, from its moment on, and told to nobody else', async (t) => {
    const control = await start(t, { store: await fresh() });
    const effective = async (as = {}) => {
      const url = '/v1/model-prices/effective?provider=openai&model=gpt-4o';
      const json = await control.ok('GET', url, { as });
      return [json.source, asObject(asObject(json.pay_as_you_go)?.request_token)?.price];
    };
    assert.deepEqual(await effective(), ['catalogue', 0.00025]);
    const from = new Date(control.now() + 60_000).toISOString();
    await control.ok('POST', '/v1/model-prices', { body: override({ effective_from: from }) });
    assert.deepEqual(await effective(), ['catalogue', 0.00025]);
    control.advance(60_000);
    assert.deepEqual(await effective(), ['organisation', 0.0001]);
    assert.deepEqual(await effective({ organisationId: 'another' }), ['catalogue', 0.00025]);
    const dated = await control.ok('GET', '/v1/model-prices/effective?provider=openai&model=gpt-4o-2024-08-06');
    assert.equal(dated.source, 'organisation');
    const list = asObject((await lookUp(control, 'openai/gpt-4o')).json.pay_as_you_go);
    assert.deepEqual(list?.request_token, { price: 0.00025 });
  });

  it('is known to the data plane as it was agreed on, until it changes', async (t) => {
    const control = await start(t, { store: await fresh() });
    const { organisationId } = control;
    const price = { request_token: 0.0001, tiers: { flex: { multiplier: 0.5 } } };
    const from = Date.UTC(2026, 0, 31);
    const body = override({ price, effective_from: new Date(from).toISOString() });
    const known = async () => control.gateway.control?.directory.get('prices', organisationId);
    assert.deepEqual(await known(), { organisationId, prices: [] });
    const { id } = await control.ok('POST', '/v1/model-prices', { body });
    assert.deepEqual(await known(), { organisationId, prices: [{ provider: 'openai', model: 'gpt-4o', from, price }] });
    await control.ok('DELETE', `/v1/model-prices/${id}`);
    assert.deepEqual(await known(), { organisationId, prices: [] });
  });

  it('can be made, listed, changed and removed by an organisation', async (t) => {
    const control = await start(t, { store: await fresh() });
    const { id } = await control.ok('POST', '/v1/model-prices', { body: override() });
    await control.ok('POST', '/v1/model-prices', { body: override({ provider: 'groq', model: 'm' }) });
    const listed = await control.ok('GET', '/v1/model-prices?provider=openai');
    assert.deepEqual(
      asObjects(listed.data).map((item) => item.id),
      [id],
    );
    await control.ok('PUT', `/v1/model-prices/${id}`, { body: { price: { request_token: 0.1 } } });
    assert.deepEqual((await control.ok('GET', `/v1/model-prices/${id}`)).price, { request_token: 0.1 });
    await control.ok('DELETE', `/v1/model-prices/${id}`);
    assert.equal((await control.call('GET', `/v1/model-prices/${id}`)).status, 404);
  });

  it('is one a moment: a second one from the same is a conflict', async (t) => {
    const control = await start(t, { store: await fresh() });
    const body = override({ effective_from: '2026-01-01T00:00:00Z' });
    await control.ok('POST', '/v1/model-prices', { body });
    assert.equal((await control.call('POST', '/v1/model-prices', { body })).status, 409);
  });
});

describe('an organisation’s price', () => {
  const faults: readonly [string, JsonObject, string][] = [
    ['below zero', { price: { request_token: -0.1 } }, 'price'],
    ['of an unknown kind', { price: { requests: 1 } }, 'price'],
    ['that is empty', { price: {} }, 'price'],
    ['with its moment in it', { price: { request_token: 1, effective_from: '2026-01-01T00:00:00Z' } }, 'price'],
    ['of a tier alone', { price: { tiers: { flex: { request_token: 1 } } } }, 'price'],
    ['that is a text', { price: { request_token: '1' } }, 'price'],
    ['for no provider', { provider: 'A B' }, 'provider'],
    ['for no model', { model: '' }, 'model'],
    ['from no moment', { effective_from: 'soon' }, 'effective_from'],
  ];
  for (const [what, more, param] of faults) {
    it(`${what} is refused`, async (t) => {
      const control = await start(t);
      const made = await control.call('POST', '/v1/model-prices', { body: override(more) });
      assert.deepEqual([made.status, asObject(made.json.error)?.param], [400, param]);
      const { id } = await control.ok('POST', '/v1/model-prices', { body: override() });
      const changed = await control.call('PUT', `/v1/model-prices/${id}`, { body: more });
      assert.deepEqual([changed.status, asObject(changed.json.error)?.param], [400, param]);
    });
  }

  it('needs the permissions of integrations', async (t) => {
    const control = await start(t);
    const as = { scopes: ['organisation_integrations.list'] };
    assert.equal((await control.call('POST', '/v1/model-prices', { body: override(), as })).status, 403);
    assert.equal((await control.call('GET', '/v1/model-prices', { as })).status, 200);
    assert.equal((await control.call('GET', '/v1/model-prices', { as: { scopes: ['configs.list'] } })).status, 403);
  });
});
