import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { GatewayError, type Json } from 'portcullis/sdk';
import { createCheckHost, testCheck, testGuardrailFixtures } from 'portcullis/sdk/testing';
import { apexOf } from '../../guardrails/acuvity/apex.ts';
import acuvity from '../../guardrails/acuvity/index.ts';
import scan from '../../guardrails/acuvity/scan.ts';

testGuardrailFixtures(join(import.meta.dirname, '../../guardrails/acuvity'), acuvity);

const credentials = { apiKey: tokenOf({ opaque: { 'apex-url': 'https://apex.acuvity.ai' } }) };
const finds = (...extractions: Json[]) => says({ extractions });
const redacting = { pii: true, pii_redact: true };

testCheck(scan, {
  pass: [
    {
      name: 'a score below the threshold',
      config: { toxic: true, toxic_threshold: 0.7 },
      host: finds({ malcontents: { toxic: 0.69 } }),
    },
    {
      name: 'what is not switched on',
      config: { toxic: true },
      host: finds({ exploits: { jailbreak: 1 }, PIIs: { ssn: 1 } }),
    },
    { name: 'blank texts without a call', input: { text: ' ' }, config: { toxic: true }, host: createCheckHost() },
  ],
  fail: [
    {
      name: 'a score at the threshold',
      config: { toxic: true, toxic_threshold: 0.7 },
      host: finds({ malcontents: { toxic: 0.7 } }),
    },
    {
      name: 'a jailbreak',
      config: { jail_break: true },
      host: finds({ exploits: { jailbreak: 0.5 } }),
      why: 'Acuvity found jail_break.',
    },
    {
      name: 'what a policy of Acuvity denies',
      config: { toxic: true },
      host: says({ decision: 'Deny', extractions: [{}] }),
      why: 'A policy of Acuvity denies it.',
      data: { decision: 'Deny' },
    },
    {
      name: 'what a policy would have confirmed, without results',
      config: { toxic: true },
      host: says({ decision: 'Ask' }),
    },
    {
      name: 'a place without a score',
      config: { secrets: true },
      host: finds({ detections: [{ type: 'Secret', name: 'JWT' }] }),
      data: { guards: ['secrets'], pii: [], secrets: ['jwt'] },
    },
    {
      name: 'secrets when only personal data are redacted',
      config: { ...redacting, secrets: true },
      host: finds({ data: 'X', PIIs: { ssn: 1 }, secrets: { jwt: 1 } }),
    },
  ],
  error: [
    {
      name: 'texts that were skipped',
      config: { toxic: true },
      host: says({ decision: 'Skipped', extractions: [{}] }),
      code: 'check_failed',
      message: /decision/,
    },
    { name: 'fewer results than texts', config: { toxic: true }, host: finds(), code: 'check_failed' },
    { name: 'more results than texts', config: { toxic: true }, host: finds({}, {}), code: 'check_failed' },
    { name: 'a result that is none', config: { toxic: true }, host: finds(null), code: 'check_failed' },
    {
      name: 'a score in words',
      config: { toxic: true },
      host: finds({ malcontents: { toxic: 'high' } }),
      code: 'check_failed',
    },
    {
      name: 'scores in a list',
      config: { toxic: true },
      host: finds({ malcontents: ['toxic'] }),
      code: 'check_failed',
    },
    {
      name: 'a redaction without the text',
      config: redacting,
      host: finds({ PIIs: { ssn: 1 } }),
      code: 'check_failed',
    },
    {
      name: 'a token of another place',
      config: { toxic: true },
      host: { credentials: { apiKey: 'no-token' } },
      code: 'check_failed',
      message: /acuvity\.ai/,
    },
  ],
  refused: [
    { config: {}, message: /at least one of/ },
    { config: { pii_redact: true }, message: /at least one of/ },
    { config: { toxic: true, toxic_threshold: 1.1 }, message: /toxic_threshold/ },
    { config: { pii: true, pii_categories: ['iban'] }, message: /pii_categories/ },
    { config: { secrets: true, secrets_categories: [] }, message: /secrets_categories/ },
    { config: { language: true, language_values: 'klingon' }, message: /language_values/ },
  ],
});

describe('the place that an Acuvity token names', () => {
  const names = (url: Json) => tokenOf({ opaque: { 'apex-url': url } });
  for (const [claim, origin] of [
    ['https://apex.acuvity.ai', 'https://apex.acuvity.ai'],
    ['https://eu.apex.acuvity.ai:8443/base', 'https://eu.apex.acuvity.ai:8443'],
    ['apex.acuvity.ai', 'https://apex.acuvity.ai'],
    ['https://acuvity.ai', 'https://acuvity.ai'],
  ] as const)
    it(`is ${claim}`, () => assert.equal(apexOf(names(claim)), origin));

  for (const [why, token] of [
    ['plain http', names('http://apex.acuvity.ai')],
    ['another domain', names('https://apex.example.com')],
    ['a domain that only ends alike', names('https://evilacuvity.ai')],
    ['a domain that only begins alike', names('https://apex.acuvity.ai.example.com')],
    ['the domain as a user', names('https://apex.acuvity.ai@example.com')],
    ['a user', names('https://user:secret@apex.acuvity.ai')],
    ['an address', names('169.254.169.254')],
    ['no URL', names('https://')],
    ['a number', names(7)],
    ['no claim', tokenOf({ iss: 'https://api.acuvity.ai' })],
    ['claims that are no object', tokenOf(['https://apex.acuvity.ai'])],
    ['a token of two parts', 'a.b'],
    ['a token of four parts', `${names('https://apex.acuvity.ai')}.d`],
    ['claims that are no JSON', 'a.b.c'],
    [
      'a token that is too long',
      tokenOf({ opaque: { 'apex-url': 'https://apex.acuvity.ai' }, pad: 'x'.repeat(16_384) }),
    ],
  ] as const)
    it(`is refused for ${why}`, () =>
      assert.throws(
        () => apexOf(token),
        (error) => GatewayError.is(error) && error.code === 'check_failed' && !error.message.includes(token),
      ));
});

/** Nobody looks at the signature. */
function tokenOf(claims: Json): string {
  return ['{"alg":"none"}', JSON.stringify(claims), 'unsigned']
    .map((part) => Buffer.from(part).toString('base64url'))
    .join('.');
}

function says(reply: Json) {
  const fetch = () => ({ status: 200, headers: {}, body: Buffer.from(JSON.stringify(reply)) });
  return { credentials, fetch };
}
