import { asBoolean, asObject, asObjects, type CheckHost, check, field, GatewayError, schema } from 'portcullis/sdk';
import { ask } from './ask.ts';
import type { Credentials } from './credentials.ts';
import { not } from './inverted.ts';

const categories = [
  'hate',
  'hate/threatening',
  'harassment',
  'harassment/threatening',
  'self-harm',
  'self-harm/intent',
  'self-harm/instructions',
  'sexual',
  'sexual/minors',
  'violence',
  'violence/graphic',
] as const;

/** Moderates a text by the categories that are listed. */
export const moderateContent = check({
  title: 'Moderate content',
  description: 'Fails where one of the categories is flagged.',
  config: schema.Object(
    { categories: schema.Array(field.oneOf(categories), { minItems: 1, uniqueItems: true }), not },
    { additionalProperties: false },
  ),
  phases: ['beforeRequest', 'afterRequest'],
  whole: ({ not }) => not,
  remote: { timeoutMs: 5000 },
  run: async ({ text }, { categories: listed, not }, host: CheckHost<Credentials>) => {
    if (text.trim() === '') return { pass: true };
    const reply = await ask(host, 'moderations', { input: text });
    const [result] = asObjects(reply.results);
    const found = asObject(result?.categories) ?? {};
    const unjudged = listed.find((category) => asBoolean(found[category]) === undefined);
    if (unjudged !== undefined)
      throw new GatewayError('check_failed', `Portkey answered without a verdict on ${unjudged}.`);
    const flagged = listed.filter((category) => found[category] === true);
    const data = { flagged, not };
    if (flagged.length > 0 === not) return { pass: true, data };
    return { pass: false, why: not ? 'No category is flagged.' : `Flagged as ${flagged.join(', ')}.`, data };
  },
});
