import { fileURLToPath } from 'node:url';
import type { Json } from 'portcullis/sdk';
import { testCheck, testGuardrailFixtures } from 'portcullis/sdk/testing';
import { guard } from '../../guardrails/lakera/guard.ts';
import lakera from '../../guardrails/lakera/index.ts';

testGuardrailFixtures(fileURLToPath(new URL('../../guardrails/lakera/', import.meta.url)), lakera);

const answering = (reply: Json) => ({
  credentials: { apiKey: 'key' },
  fetch: () => ({ status: 200, headers: {}, body: Buffer.from(JSON.stringify(reply)) }),
});
const flagged = (...payload: readonly Json[]) =>
  answering({ flagged: true, payload, breakdown: [{ detector_type: 'pii/name', detected: true }] });
const name = (start: number, end: number, named?: string) => ({
  start,
  end,
  ...(named === undefined ? {} : { text: named }),
  detector_type: 'pii/name',
  message_id: 0,
});

testCheck(guard, {
  pass: [
    {
      name: 'what has been masked, without a text that names it',
      text: 'I am Ann.',
      config: { redact: true },
      host: flagged(name(5, 8)),
      edited: ['I am [NAME].'],
    },
    {
      name: 'what has been masked behind a text that holds nothing, which Lakera does not get',
      input: { texts: [{ text: ' ' }, { text: 'I am Ann.' }] },
      config: { redact: true },
      host: flagged(name(5, 8, 'Ann')),
      edited: [' ', 'I am [NAME].'],
    },
    {
      name: 'what has been masked where the end counts',
      text: 'I am Ann.',
      config: { redact: true, endInclusive: true },
      host: flagged(name(5, 7, 'Ann')),
      edited: ['I am [NAME].'],
    },
  ],
  fail: [
    { name: 'personal data without redact', text: 'I am Ann.', host: flagged(name(5, 8, 'Ann')) },
    { name: 'personal data without a place', text: 'I am Ann.', config: { redact: true }, host: flagged() },
    {
      name: 'what was flagged by nobody knows whom',
      text: 'I am Ann.',
      config: { redact: true },
      host: answering({ flagged: true, payload: [name(5, 8, 'Ann')], breakdown: [] }),
      why: 'Lakera flags it.',
    },
  ],
  error: [
    { name: 'a verdict that is missing', host: answering({ breakdown: [] }), message: /without a verdict/ },
    {
      name: 'a place that does not hold what is said',
      text: 'I am Ann.',
      config: { redact: true },
      host: flagged(name(4, 7, 'Ann')),
      code: 'check_failed',
      message: /a place that is not in the text/,
    },
    {
      name: 'a place behind the end',
      text: 'I am Ann.',
      config: { redact: true },
      host: flagged(name(5, 99)),
      code: 'check_failed',
    },
    {
      name: 'a place that says not in which of two messages',
      input: { texts: [{ text: 'I am Ann.' }, { text: 'I am Bob.' }] },
      config: { redact: true },
      host: flagged({ start: 5, end: 8, detector_type: 'pii/name' }),
      code: 'check_failed',
    },
    {
      name: 'a place in a message that was not sent',
      text: 'I am Ann.',
      config: { redact: true },
      host: flagged({ ...name(5, 8), message_id: 1 }),
      code: 'check_failed',
    },
  ],
  refused: [
    { config: { projectID: '' }, message: /projectID/ },
    { config: { endInclusive: 1 }, message: /endInclusive/ },
  ],
});
