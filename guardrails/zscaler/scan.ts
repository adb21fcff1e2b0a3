import { type CheckHost, check, GatewayError, schema } from 'portcullis/sdk';
import { ask } from './ask.ts';
import type { Credentials } from './credentials.ts';

/** Each text is a call of its own: the masked one comes back as a whole. */
const maxTexts = 32;

/** Runs a detection policy of Zscaler AI Guard on each text. */
export const scan = check({
  title: 'Zscaler AI Guard',
  description: 'Runs a detection policy of Zscaler AI Guard; what the policy blocks fails.',
  config: schema.Object(
    {
      policyId: schema.String({
        pattern: '^[1-9][0-9]{0,14}$',
        accepts: 'the number of a detection policy, as a string',
        description: 'The detection policy that runs.',
      }),
      redact: schema.Boolean({
        default: false,
        description:
          'Puts the masked text that Zscaler gives in the place of the text; what the policy blocks still fails.',
      }),
    },
    { additionalProperties: false },
  ),
  phases: ['beforeRequest', 'afterRequest'],
  edits: 'may',
  remote: { timeoutMs: 10_000 },
  run: async ({ phase, texts }, { policyId, redact }, host: CheckHost<Credentials>) => {
    const asked = texts.filter(({ text }) => text.trim() !== '');
    if (asked.length > maxTexts) {
      const why = `Zscaler AI Guard is asked about at most ${maxTexts} texts of a request, and there are ${asked.length}.`;
      throw new GatewayError('check_failed', why);
    }
    const direction = phase === 'beforeRequest' ? 'IN' : 'OUT';
    const answers = await Promise.all(asked.map((text) => ask(text, direction, Number(policyId), host)));
    const data = { scans: answers.map(({ scan }) => scan) };
    if (answers.some(({ blocked }) => blocked)) {
      const detectors = [...new Set(answers.flatMap(({ blocking }) => blocking))];
      const named = detectors.length === 0 ? '' : `: ${detectors.join(', ')}`;
      return { pass: false, why: `The policy of Zscaler AI Guard blocks it${named}.`, data };
    }
    return { pass: true, data, ...(redact ? { edits: answers.flatMap(({ masks }) => masks) } : {}) };
  },
});
