import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { compile, condition, deepFrozen, leafAt, leavesOf } from './plans.ts';

const p = { provider: 'p' };
const under = (parent: object, child: object) => ({
  ...parent,
  strategy: { mode: 'single' },
  targets: [{ ...p, ...child }],
});

describe('what a target inherits', () => {
  const merged = { model: 'a', stream: { x: 1 } };
  const cases = [
    {
      what: 'merges override_params key by key, the child winning',
      config: under({ override_params: merged }, { override_params: { stream: { y: 2 }, n: 1 } }),
      expected: { overrideParams: { model: 'a', stream: { y: 2 }, n: 1 } },
    },
    {
      what: 'merges default_params the same way',
      config: under({ default_params: merged }, { default_params: { model: 'b' } }),
      expected: { defaultParams: { model: 'b', stream: { x: 1 } } },
    },
    {
      what: 'adds up drop_params',
      config: under({ drop_params: ['a', 'b'] }, { drop_params: ['b', 'c'] }),
      expected: { dropParams: ['a', 'b', 'c'] },
    },
    {
      what: 'takes parameters over when the child has none',
      config: under({ override_params: merged, default_params: merged, drop_params: ['a'] }, {}),
      expected: { overrideParams: merged, defaultParams: merged, dropParams: ['a'] },
    },
    {
      what: 'replaces retry as a whole',
      config: under(
        { retry: { attempts: 3, on_status_codes: [429] } },
        { retry: { attempts: 1, use_retry_after_headers: true } },
      ),
      expected: { retry: { attempts: 1, onStatusCodes: [429, 500, 502, 503, 504, 529], useRetryAfter: true } },
    },
    {
      what: 'inherits retry',
      config: under({ retry: { attempts: 3, on_status_codes: [429], use_retry_after_header: true } }, {}),
      expected: { retry: { attempts: 3, onStatusCodes: [429], useRetryAfter: true } },
    },
    {
      what: 'replaces cache as a whole',
      config: under({ cache: { mode: 'semantic', max_age: 60 } }, { cache: 'simple' }),
      expected: { cache: { mode: 'simple', maxAgeSeconds: 604_800 } },
    },
    {
      what: 'inherits cache',
      config: under({ cache: { mode: 'semantic', max_age: 60 } }, {}),
      expected: { cache: { mode: 'semantic', maxAgeSeconds: 60 } },
    },
    {
      what: 'inherits timeout, host, forwarded headers and compliance',
      config: under(
        { request_timeout: 5, custom_host: 'https://a', forward_headers: ['X-A'], strict_open_ai_compliance: false },
        {},
      ),
      expected: { requestTimeoutMs: 5, customHost: 'https://a', forwardHeaders: ['x-a'], strict: false },
    },
    {
      what: 'prefers the child’s timeout, host, forwarded headers and compliance',
      config: under(
        { request_timeout: 5, custom_host: 'https://a', forward_headers: ['X-A'], strict_open_ai_compliance: false },
        { request_timeout: 6, custom_host: 'https://b', forward_headers: [], strict_open_ai_compliance: true },
      ),
      expected: { requestTimeoutMs: 6, customHost: 'https://b', forwardHeaders: [], strict: true },
    },
    {
      what: 'takes provider and model from @slug/model where no provider is given',
      config: under(
        { override_params: { temperature: 0 } },
        { provider: undefined, override_params: { model: '@acme/org/m-1' } },
      ),
      expected: { provider: '@acme', overrideParams: { temperature: 0, model: 'org/m-1' } },
    },
    {
      what: 'takes an inherited @slug/model too',
      config: under({ override_params: { model: '@acme/m' } }, { provider: undefined, retry: { attempts: 1 } }),
      expected: { provider: '@acme', overrideParams: { model: 'm' } },
    },
    {
      what: 'leaves a model with @ alone where a provider is given',
      config: under({}, { override_params: { model: '@cf/meta/m' } }),
      expected: { provider: 'p', overrideParams: { model: '@cf/meta/m' } },
    },
  ];
  for (const { what, config, expected } of cases) {
    it(what, () => {
      const leaf = leafAt(JSON.parse(JSON.stringify(config)), 'config.targets[0]');
      for (const [key, value] of Object.entries(expected)) assert.deepEqual(leaf[key as keyof typeof leaf], value, key);
    });
  }

  it('does not inherit names, credentials or settings', () => {
    const config = { name: 'root', ...under({}, { api_key: 'k', aws_region: 'eu' }) };
    const leaf = leafAt(config, 'config.targets[0]');
    assert.equal(leaf.name, undefined);
    assert.equal(leaf.apiKey, 'k');
    assert.equal(leaf.settings.aws_region, 'eu');
  });

  it('replaces the parent’s hooks of a side as soon as the child has one on that side', () => {
    const config = under(
      {
        input_guardrails: ['parent-in'],
        output_guardrails: ['parent-out'],
        default_input_guardrails: ['always-in'],
        default_output_guardrails: ['always-out'],
      },
      { input_mutators: [{ id: 'm' }], before_request_hooks: ['long'] },
    );
    const leaf = leafAt(config, 'config.targets[0]');
    assert.deepEqual(leaf.hooks.before, [
      { source: 'before_request_hooks', path: 'config.targets[0].before_request_hooks[0]', value: 'long' },
      { source: 'input_mutators', path: 'config.targets[0].input_mutators[0]', value: { id: 'm' } },
      { source: 'default_input_guardrails', path: 'config.default_input_guardrails[0]', value: 'always-in' },
    ]);
    assert.deepEqual(
      leaf.hooks.after.map((hook) => hook.value),
      ['parent-out', 'always-out'],
    );
  });

  it('hands the breaker down to nested strategies, except to targets right under a conditional one', () => {
    const nested = { strategy: { mode: 'fallback' }, targets: [p], name: 'a' };
    const own = { strategy: { mode: 'fallback', cb_config: { failure_threshold_percentage: 20 } }, targets: [p] };
    const conditions = [condition({ 'params.a': 1 }, 'a')];
    const config = {
      strategy: { mode: 'conditional', conditions, cb_config: { failure_threshold: 3 } },
      targets: [nested, p, own],
    };
    assert.deepEqual(
      leavesOf(compile(config).root).map((leaf) => leaf.breaker),
      [
        { failureThreshold: 3, minimumRequests: 10, cooldownMs: 30_000 },
        undefined,
        { failurePercentage: 20, minimumRequests: 10, cooldownMs: 30_000 },
      ],
    );
  });
});

