import { join } from 'node:path';
import type { Json } from 'portcullis/sdk';
import { createCheckHost, testCheck, testGuardrailFixtures } from 'portcullis/sdk/testing';
import guardChatCompletions from '../../guardrails/crowdstrike-aidr/guard-chat-completions.ts';
import aidr from '../../guardrails/crowdstrike-aidr/index.ts';

testGuardrailFixtures(join(import.meta.dirname, '../../guardrails/crowdstrike-aidr'), aidr);

const credentials = { apiKey: 'test-token', baseUrl: 'https://api.crowdstrike.com/aidr/aiguard' };
const judges = (result: Json) => says({ status: 'Success', result });
const transforms = (...messages: Json[]) => judges({ blocked: false, transformed: true, guard_output: { messages } });

testCheck(guardChatCompletions, {
  pass: [
    { name: 'blank texts without a call', input: { text: '\n' }, host: createCheckHost() },
    {
      name: 'a blank text beside one that is transformed',
      input: { texts: [{ text: ' ' }, { text: 'I am Jo.' }] },
      host: transforms({ role: 'user', content: 'I am ***.' }),
      edited: [' ', 'I am ***.'],
    },
    { name: 'a result that blocks nothing', host: judges({ blocked: null, detectors: {} }) },
    {
      name: 'what is transformed in a result that blocks nothing',
      text: 'I am Jo.',
      host: judges({ transformed: true, detectors: {}, guard_output: { messages: [{ content: 'I am ***.' }] } }),
      edited: ['I am ***.'],
    },
  ],
  fail: [{ name: 'a block without messages', host: judges({ blocked: true, transformed: true }) }],
  error: [
    {
      name: 'a verdict to come',
      host: says({ status: 'Accepted', result: { location: 'https://x.example' } }),
      code: 'check_failed',
    },
    {
      name: 'a failure with a verdict',
      host: says({ status: 'ServiceError', result: { blocked: false } }),
      code: 'check_failed',
    },
    { name: 'a result without a verdict', host: judges({ transformed: false }), code: 'check_failed' },
    { name: 'a verdict in words', host: judges({ blocked: 'true', detectors: {} }), code: 'check_failed' },
    { name: 'fewer messages than texts', host: transforms(), code: 'check_failed', message: /other messages/ },
    { name: 'more messages than texts', host: transforms({ content: 'a' }, { content: 'b' }), code: 'check_failed' },
    { name: 'a message without text', host: transforms({ role: 'user' }), code: 'check_failed', message: /no text/ },
    {
      name: 'a base URL that is none',
      host: { credentials: { ...credentials, baseUrl: 'https://' } },
      code: 'check_failed',
      message: /baseUrl/,
    },
  ],
  refused: [{ config: { redact: true }, message: /redact/ }],
});

function says(reply: Json) {
  const fetch = () => ({ status: 200, headers: {}, body: Buffer.from(JSON.stringify(reply)) });
  return { credentials, fetch };
}
