import { join } from 'node:path';
import type { Json } from 'portcullis/sdk';
import { testCheck, testGuardrailFixtures } from 'portcullis/sdk/testing';
import walledai from '../../guardrails/walledai/index.ts';
import walledprotect from '../../guardrails/walledai/walledprotect.ts';

testGuardrailFixtures(join(import.meta.dirname, '../../guardrails/walledai'), walledai);

const credentials = { apiKey: 'test-key' };
const safe = [{ safety: 'generic', isSafe: true }];
const emails = { generic_safety_check: false, pii_list: ['Email Id'] };
const topics = { generic_safety_check: false, pii_list: [], compliance_list: ['Medical'] };
const finds = (data: Json) => says({ success: true, statusCode: 200, data });

testCheck(walledprotect, {
  pass: [{ name: 'without greetings', config: { pii_list: [] }, host: finds({ safety: safe }) }],
  fail: [
    {
      name: 'when one of two safety checks says so',
      config: { pii_list: [] },
      host: finds({ safety: [...safe, { isSafe: false }] }),
    },
  ],
  error: [
    {
      name: 'no safety check',
      config: { pii_list: [] },
      host: finds({ safety: [] }),
      code: 'check_failed',
      message: /safety/,
    },
    {
      name: 'a safety check without a verdict',
      config: { pii_list: [] },
      host: finds({ safety: [...safe, {}] }),
      code: 'check_failed',
    },
    {
      name: 'personal data that nobody looked for',
      config: emails,
      host: finds({ pii: [{ pii_type: 'Address', isPresent: false }] }),
      code: 'check_failed',
      message: /pii/,
    },
    {
      name: 'a search that broke',
      config: emails,
      host: finds({ pii: [{ pii_type: 'Email Id', isPresent: false, error: 'timeout' }] }),
      code: 'check_failed',
    },
    {
      name: 'a topic without an answer',
      config: topics,
      host: finds({ compliance: [] }),
      code: 'check_failed',
      message: /compliance/,
    },
    {
      name: 'a failure in a reply of status 200',
      config: emails,
      host: says({ success: false, errorCode: 'VALIDATION_ERROR' }),
      code: 'check_failed',
    },
  ],
  refused: [
    { config: { generic_safety_check: false, pii_list: [] }, message: /generic_safety_check/ },
    { config: { pii_list: ['Shoe Size'] }, message: /pii_list/ },
    { config: { greetings_list: ['Rude'] }, message: /greetings_list/ },
    { config: { compliance_list: [''] }, message: /compliance_list/ },
  ],
});

function says(reply: Json) {
  const fetch = () => ({ status: 200, headers: {}, body: Buffer.from(JSON.stringify(reply)) });
  return { credentials, fetch };
}
