import {
  asObject,
  asString,
  type CheckHost,
  check,
  editsBetween,
  field,
  GatewayError,
  type Json,
  type ScannedText,
  schema,
} from 'portcullis/sdk';
import { askList } from './ask.ts';
import type { Credentials } from './credentials.ts';
import { not } from './inverted.ts';

const categories = [
  'EMAIL_ADDRESS',
  'PHONE_NUMBER',
  'LOCATION_ADDRESS',
  'NAME',
  'IP_ADDRESS',
  'CREDIT_CARD',
  'SSN',
] as const;
const maxTexts = 32;

/** Looks for personal data of the categories that are listed. */
export const pii = check({
  title: 'Detect PII',
  description: 'Fails texts with personal data of the categories, or redacts them.',
  config: schema.Object(
    {
      categories: schema.Array(field.oneOf(categories), { minItems: 1, uniqueItems: true }),
      redact: schema.Boolean({ default: false, description: 'Redacts what is found, in the place of failing.' }),
      not,
    },
    { additionalProperties: false },
  ),
  phases: ['beforeRequest', 'afterRequest'],
  edits: 'may',
  whole: ({ not }) => not,
  remote: { timeoutMs: 5000 },
  run: async ({ texts }, { categories: listed, redact, not }, host: CheckHost<Credentials>) => {
    const asked = texts.filter(({ text }) => text.trim() !== '');
    if (asked.length > maxTexts) {
      const why = `Portkey is asked about at most ${maxTexts} texts of a request, and there are ${asked.length}.`;
      throw new GatewayError('check_failed', why);
    }
    const input = asked.map(({ text }) => text);
    const replies = asked.length === 0 ? [] : await askList(host, 'pii', { input, categories: listed });
    const findings = asked.map((text, at) => findingOf(text, replies[at]));
    const holding = findings.filter(({ labels }) => listed.some((category) => labels.has(category)));
    const found = listed.filter((category) => holding.some(({ labels }) => labels.has(category)));
    // What the service leaves as it is has not been redacted.
    const redacted = redact && holding.every(({ edits }) => edits.length > 0);
    const data = { found, redacted: redacted && found.length > 0, not };
    const pass = found.length === 0 ? !not : not || redacted;
    const edits = redacted ? holding.flatMap((finding) => finding.edits) : [];
    if (pass) return { pass, data, edits };
    return { pass, why: not ? 'No personal data was found.' : `Personal data was found: ${found.join(', ')}.`, data };
  },
});

/** What the service has found in one text. */
function findingOf({ index, text }: ScannedText, reply: Json | undefined) {
  const { entities, processed_text: processed } = asObject(reply) ?? {};
  if (!Array.isArray(entities)) throw new GatewayError('check_failed', 'Portkey answered without entities.');
  const labels = entities.map((entity) => asObject(asObject(entity)?.labels));
  if (labels.includes(undefined)) throw new GatewayError('check_failed', 'Portkey answered with an unlabelled entity.');
  return {
    labels: new Set(labels.flatMap((named) => Object.keys(named ?? {}))),
    edits: editsBetween(index, text, asString(processed) ?? text),
  };
}
