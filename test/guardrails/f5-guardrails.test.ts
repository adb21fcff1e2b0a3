import { join } from 'node:path';
import type { Json } from 'portcullis/sdk';
import { createCheckHost, testCheck, testGuardrailFixtures } from 'portcullis/sdk/testing';
import f5 from '../../guardrails/f5-guardrails/index.ts';
import scan from '../../guardrails/f5-guardrails/scan.ts';

testGuardrailFixtures(join(import.meta.dirname, '../../guardrails/f5-guardrails'), f5);

const credentials = { apiKey: 'test-token' };
const many = (count: number) => ({ texts: Array.from({ length: count }, () => ({ text: 'Hello.' })) });
const judges = (outcome: string, redactedInput?: string) =>
  says({ result: { outcome }, ...(redactedInput === undefined ? {} : { redactedInput }) });

testCheck(scan, {
  pass: [
    { name: '32 texts', input: many(32), host: judges('cleared') },
    { name: 'blank texts without a call', input: { text: '' }, host: createCheckHost() },
    {
      name: 'what is cleared in a changed form',
      text: 'I am Jo.',
      config: { redact: true },
      host: judges('cleared', 'I am **.'),
      edited: ['I am **.'],
    },
    { name: 'what is cleared as it is', text: 'I am Jo.', host: judges('cleared', 'I am **.'), edited: ['I am Jo.'] },
  ],
  fail: [
    {
      name: 'a redaction that changed nothing',
      text: 'I am Jo.',
      config: { redact: true },
      host: judges('redacted', 'I am Jo.'),
    },
    {
      name: 'what is flagged, even redacted',
      text: 'I am Jo.',
      config: { redact: true },
      host: judges('flagged', 'I am **.'),
      edited: ['I am **.'],
    },
  ],
  error: [
    {
      name: '33 texts',
      input: many(33),
      host: judges('cleared'),
      code: 'check_failed',
      message: /32 texts at most; there are 33/,
    },
    { name: 'an unknown outcome', host: judges('passed'), code: 'check_failed' },
    { name: 'a redaction without the text', config: { redact: true }, host: judges('redacted'), code: 'check_failed' },
    {
      name: 'a base URL with a query',
      host: { credentials: { ...credentials, calypsoUrl: 'https://a.example?b' } },
      code: 'check_failed',
      message: /calypsoUrl/,
    },
  ],
  refused: [
    { config: { projectId: '' }, message: /projectId/ },
    { config: { redact: 'yes' }, message: /redact/ },
  ],
});

function says(reply: Json) {
  const fetch = () => ({ status: 200, headers: {}, body: Buffer.from(JSON.stringify(reply)) });
  return { credentials, fetch };
}
