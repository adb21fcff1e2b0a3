import { type CheckHost, check, schema } from 'portcullis/sdk';
import { labelOf } from './ask.ts';
import type { Credentials } from './credentials.ts';
import { not } from './inverted.ts';

/** Asks whether a text means anything. */
export const gibberish = check({
  title: 'Detect gibberish',
  description: 'Fails texts that are gibberish.',
  config: schema.Object({ not }, { additionalProperties: false }),
  phases: ['beforeRequest', 'afterRequest'],
  whole: ({ not }) => not,
  remote: { timeoutMs: 5000 },
  run: async ({ text }, { not }, host: CheckHost<Credentials>) => {
    if (text.trim() === '') return { pass: true };
    const label = await labelOf(host, 'gibberish', text);
    const data = { label, not };
    if ((label === 'clean') !== not) return { pass: true, data };
    return { pass: false, why: not ? 'The text is no gibberish.' : `The text is gibberish: ${label}.`, data };
  },
});
