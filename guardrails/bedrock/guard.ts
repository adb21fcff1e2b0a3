import { type CheckHost, check, GatewayError, type JsonObject, schema, type Verdict } from 'portcullis/sdk';
import { apply } from './apply.ts';
import { findingsOf, sensitive } from './assessment.ts';
import { keysOf } from './assume-role.ts';
import { batchesOf, type Part } from './batches.ts';
import type { Credentials } from './credentials.ts';
import { redactions } from './redact.ts';

const maxTexts = 32;

/** Source: https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ApplyGuardrail.html */
export default check({
  title: 'Amazon Bedrock guardrail',
  description: 'Fails when the guardrail intervenes, or takes sensitive information out where that is all it found.',
  config: schema.Object(
    {
      guardrailId: schema.String({
        maxLength: 2048,
        pattern: '^([a-z0-9]+|arn:aws(-[^:]+)?:bedrock:[a-z0-9-]{1,20}:[0-9]{12}:guardrail/[a-z0-9]+)$',
        description: 'Id or ARN.',
      }),
      guardrailVersion: schema.String({ pattern: '^([1-9][0-9]{0,7}|DRAFT)$' }),
      redact: schema.Boolean({ default: false, description: 'Takes sensitive information out, and passes.' }),
    },
    { additionalProperties: false },
  ),
  phases: ['beforeRequest', 'afterRequest'],
  edits: 'may',
  remote: { timeoutMs: 5000 },
  async run({ phase, texts }, { guardrailId, guardrailVersion, redact }, host: CheckHost<Credentials>) {
    const filled = texts.filter(({ text }) => text.trim() !== '').map((text): Part => ({ ...text, start: 0 }));
    if (filled.length === 0) return { pass: true };
    // A masked text comes back for one that was sent alone; a verdict can be had for all of them at once.
    const groups = redact ? filled.map((text) => [text]) : [filled];
    if (groups.length > maxTexts)
      throw new GatewayError('check_failed', `The check redacts ${maxTexts} texts at most; here are ${groups.length}.`);
    const keys = await keysOf(host);
    const path = `guardrail/${encodeURIComponent(guardrailId)}/version/${guardrailVersion}/apply`;
    const source = phase === 'beforeRequest' ? 'INPUT' : 'OUTPUT';
    const ask = (parts: readonly Part[]) =>
      apply(host, keys, path, { source, content: parts.map(({ text }) => ({ text: { text } })) });
    const asked = groups.map(async (group) => {
      const whole = await ask(group);
      if (whole !== undefined) return [judged(whole, redact, group[0])];
      const verdicts: Judged[] = [];
      // One after the other: what an account may send in a second is limited as well.
      for (const batch of batchesOf(group)) {
        const reply = await ask(batch);
        if (reply === undefined) throw new GatewayError('check_failed', 'Amazon Bedrock takes not even a part of it.');
        verdicts.push(judged(reply, redact, batch[0]));
      }
      return verdicts;
    });
    return together((await Promise.all(asked)).flat());
  },
});

interface Judged extends Verdict {
  readonly reasons: readonly string[];
}

/** @param part what the reply is about, where that is to be redacted */
function judged(reply: JsonObject, redact: boolean, part: Part | undefined): Judged {
  if (reply.action === 'NONE') return { pass: true, reasons: [] };
  const findings = findingsOf(reply);
  const reasons = findings.map(({ policy, name }) => `${policy}: ${name}`);
  const maskable = redact && findings.length > 0 && findings.every(({ policy }) => policy === sensitive);
  const edits = maskable && part !== undefined ? redactions(part, findings, reply) : undefined;
  return edits === undefined ? { pass: false, reasons } : { pass: true, reasons, edits };
}

/** One text that may not pass keeps all from passing. */
function together(verdicts: readonly Judged[]): Verdict {
  const data = { reasons: [...new Set(verdicts.flatMap(({ reasons }) => reasons))] };
  const edits = verdicts.flatMap((verdict) => verdict.edits ?? []);
  if (verdicts.every(({ pass }) => pass)) return { pass: true, data, edits };
  return { pass: false, why: 'The guardrail of Amazon Bedrock has intervened.', data };
}
