import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Manifest } from 'portcullis/sdk';
import {
  type Access,
  type Cost,
  GatewayError,
  type JsonObject,
  type LimitPolicyEntry,
  type Principal,
  type ProviderEntry,
  type RequestContext,
  type RequestRecord,
  type WorkspaceEntry,
} from 'portcullis/sdk';
import {
  createTestHost,
  runHook,
  setupPlugin,
  testOutcome,
  testRecord,
  testRequest,
  testTarget,
} from 'portcullis/sdk/testing';
import limits from '../../../plugins/limits/index.ts';
import manifest from '../../../plugins/limits/plugin.json' with { type: 'json' };

const organisationId = 'org-1';
const access = { organisationId, workspaceId: 'ws-1', keyId: 'key-1' } as Access;
const rpm = (value: number, type = 'requests') => ({ type, unit: 'rpm', value });
const budget = (credit_limit: number, type = 'requests') => ({ type, credit_limit });
const usage = (input: number, output: number) => ({ input, output, total: input + output });
const paid = (nanoUsd: number): Cost => ({ nanoUsd, parts: {}, source: 'catalogue' });

interface World {
  readonly workspace?: Partial<WorkspaceEntry>;
  readonly providers?: Readonly<Record<string, Partial<ProviderEntry>>>;
  readonly policies?: readonly Partial<LimitPolicyEntry>[];
  readonly key?: Omit<NonNullable<Principal['limits']>, 'key'>;
  readonly price?: (tokens: number) => number | undefined;
  readonly config?: JsonObject;
}

async function world({ workspace = {}, providers = {}, policies = [], key, price, config = {} }: World) {
  const entries = Object.entries(providers).map(([slug, entry]) => [
    `${organisationId}/ws-1/${slug}`,
    { organisationId, id: slug, slug, workspaceId: 'ws-1', integrationId: 'int', integrationSlug: 'shared', ...entry },
  ]);
  const host = createTestHost({
    manifest: manifest as Manifest,
    directory: {
      workspace: {
        [`${organisationId}/ws-1`]: { organisationId, id: 'ws-1', slug: 'ws-main', ...workspace } as WorkspaceEntry,
      },
      provider: Object.fromEntries(entries),
      limitPolicies: {
        [organisationId]: {
          organisationId,
          policies: policies.map((one, index) => ({
            id: `policy-${index}`,
            kind: 'rate',
            name: 'spending',
            conditions: [],
            groupBy: ['metadata._user'],
            limit: rpm(1),
            ...one,
          })),
        },
      },
    },
    price: ({ usage: { input, output } }) => {
      const cost = price?.(input + output);
      return cost === undefined ? undefined : paid(cost);
    },
  });
  const hooks = await setupPlugin(limits, config, host);
  const principal: Principal = {
    id: 'key-1',
    kind: 'key',
    name: 'billing',
    access,
    ...(key === undefined ? {} : { limits: { key: 'key-1', ...key } }),
  };
  const request = (given: Partial<RequestContext> = {}) => testRequest({ principal, ...given });
  const enter = (of: RequestContext, { slug, path = 'config' }: { slug?: string; path?: string } = {}) =>
    runHook(
      hooks,
      'beforeRequest',
      testTarget({ request: of, path, ...(slug === undefined ? {} : { providerSlug: slug }) }),
    );
  const end = (of: RequestContext, record: Partial<RequestRecord> = {}) =>
    runHook(hooks, 'settle', of, testRecord(record));
  const refusal = async (of = request(), where = {}): Promise<GatewayError> => {
    const error = await enter(of, where).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    assert.ok(GatewayError.is(error), 'the request is refused');
    return error;
  };
  const used = async (name: string, durable = false, start = durable ? 0 : host.now()) =>
    (await host.counters.read(organisationId, [{ name, start, durable }]))[0];
  return { host, hooks, request, enter, end, refusal, used };
}

