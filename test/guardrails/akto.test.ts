import { fileURLToPath } from 'node:url';
import type { Json } from 'portcullis/sdk';
import { testCheck, testGuardrailFixtures } from 'portcullis/sdk/testing';
import akto from '../../guardrails/akto/index.ts';
import { scan } from '../../guardrails/akto/scan.ts';

testGuardrailFixtures(fileURLToPath(new URL('../../guardrails/akto/', import.meta.url)), akto);

const answering = (reply: Json) => ({
  credentials: { apiKey: 'key', apiDomain: 'guardrails.example.com' },
  fetch: () => ({ status: 200, headers: {}, body: Buffer.from(JSON.stringify(reply)) }),
});
const texts = (count: number) => Array.from({ length: count }, () => ({ text: 'Hi.' }));

testCheck(scan, {
  pass: [
    { name: 'texts without a character, asking nobody', input: { texts: [{ text: '' }, { text: ' \n' }] } },
    { name: 'as many texts as it may ask about', input: { texts: texts(32) }, host: answering({ allowed: true }) },
  ],
  fail: [
    {
      name: 'what is denied and redacted, even with redact',
      text: 'Call 555-0100.',
      config: { redact: true },
      host: answering({ allowed: false, modified: true, modifiedPayload: 'Call [PHONE].' }),
      edited: ['Call 555-0100.'],
    },
  ],
  error: [
    {
      name: 'a text that Akto let through unread',
      host: answering({ Allowed: true, allowed: true, failOpen: true, error: 'timeout' }),
      code: 'check_failed',
      message: /without a verdict/,
    },
    {
      name: 'a text that Akto let through unread, in capital letters',
      host: answering({ Allowed: true, FailOpen: true }),
      code: 'check_failed',
    },
    {
      name: 'a request in which Akto found no text',
      host: answering({ Allowed: true, Modified: false, ModifiedPayload: '', Reason: 'No request body provided' }),
      code: 'check_failed',
      message: /without a verdict/,
    },
    {
      name: 'a reply in which Akto found no text',
      phase: 'afterRequest',
      host: answering({ allowed: true, reason: 'No response body provided' }),
      code: 'check_failed',
    },
    { name: 'a verdict that is no boolean', host: answering({ allowed: 'true' }), message: /without a verdict/ },
    {
      name: 'a redaction without the text',
      config: { redact: true },
      host: answering({ allowed: true, modified: true }),
      message: /without the redacted text/,
    },
    {
      name: 'more texts than it may ask about',
      input: { texts: texts(33) },
      host: answering({ allowed: true }),
      code: 'check_failed',
      message: /at most 32/,
    },
  ],
  refused: [{ config: { redact: 'yes' }, message: /redact/ }],
});
