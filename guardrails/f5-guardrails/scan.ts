import {
  asObject,
  asObjects,
  asString,
  baseUrl,
  type CheckHost,
  callJson,
  check,
  compact,
  editsBetween,
  GatewayError,
  type JsonObject,
  schema,
} from 'portcullis/sdk';
import type { Credentials } from './credentials.ts';

const outcomes = ['cleared', 'redacted', 'flagged', 'blocked'] as const;

/** Each text is a scan of its own: only so is it known what was redacted where. */
const maxTexts = 32;

/** Source: https://docs.aisecurity.f5.com/api-docs/ */
export default check({
  title: 'F5 AI Guardrails scan',
  description:
    'Fails what the scanners of the project do not clear. With `redact`, what they only redact is changed and passes.',
  config: schema.Object(
    {
      projectId: schema.Optional(schema.String({ minLength: 1, maxLength: 255 })),
      redact: schema.Boolean({ default: false }),
    },
    { additionalProperties: false },
  ),
  phases: ['beforeRequest', 'afterRequest'],
  edits: 'may',
  remote: { timeoutMs: 5000 },
  async run(input, { projectId, redact }, host: CheckHost<Credentials>) {
    const texts = input.texts.filter(({ text }) => text.trim() !== '');
    if (texts.length === 0) return { pass: true };
    if (texts.length > maxTexts)
      throw new GatewayError('check_failed', `F5 is asked about ${maxTexts} texts at most; there are ${texts.length}.`);
    const { apiKey, calypsoUrl } = host.credentials;
    const url = `${baseUrl(calypsoUrl, 'https://us1.calypsoai.app', 'calypsoUrl')}/backend/v1/scans`;
    const headers = { authorization: `Bearer ${apiKey}` };
    const scans = await Promise.all(
      texts.map(async ({ index, text }) => {
        const body = compact({ input: text, project: projectId });
        const reply = await callJson(host, { vendor: 'F5 AI Guardrails', url, headers, body });
        return { index, text, ...scanOf(reply, text) };
      }),
    );
    const pass = scans.every(
      ({ outcome, changed }) => outcome === 'cleared' || (redact && outcome === 'redacted' && changed),
    );
    return {
      pass,
      ...(pass ? {} : { why: 'Scanners of F5 AI Guardrails did not clear this.' }),
      data: scans.map(({ index, outcome, failed }) => ({ text: index, outcome, failed })),
      edits: redact ? scans.flatMap(({ index, text, redacted }) => editsBetween(index, text, redacted)) : [],
    };
  },
});

function scanOf(reply: JsonObject, text: string) {
  const result = asObject(reply.result);
  const outcome = outcomes.find((known) => known === result?.outcome);
  const redacted = asString(reply.redactedInput);
  if (outcome === undefined || (outcome === 'redacted' && redacted === undefined))
    throw new GatewayError('check_failed', 'F5 AI Guardrails answered without an outcome.');
  const failed = asObjects(result?.scannerResults).filter((scanner) => scanner.outcome === 'failed');
  return {
    outcome,
    redacted: redacted ?? text,
    changed: redacted !== undefined && redacted !== text,
    failed: failed.flatMap(({ scannerId }) => asString(scannerId) ?? []).slice(0, 20),
  };
}