describe('limits', () => {
  it('do nothing for callers of the operator, and where there are none', async () => {
    const { hooks, host, request } = await world({});
    const before = hooks.beforeRequest;
    assert.ok(before !== undefined);
    assert.equal(before(testTarget({ request: testRequest() })), undefined);
    assert.equal(before(testTarget({ request: request() })), undefined);
    assert.deepEqual(host.logged, []);
  });

  const owners: readonly (readonly [string, World, RegExp])[] = [
    ['the workspace', { workspace: { rateLimits: [rpm(1)] } }, /the workspace "ws-main"/],
    ['the grant', { providers: { prod: { grantRateLimits: [rpm(1)] } } }, /the integration "shared"/],
    ['the provider', { providers: { prod: { rateLimits: [rpm(1)] } } }, /the provider "prod"/],
    ['the key', { key: { rateLimits: [rpm(1)] } }, /the API key "billing"/],
    ['a policy', { policies: [{}] }, /the policy "spending" for metadata._user:/],
  ];
  for (const [name, given, whose] of owners) {
    it(`of ${name} refuse what is too much, and name it`, async () => {
      const { request, enter, refusal, host } = await world(given);
      await enter(request(), { slug: 'prod' });
      const error = await refusal(request(), { slug: 'prod' });
      assert.equal(error.code, 'rate_limited');
      assert.match(error.message, whose);
      host.advance(60_000);
      await enter(request(), { slug: 'prod' });
    });
  }

  it('name the outermost that is reached', async () => {
    const { request, enter, refusal } = await world({
      workspace: { rateLimits: [rpm(1)] },
      key: { rateLimits: [rpm(1)] },
      policies: [{}],
    });
    await enter(request());
    assert.match((await refusal()).message, /the workspace/);
  });

  it('take nothing from any where one refuses', async () => {
    const { request, enter, refusal, used } = await world({
      workspace: { rateLimits: [rpm(5)] },
      key: { rateLimits: [rpm(1)] },
    });
    await enter(request());
    await refusal();
    assert.equal((await used('rate/workspace/ws-1/requests/rpm'))?.reserved, 1);
  });

  it('of 0 are switched off', async () => {
    const { request, enter } = await world({ key: { rateLimits: [rpm(0)] } });
    assert.equal(await enter(request()), undefined);
  });

  it('tell clients when to come back, in the headers of their format', async () => {
    const { request, enter, refusal, hooks, host } = await world({ key: { rateLimits: [rpm(2)] } });
    host.advance(20_500);
    const first = request();
    await enter(first);
    const reply = await runHook(hooks, 'afterRequest', testTarget({ request: first }), testOutcome());
    assert.deepEqual(
      ['limit', 'remaining', 'reset'].map((part) => reply?.headers[`x-ratelimit-${part}-requests`]),
      ['2', '1', '40s'],
    );
    await enter(request());
    const chat = await refusal();
    assert.equal(chat.headers['retry-after'], '40');
    assert.equal(chat.headers['x-ratelimit-remaining-requests'], '0');
    const messages = await refusal(request({ dialect: 'messages' }));
    assert.equal(messages.headers['anthropic-ratelimit-requests-remaining'], '0');
    assert.equal(messages.headers['anthropic-ratelimit-requests-reset'], '2026-01-01T00:01:00Z');
  });

  it('leave replies alone that no rate limit is about, and those of failures', async () => {
    const { request, enter, hooks } = await world({ key: { usageLimits: budget(5) } });
    const one = request();
    await enter(one);
    assert.equal(await runHook(hooks, 'afterRequest', testTarget({ request: one }), testOutcome()), undefined);
  });
});

describe('a price beyond all bounds', () => {
  it('uses the budget up, and is no fault of the gateway', async () => {
    const { request, enter, refusal } = await world({ key: { usageLimits: budget(10, 'cost') }, price: () => 1e300 });
    await enter(request());
    assert.equal((await refusal()).code, 'budget_exhausted');
  });
});

