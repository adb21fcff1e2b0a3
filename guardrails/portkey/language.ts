import { type CheckHost, check, field, schema } from 'portcullis/sdk';
import { labelOf } from './ask.ts';
import type { Credentials } from './credentials.ts';
import { not } from './inverted.ts';
import { languages } from './languages.ts';

/** Asks which language a text is in. */
export const language = check({
  title: 'Check language',
  description: 'Passes texts in one of the languages.',
  config: schema.Object(
    {
      language: schema.Union([
        field.oneOf(languages),
        schema.Array(field.oneOf(languages), { minItems: 1, uniqueItems: true }),
      ]),
      not,
    },
    { additionalProperties: false },
  ),
  phases: ['beforeRequest', 'afterRequest'],
  // A few words tell no language.
  whole: true,
  remote: { timeoutMs: 5000 },
  prepare: ({ language, not }) => ({ allowed: new Set<string>([language].flat()), not }),
  run: async ({ text }, { allowed, not }, host: CheckHost<Credentials>) => {
    if (text.trim() === '') return { pass: true };
    const detected = await labelOf(host, 'language', text);
    const data = { detected, allowed: [...allowed], not };
    if (allowed.has(detected) !== not) return { pass: true, data };
    return { pass: false, why: `The language is ${detected}, which is ${not ? '' : 'not '}listed.`, data };
  },
});
