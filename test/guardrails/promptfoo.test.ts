import { join } from 'node:path';
import type { Json } from 'portcullis/sdk';
import { testCheck, testGuardrailFixtures } from 'portcullis/sdk/testing';
import promptfoo from '../../guardrails/promptfoo/index.ts';
import pii from '../../guardrails/promptfoo/pii.ts';

testGuardrailFixtures(join(import.meta.dirname, '../../guardrails/promptfoo'), promptfoo);

const redact = { redact: true };

testCheck(pii, {
  pass: [
    {
      name: 'and takes out a value at its place alone',
      text: 'Room 7 of 7',
      config: redact,
      host: finds({ entity_type: 'building_number', start: 5, end: 6, pii: '7' }),
      edited: ['Room [BUILDING_NUMBER] of 7'],
    },
    {
      name: 'and takes out a value everywhere when its place is wrong',
      text: '🙂 Ada met Ada',
      config: redact,
      host: finds({ entity_type: 'given_name', start: 2, end: 5, pii: 'Ada' }),
      edited: ['🙂 [GIVEN_NAME] met [GIVEN_NAME]'],
    },
  ],
  fail: [{ name: 'a value that does not stand in the text', host: finds({ entity_type: 'city', pii: 'Rome' }) }],
  error: [
    {
      name: 'a value to take out that does not stand in the text',
      config: redact,
      host: finds({ entity_type: 'city', start: 0, end: 4, pii: 'Rome' }),
      code: 'check_failed',
    },
    { name: 'a flag without anything found', host: finds(), code: 'check_failed' },
    {
      name: 'more texts than it asks about',
      input: { texts: Array.from({ length: 33 }, () => ({ text: 'Hello.' })) },
      code: 'check_failed',
      message: /32 texts at most; here are 33/,
    },
  ],
  refused: [{ config: { redact: 'yes' }, message: /redact/ }],
});

function finds(...entities: Json[]) {
  const reply = { results: [{ flagged: true, payload: { pii: entities } }] };
  return { fetch: () => ({ status: 200, headers: {}, body: Buffer.from(JSON.stringify(reply)) }) };
}