describe('what a request has come to', () => {
  const tokens = { key: { rateLimits: [rpm(10_000, 'tokens')], usageLimits: budget(10, 'cost') }, price: () => 500 };
  const names = ['rate/key/key-1/tokens/rpm', 'budget/key/key-1/cost'] as const;
  const table: readonly (readonly [string, Partial<RequestRecord>, number, number])[] = [
    ['is what the provider says', { usage: usage(10, 20), cost: paid(700) }, 30, 700],
    ['is nothing for a failure without usage', { status: 500, usage: undefined, error: 'upstream_error' }, 0, 0],
    ['is what a failed reply has used', { status: 500, usage: usage(5, 1), cost: paid(70) }, 6, 70],
    [
      'is what a client that left had got',
      { status: 499, usage: usage(5, 3), cost: paid(80), error: 'client_closed' },
      8,
      80,
    ],
    ['is nothing for a client that left before', { status: 499, usage: undefined, error: 'client_closed' }, 0, 0],
    ['is nothing for a reply out of the cache', { cache: 'HIT', usage: usage(10, 20), cost: paid(0) }, 0, 0],
    ['is nothing for a denial before the provider', { status: 446, usage: undefined, error: 'guardrail_denied' }, 0, 0],
    ['counts what is priced at nothing as free', { usage: usage(1, 1), cost: paid(0) }, 2, 0],
    ['is no negative number', { usage: usage(-5, -5), cost: paid(-1) }, 0, 0],
  ];
  for (const [name, record, spentTokens, spentCost] of table) {
    it(name, async () => {
      const { request, enter, end, used } = await world(tokens);
      const one = request({
        body: { model: 'm', max_tokens: 100, messages: [{ role: 'user', content: 'x'.repeat(400) }] },
      });
      await enter(one);
      assert.ok(((await used(names[0]))?.reserved ?? 0) >= 200, 'the estimate covers prompt and reply');
      assert.equal((await used(names[1], true))?.reserved, 500);
      await end(one, record);
      assert.deepEqual(await used(names[0]), { used: spentTokens, reserved: 0 });
      assert.deepEqual(await used(names[1], true), { used: spentCost, reserved: 0 });
    });
  }

  it('is one request, unless it failed without usage', async () => {
    const { request, enter, end, used } = await world({ key: { usageLimits: budget(10) } });
    const denied = { status: 446, usage: undefined, error: 'guardrail_denied' };
    for (const record of [{}, { status: 500, usage: undefined }, { cache: 'HIT' as const }, denied]) {
      const one = request();
      await enter(one);
      await end(one, record);
    }
    assert.deepEqual(await used('budget/key/key-1/requests', true), { used: 3, reserved: 0 });
  });

  it('goes to the target that served, and shared limits count once', async () => {
    const provider = { rateLimits: [rpm(10_000, 'tokens')] };
    const { request, enter, end, used } = await world({
      providers: { first: provider, second: provider },
      key: { rateLimits: [rpm(10_000, 'tokens'), rpm(10)] },
    });
    const one = request();
    await enter(one, { slug: 'first', path: 'config.targets[0]' });
    await enter(one, { slug: 'second', path: 'config.targets[1]' });
    await end(one, { target: 'config.targets[1]', usage: usage(10, 10) });
    assert.deepEqual(await used('rate/provider/first/tokens/rpm'), { used: 0, reserved: 0 });
    assert.deepEqual(await used('rate/provider/second/tokens/rpm'), { used: 20, reserved: 0 });
    assert.deepEqual(await used('rate/key/key-1/tokens/rpm'), { used: 20, reserved: 0 });
    assert.deepEqual(await used('rate/key/key-1/requests/rpm'), { used: 1, reserved: 0 });
  });

  it('begins anew with the period, and when its type is changed', async () => {
    const { request, enter, end, refusal, host } = await world({
      key: { usageLimits: { ...budget(1), periodic_reset: 'monthly' } },
    });
    const one = request();
    await enter(one);
    await end(one);
    const error = await refusal();
    assert.equal(error.code, 'budget_exhausted');
    assert.equal(error.status, 412);
    assert.match(error.message, /the API key "billing", 1 request, is used up.*2026-02-01T00:00:00Z/);
    host.advance(31 * 86_400_000);
    await enter(request());
  });
});

it('what was given up is charged even where nobody knows what served has cost', async () => {
  const price = (tokens: number) => (tokens > 0 ? 100 : undefined);
  const { request, enter, end, used } = await world({ key: { usageLimits: budget(1, 'cost') }, price });
  const asking = request({ endpoint: 'chatComplete', body: { model: 'm', max_tokens: 10 } });
  const [first, second] = ['config.targets[0]', 'config.targets[1]'] as const;
  await enter(asking, { path: first });
  const denied = { target: first, usage: usage(400, 450), usageSource: 'provider', cost: paid(850) } as const;
  Object.assign(asking, { givenUp: [denied] });
  await enter(asking, { path: second });
  await end(asking, { target: second, usage: usage(410, 460), cost: undefined, givenUp: [denied] });
  assert.deepEqual(await used('budget/key/key-1/cost', true), { used: 950, reserved: 0 });
});

