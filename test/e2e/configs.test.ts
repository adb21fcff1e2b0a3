import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JsonObject } from 'portcullis/sdk';
import { clientError } from '../support/client-dialects.ts';
import { startGateway, testConfig } from '../support/gateway.ts';
import { noUnhandledRejections } from '../support/rejections.ts';

noUnhandledRejections();

const chat = { model: 'm', messages: [{ role: 'user', content: 'x' }] };
const path = '/v1/chat/completions';

describe('a config', () => {
  const echo = { provider: 'echo' };
  for (const [name, config, message, code] of [
    [
      'a cache of too short an age',
      { ...echo, cache: { mode: 'simple', max_age: 5 } },
      /cache\.max_age/,
      'invalid_config',
    ],
    ['a guardrail that is not there', { ...echo, input_guardrails: ['g1'] }, /input_guardrails\[0\]/, 'invalid_config'],
    [
      'hooks without a check',
      { ...echo, before_request_hooks: [{ id: 'g1' }] },
      /before_request_hooks/,
      'invalid_config',
    ],
    ['a mutator that is not there', { ...echo, output_mutators: ['m1'] }, /output_mutators/, 'invalid_config'],
    ['a saved prompt', { prompt_id: 'p1' }, /prompt.*workspace/, 'invalid_config'],
    ['an unknown field', { ...echo, retri: { attempts: 1 } }, /retri.*retry/s, 'invalid_config'],
    [
      'an unknown strategy',
      { strategy: { mode: 'random' }, targets: [echo] },
      /strategy.mode must be one of single, fallback/,
      'invalid_config',
    ],
    ['targets without a strategy', { targets: [echo] }, /strategy/, 'invalid_config'],
    ['no target', { strategy: { mode: 'fallback' }, targets: [] }, /targets/, 'invalid_config'],
    ['no weight', { strategy: { mode: 'loadbalance' }, targets: [{ ...echo, weight: 0 }] }, /weight/, 'invalid_config'],
    ['too many retries', { ...echo, retry: { attempts: 6 } }, /attempts/, 'invalid_config'],
    [
      'too many targets',
      { strategy: { mode: 'fallback' }, targets: Array.from({ length: 101 }, () => echo) },
      /100/,
      'invalid_config',
    ],
  ] as const) {
    it(`with ${name} is refused, from a request and at the start`, async (t) => {
      const gateway = await startGateway(t);
      const reply = await gateway.post(path, chat, { 'x-gw-config': JSON.stringify(config) });
      assert.equal(reply.status, 400, reply.text);
      const error = clientError('chat', reply);
      assert.equal(error.code, code);
      assert.match(error.message, message);
      const broken = testConfig({ configs: { broken: config as unknown as JsonObject } });
      await assert.rejects(gateway.gateway.reload(broken), { code, message: /configs\.broken/ });
    });
  }
});
