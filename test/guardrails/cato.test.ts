import { fileURLToPath } from 'node:url';
import type { Json } from 'portcullis/sdk';
import { testCheck, testGuardrailFixtures } from 'portcullis/sdk/testing';
import { analyze } from '../../guardrails/cato/analyze.ts';
import cato from '../../guardrails/cato/index.ts';

testGuardrailFixtures(fileURLToPath(new URL('../../guardrails/cato/', import.meta.url)), cato);

const answering = (reply: Json) => ({
  credentials: { apiKey: 'key' },
  fetch: () => ({ status: 200, headers: {}, body: Buffer.from(JSON.stringify(reply)) }),
});
const anonymized = (...contents: readonly (string | null)[]) =>
  answering({
    required_action: { action_type: 'anonymize_action' },
    redacted_chat: { all_redacted_messages: contents.map((content) => ({ role: 'user', content })) },
  });

testCheck(analyze, {
  pass: [
    {
      name: 'a reply where only the question was anonymized',
      input: { phase: 'afterRequest', prompt: 'I am Ann.', text: 'Hello.' },
      host: anonymized('I am [NAME_1].', 'Hello.'),
      edited: ['Hello.'],
    },
    {
      name: 'what is anonymized behind a text that holds nothing, which Cato does not get',
      config: { redact: true },
      input: { texts: [{ text: ' ' }, { text: 'I am Ann.' }] },
      host: anonymized('I am [NAME_1].'),
      edited: [' ', 'I am [NAME_1].'],
    },
  ],
  error: [
    { name: 'no action and no analysis', host: answering({ required_action: null }), message: /without an action/ },
    { name: 'an analysis without an action', host: answering({ analysis_result: {} }), message: /without an action/ },
    {
      name: 'an action that is unknown',
      host: answering({ required_action: { action_type: 'toString' }, analysis_result: {} }),
      code: 'check_failed',
    },
    {
      name: 'fewer anonymized texts than were sent',
      config: { redact: true },
      input: { texts: [{ text: 'I am Ann.' }, { text: 'I am Bob.' }] },
      host: anonymized('I am [NAME_1].'),
      code: 'check_failed',
      message: /without the anonymized texts/,
    },
    {
      name: 'more anonymized texts than were sent',
      config: { redact: true },
      input: { texts: [{ text: 'I am Ann.' }] },
      host: anonymized('Be brief.', 'I am [NAME_1].'),
      code: 'check_failed',
      message: /without the anonymized texts/,
    },
    {
      name: 'an anonymized message without a text',
      config: { redact: true },
      host: anonymized(null),
      message: /without the anonymized texts/,
    },
  ],
  refused: [
    { config: { userEmail: 'ann@example.com\nx-other: 1' }, message: /userEmail/ },
    { config: { keyAlias: ' ' }, message: /keyAlias/ },
    { config: { failOpen: true }, message: /failOpen/ },
  ],
});
