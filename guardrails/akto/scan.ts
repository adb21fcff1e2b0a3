import { type CheckHost, check, GatewayError, schema } from 'portcullis/sdk';
import { ask } from './ask.ts';
import type { Credentials } from './credentials.ts';

/** Each text is a call of its own: the redacted one comes back as a whole. */
const maxTexts = 32;

/** Asks Akto whether its policies allow each text. */
export const scan = check({
  title: 'Akto guardrail',
  description: 'Fails what the policies in Akto deny, and what they would only allow redacted unless `redact` is on.',
  config: schema.Object(
    {
      redact: schema.Boolean({
        default: false,
        description: 'Puts the redacted text that Akto gives in the place of the text; what Akto denies still fails.',
      }),
    },
    { additionalProperties: false },
  ),
  phases: ['beforeRequest', 'afterRequest'],
  edits: 'may',
  remote: { timeoutMs: 5000 },
  run: async ({ phase, texts }, { redact }, host: CheckHost<Credentials>) => {
    const asked = texts.filter(({ text }) => text.trim() !== '');
    if (asked.length > maxTexts) {
      const why = `Akto is asked about at most ${maxTexts} texts of a request, and there are ${asked.length}.`;
      throw new GatewayError('check_failed', why);
    }
    const answers = await Promise.all(asked.map((text) => ask(text, phase, host)));
    const data = { scans: answers.map(({ scan }) => scan) };
    if (answers.some(({ allowed }) => !allowed)) return { pass: false, why: 'A policy of Akto denies it.', data };
    const edits = answers.flatMap(({ changes }) => changes);
    if (edits.length === 0) return { pass: true, data };
    return redact ? { pass: true, data, edits } : { pass: false, why: 'Akto allows it only redacted.', data };
  },
});
