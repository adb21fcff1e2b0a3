import { describe, it } from 'node:test';
import { type Fault, refuses } from './plans.ts';

const p = { provider: 'p' };
const two = [p, p];
const fallback = (cb: unknown) => ({ strategy: { mode: 'fallback', cb_config: cb }, targets: two });

const faults: Readonly<Record<string, Fault>> = {
  'passthrough false': { config: { ...p, passthrough: false }, param: 'passthrough', message: /must be true/ },
  'passthrough with targets': {
    config: { passthrough: true, targets: two },
    param: 'targets',
    message: /passthrough excludes targets/,
  },
  'passthrough with strategy': {
    config: { passthrough: true, strategy: { mode: 'single' } },
    param: 'strategy',
    message: /excludes strategy/,
  },
  'passthrough with overrides': {
    config: { passthrough: true, override_params: { a: 1 } },
    param: 'override_params',
    message: /excludes override_params/,
  },
  'passthrough with a guardrail': {
    config: { passthrough: true, output_guardrails: ['g'] },
    param: 'output_guardrails',
    message: /excludes/,
  },
  'passthrough under overrides': {
    config: { strategy: { mode: 'single' }, override_params: { a: 1 }, targets: [{ ...p, passthrough: true }] },
    param: 'targets[0].passthrough',
    message: /which config\.targets\[0\] inherits/,
  },
  'passthrough under default guardrails': {
    config: { strategy: { mode: 'single' }, default_input_guardrails: ['g'], targets: [{ ...p, passthrough: true }] },
    param: 'targets[0].passthrough',
    message: /guardrail lists/,
  },
  'a provider beside targets': {
    config: { ...p, strategy: { mode: 'single' }, targets: two },
    param: 'provider',
    message: /give it to each target/,
  },
  'a setting beside targets': {
    config: { aws_region: 'x', strategy: { mode: 'single' }, targets: two },
    param: 'aws_region',
    message: /give it to each target/,
  },
  'default guardrails below the root': {
    config: { strategy: { mode: 'single' }, targets: [{ ...p, default_input_guardrails: ['g'] }] },
    param: 'targets[0].default_input_guardrails',
    message: /belongs to the root/,
  },
  'fallback codes on another strategy': {
    config: { strategy: { mode: 'single', on_status_codes: [429] }, targets: two },
    param: 'strategy.on_status_codes',
    message: /belongs to the fallback strategy/,
  },
  'stickiness on another strategy': {
    config: { strategy: { mode: 'fallback', sticky: { enabled: true, hash_fields: ['params.user'] } }, targets: two },
    param: 'strategy.sticky',
    message: /belongs to the loadbalance strategy/,
  },
  'a sticky field that does not exist': {
    config: { strategy: { mode: 'loadbalance', sticky: { hash_fields: ['headers.x'] } }, targets: two },
    param: 'strategy.sticky.hash_fields[0]',
    message: /`headers\.x` is not a field/,
  },
  'a breaker without a threshold': {
    config: fallback({ cooldown_interval: 30_000 }),
    param: 'strategy.cb_config',
    message: /never opens/,
  },
  'a breaker that cools too fast': {
    config: fallback({ failure_threshold: 1, cooldown_interval: 29_999 }),
    param: 'strategy.cb_config.cooldown_interval',
    message: /from 30000/,
  },
  'a breaker share of 0': {
    config: fallback({ failure_threshold_percentage: 0 }),
    param: 'strategy.cb_config.failure_threshold_percentage',
    message: /above 0/,
  },
  'minimum requests without a share': {
    config: fallback({ failure_threshold: 1, minimum_requests: 5 }),
    param: 'strategy.cb_config.minimum_requests',
    message: /goes with/,
  },
};

describe('fields that do not go together', () => {
  for (const [name, fault] of Object.entries(faults)) {
    it(`refuses ${name}`, () => refuses(fault));
  }
});
