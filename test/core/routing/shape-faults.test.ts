import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { GatewayError } from 'portcullis/sdk';
import { compile, type Fault, refuses } from './plans.ts';

const p = { provider: 'p' };
const two = [p, p];
const named = ['a', 'b'].map((name) => ({ ...p, name }));
const deep = (levels: number): object =>
  levels === 0 ? p : { strategy: { mode: 'single' }, targets: [deep(levels - 1)] };

const faults: Readonly<Record<string, Fault>> = {
  'no object': { config: 'fallback', param: 'config', message: /must be a JSON object/ },
  'an empty config': { config: {}, param: 'config', message: /does nothing by itself.*provider/ },
  'only a name': { config: { name: 'x', weight: 2 }, param: 'config', message: /does nothing by itself/ },
  'only an api key': { config: { api_key: 'k' }, param: 'config', message: /does nothing by itself/ },
  'an empty target': {
    config: { strategy: { mode: 'single' }, targets: [{}] },
    param: 'targets[0]',
    message: /config\.targets\[0\] does nothing/,
  },
  'a target that is no object': {
    config: { strategy: { mode: 'single' }, targets: [7] },
    param: 'targets[0]',
    message: /must be an object/,
  },
  'a mistyped key': {
    config: { stratgy: {}, targets: two },
    param: 'stratgy',
    message: /^Unknown key `stratgy`; did you mean `strategy`\?$/,
  },
  'a mistyped setting': {
    config: { ...p, aws_regoin: 'x' },
    param: 'aws_regoin',
    message: /did you mean `aws_region`\?/,
  },
  'a key with hyphens': {
    config: { ...p, 'virtual-key': 'x' },
    param: 'virtual-key',
    message: /did you mean `virtual_key`\?/,
  },
  'a camelCase key': {
    config: { ...p, overrideParams: {} },
    param: 'overrideParams',
    message: /did you mean `override_params`\?/,
  },
  'a key like no other': {
    config: { ...p, zzzzzz: 1 },
    param: 'zzzzzz',
    message: /neither a field of a config nor a setting/,
  },
  'a key named __proto__': {
    config: JSON.parse('{"provider":"p","__proto__":{}}'),
    param: '__proto__',
    message: /Unknown key/,
  },
  'a mistyped key of a target': {
    config: { strategy: { mode: 'single' }, targets: [{ provder: 'p' }] },
    param: 'targets[0].provder',
    message: /`targets\[0\]\.provder`; did you mean `provider`\?/,
  },
  'a mistyped key of a strategy': {
    config: { strategy: { mod: 'single' }, targets: two },
    param: 'strategy.mod',
    message: /did you mean `mode`\?/,
  },
  'an unknown key of retry': {
    config: { ...p, retry: { attempts: 1, zzzzzz: 1 } },
    param: 'retry.zzzzzz',
    message: /Accepted: attempts, on_status_codes/,
  },
  'an unknown key of cache': {
    config: { ...p, cache: { mode: 'simple', ttl: 60 } },
    param: 'cache.ttl',
    message: /Accepted: mode, max_age/,
  },
  'an unknown key of a condition': {
    config: {
      strategy: { mode: 'conditional', conditions: [{ query: { 'params.a': 1 }, than: 'a' }] },
      targets: named,
    },
    param: 'strategy.conditions[0].than',
    message: /did you mean `then`\?/,
  },
  'the old options form': { config: { mode: 'single', options: [p] }, param: 'mode', message: /Unknown key/ },
  'options alone': { config: { options: [p] }, param: 'options', message: /no longer supported/ },
  'targets without a strategy': {
    config: { targets: two },
    param: 'strategy.mode',
    message: /targets need strategy\.mode: one of single, fallback/,
  },
  'targets and retry without a strategy': {
    config: { targets: two, retry: { attempts: 1 } },
    param: 'strategy.mode',
    message: /targets need/,
  },
  'a strategy without targets': {
    config: { strategy: { mode: 'fallback' } },
    param: 'targets',
    message: /strategy needs targets/,
  },
  'a strategy without mode': {
    config: { strategy: {}, targets: two },
    param: 'strategy.mode',
    message: /is required: it must be one of single/,
  },
  'an unknown mode': {
    config: { strategy: { mode: 'random' }, targets: two },
    param: 'strategy.mode',
    message: /must be one of single, fallback/,
  },
  'no targets at all': {
    config: { strategy: { mode: 'loadbalance' }, targets: [] },
    param: 'targets',
    message: /at least one target/,
  },
  'targets that are no list': {
    config: { strategy: { mode: 'single' }, targets: p },
    param: 'targets',
    message: /must be a list/,
  },
  'a total weight of 0': {
    config: { strategy: { mode: 'loadbalance' }, targets: [{ ...p, weight: 0 }] },
    param: 'targets',
    message: /add up to 0/,
  },
  'a negative weight': { config: { ...p, weight: -1 }, param: 'weight', message: /must be a number from 0/ },
  'too many retries': { config: { ...p, retry: { attempts: 6 } }, param: 'retry.attempts', message: /from 0 to 5/ },
  'retry without attempts': { config: { ...p, retry: {} }, param: 'retry.attempts', message: /is required/ },
  'a status out of range': {
    config: { ...p, retry: { attempts: 1, on_status_codes: [429, 42] } },
    param: 'retry.on_status_codes[1]',
    message: /100 to 599/,
  },
  'no status at all': {
    config: { ...p, retry: { attempts: 1, on_status_codes: [] } },
    param: 'retry.on_status_codes',
    message: /at least one/,
  },
  'an unknown cache mode': {
    config: { ...p, cache: 'fast' },
    param: 'cache',
    message: /"simple", "semantic" or an object/,
  },
  'a cache age below 60': {
    config: { ...p, cache: { mode: 'simple', max_age: 59 } },
    param: 'cache.max_age',
    message: /from 60 to 7776000/,
  },
  'a cache age above 90 days': {
    config: { ...p, cache: { mode: 'simple', max_age: 7_776_001 } },
    param: 'cache.max_age',
    message: /from 60 to 7776000/,
  },
  'a timeout of 0': { config: { ...p, request_timeout: 0 }, param: 'request_timeout', message: /milliseconds from 1/ },
  'a timeout that no timer can hold': {
    config: { ...p, request_timeout: 2 ** 31 },
    param: 'request_timeout',
    message: /2147483647/,
  },
  'a header that is none': {
    config: { ...p, forward_headers: ['a b'] },
    param: 'forward_headers[0]',
    message: /name of a header/,
  },
  'parameters in a list': {
    config: { ...p, override_params: [] },
    param: 'override_params',
    message: /must be an object/,
  },
  'null for a field': { config: { ...p, cache: null }, param: 'cache', message: /must be "simple"/ },
  'a guardrail that is a number': {
    config: { ...p, input_guardrails: [7] },
    param: 'input_guardrails[0]',
    message: /id of a saved one, or an object/,
  },
  'targets eleven levels deep': { config: deep(11), param: 'targets[0]', message: /10 levels/ },
  'JSON without end': {
    config: { ...p, override_params: JSON.parse(`${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}`) },
    param: 'config',
    message: /100 levels/,
  },
};

describe('faults in the shape of a config', () => {
  for (const [name, fault] of Object.entries(faults)) {
    it(`refuses ${name}`, () => refuses(fault));
  }

  it('accepts targets ten levels deep', () => {
    assert.doesNotThrow(() => compile(deep(10)));
  });

  it('never repeats a long key in full', () => {
    assert.throws(
      () => compile({ ['k'.repeat(10_000)]: 1 }),
      (error) => GatewayError.is(error) && error.message.length < 300 && (error.param ?? '').length < 300,
    );
  });

  it('never repeats a value', () => {
    assert.throws(
      () => compile({ provider: 'p', api_key: ['hunter2'], retry: { attempts: 'hunter2' } }),
      (error) => GatewayError.is(error) && !error.message.includes('hunter2'),
    );
  });
});
