import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { GatewayError } from 'portcullis/sdk';
import { compile } from './plans.ts';

const p = { provider: 'p' };

describe('features that no plugin serves', () => {
  const cases = {
    retry: [{ ...p, retry: { attempts: 0 } }, 'retry'],
    cache: [{ ...p, cache: 'simple' }, 'cache'],
    override_params: [{ ...p, override_params: { a: 1 } }, 'params'],
    default_params: [{ ...p, default_params: { a: 1 } }, 'params'],
    drop_params: [{ ...p, drop_params: ['a'] }, 'params'],
    prompt_id: [{ prompt_id: 'x' }, 'prompts'],
    before_request_hooks: [{ ...p, before_request_hooks: ['g'] }, 'guardrails'],
    after_request_hooks: [{ ...p, after_request_hooks: ['g'] }, 'guardrails'],
    input_guardrails: [{ ...p, input_guardrails: ['g'] }, 'guardrails'],
    output_guardrails: [{ ...p, output_guardrails: ['g'] }, 'guardrails'],
    default_input_guardrails: [{ ...p, default_input_guardrails: ['g'] }, 'guardrails'],
    default_output_guardrails: [{ ...p, default_output_guardrails: ['g'] }, 'guardrails'],
    input_mutators: [{ ...p, input_mutators: ['g'] }, 'mutators'],
    output_mutators: [{ ...p, output_mutators: ['g'] }, 'mutators'],
  } as const;
  for (const [field, [config, feature]] of Object.entries(cases)) {
    it(`refuses ${field} unless "${feature}" is served`, () => {
      const expected = `config.${field} is understood, but no enabled plugin serves "${feature}".`;
      assert.throws(
        () => compile(config, { serves: new Set() }),
        (error) =>
          GatewayError.is(error) &&
          error.code === 'not_available' &&
          error.param === field &&
          error.message === expected,
      );
      assert.doesNotThrow(() => compile(config, { serves: new Set([feature]) }));
    });
  }

  it('names the target that asks', () => {
    const config = { strategy: { mode: 'single' }, targets: [{ ...p, cache: 'simple' }] };
    assert.throws(() => compile(config, { serves: new Set() }), { param: 'targets[0].cache' });
  });

  it('lets an empty list pass, which asks for nothing', () => {
    assert.doesNotThrow(() => compile({ ...p, input_guardrails: [], drop_params: [] }, { serves: new Set() }));
  });
});