describe('a budget', () => {
  it('without a limit counts for its alert and refuses nobody', async () => {
    const { request, enter, end, used } = await world({
      key: { usageLimits: { type: 'requests', credit_limit: null } },
    });
    for (let times = 0; times < 3; times += 1) {
      const one = request();
      await enter(one);
      await end(one);
    }
    assert.equal((await used('budget/key/key-1/requests', true))?.used, 3);
  });

  it('says that it refuses when hardly anything is left, once', async () => {
    const { request, enter, end, refusal, used } = await world({ key: { usageLimits: budget(1000, 'tokens') } });
    const one = request();
    await enter(one);
    await end(one, { usage: usage(900, 80) });
    assert.equal((await refusal()).code, 'budget_exhausted');
    await refusal();
    assert.equal((await used('refused/1000/budget/key/key-1/tokens', true))?.used, 1);
  });

  it('does not say so of one request that asks for too much', async () => {
    const { request, enter, end, refusal, used } = await world({ key: { usageLimits: budget(1000, 'tokens') } });
    const one = request();
    await enter(one);
    await end(one, { usage: usage(100, 100) });
    await refusal(request({ body: { model: 'm', messages: [], max_tokens: 900 } }));
    assert.equal((await used('refused/1000/budget/key/key-1/tokens', true))?.used, 0);
  });

  it('of cost lets models without a price pass for nothing, and tells of it', async () => {
    const { request, enter, end, used, host } = await world({ key: { usageLimits: budget(1, 'cost') } });
    const one = request();
    await enter(one);
    await end(one, { usage: usage(1, 1), cost: undefined });
    assert.deepEqual(await used('budget/key/key-1/cost', true), { used: 0, reserved: 0 });
    assert.deepEqual(
      host.logged.map(({ event }) => event),
      ['unpriced_requests'],
    );
  });

  it('of cost refuses them where the operator says so', async () => {
    const { refusal } = await world({ key: { usageLimits: budget(1, 'cost') }, config: { unpriced: 'deny' } });
    const error = await refusal();
    assert.equal(error.status, 412);
    assert.match(error.message, /No price is known for the model "test-model"/);
  });
});

describe('policies', () => {
  it('count each group by itself', async () => {
    const { request, enter, refusal } = await world({ policies: [{}] });
    await enter(request({ metadata: { _user: 'alice' } }));
    await enter(request({ metadata: { _user: 'bob' } }));
    assert.match((await refusal(request({ metadata: { _user: 'alice' } }))).message, /metadata._user:alice/);
  });

  it('are told by the names of what they count by, and count by ids', async () => {
    const groupBy = ['workspace_id', 'api_key', 'metadata._user'];
    const { request, enter, refusal, used } = await world({ policies: [{ groupBy }] });
    const ask = () => request({ metadata: { _user: 'alice' } });
    await enter(ask());
    const { message } = await refusal(ask());
    assert.match(message, /the policy "spending" for workspace_id:ws-main,api_key:billing,metadata\._user:alice is/);
    assert.match(message, /: 1 request per minute\./);
    const key = 'workspace_id:ws-1,api_key:key-1,metadata._user:alice';
    assert.deepEqual(await used(`rate/policy/policy-0/requests/rpm/${key}`), { used: 0, reserved: 1 });
  });

  it('do not call callers without a key by the name of one of them', async () => {
    const { request, enter, refusal } = await world({ policies: [{ groupBy: ['api_key'] }] });
    const token = (name: string): Principal => ({
      ...{ id: name, kind: 'token', name },
      access: { organisationId, workspaceId: 'ws-1' } as Access,
    });
    await enter(request({ principal: token('alice') }));
    const { message } = await refusal(request({ principal: token('bob') }));
    assert.match(message, /for api_key: is reached/);
  });

  it('hold in their own workspace alone', async () => {
    const { request, enter, refusal } = await world({
      policies: [
        { workspaceId: 'ws-2', limit: rpm(1) },
        { workspaceId: 'ws-1', limit: rpm(2) },
      ],
    });
    await enter(request());
    await enter(request());
    assert.match((await refusal()).message, /2 requests per minute/);
  });

  it('are all to be met, and any of them refuses', async () => {
    const conditions = [{ key: 'metadata._user', value: 'alice' }];
    const { request, enter, refusal } = await world({
      policies: [
        { conditions, limit: rpm(5) },
        { conditions, limit: budget(1), kind: 'usage' },
      ],
    });
    const metadata = { _user: 'alice' };
    await enter(request({ metadata }));
    assert.equal((await refusal(request({ metadata }))).code, 'budget_exhausted');
    await enter(request({ metadata: { _user: 'bob' } }));
  });
});