describe('a plan', () => {
  const config = {
    strategy: { mode: 'loadbalance' },
    override_params: { tools: [{ a: 1 }] },
    targets: [
      { ...p, weight: 2 },
      { strategy: { mode: 'fallback' }, targets: [p, { virtual_key: 'v', deployments: [{ deployment_id: 'd' }] }] },
    ],
  };

  it('names every leaf by its JSON path', () => {
    assert.deepEqual(
      leavesOf(compile(config).root).map((leaf) => leaf.path),
      ['config.targets[0]', 'config.targets[1].targets[0]', 'config.targets[1].targets[1]'],
    );
    assert.equal(compile(p).root.path, 'config');
  });

  it('is frozen to its last part', () => {
    const check = (value: unknown): void => {
      if (typeof value !== 'object' || value === null) return;
      assert.ok(Object.isFrozen(value), JSON.stringify(value));
      for (const item of Object.values(value)) check(item);
    };
    check(compile(config));
  });

  it('compiles a frozen config and leaves an open one open', () => {
    assert.doesNotThrow(() => compile(deepFrozen(structuredClone(config))));
    const open = structuredClone(config);
    compile(open);
    assert.equal(Object.isFrozen(open.override_params), false);
    assert.deepEqual(open, config);
  });

  it('has the same id for the same config only', () => {
    assert.equal(compile(config).id, compile(structuredClone(config)).id);
    assert.notEqual(compile(config).id, compile({ ...config, request_timeout: 1 }).id);
  });

  it('keeps the settings of a provider as they were given', () => {
    const leaf = leafAt({ ...p, aws_region: 'eu', azure_resource_name: 'r' }, 'config');
    assert.deepEqual(leaf.settings, { aws_region: 'eu', azure_resource_name: 'r' });
  });
});
