import {
  asArray,
  asNumber,
  asObjects,
  asString,
  type CheckHost,
  check,
  compact,
  field,
  GatewayError,
  type JsonObject,
  schema,
} from 'portcullis/sdk';
import { apiVersion } from './api-version.ts';
import { azureAt } from './ask.ts';
import type { Credentials } from './credentials.ts';
import { readAtOnce } from './read-at-once.ts';

const known = ['Hate', 'SelfHarm', 'Sexual', 'Violence'] as const;

/** Source: https://learn.microsoft.com/rest/api/contentsafety/text-operations/analyze-text */
export default check({
  title: 'Azure content safety',
  description: 'Fails when a category reaches the severity, or a term of a blocklist stands in the text.',
  config: schema.Object(
    {
      categories: schema.Array(field.oneOf(known), { default: [...known], minItems: 1, maxItems: known.length }),
      severity: schema.Integer({ default: 2, minimum: 1, maximum: 7, description: 'The lowest that fails.' }),
      blocklistNames: schema.Array(schema.String({ minLength: 1, maxLength: 64 }), { default: [], maxItems: 100 }),
      apiVersion: apiVersion('2024-11-01'),
    },
    { additionalProperties: false },
  ),
  phases: ['beforeRequest', 'afterRequest'],
  remote: { timeoutMs: 5000 },
  async run({ text }, { categories, severity, blocklistNames, apiVersion }, host: CheckHost<Credentials>) {
    if (text.trim() === '') return { pass: true };
    // By default Azure gives even levels alone, so that nothing would ever reach 7.
    const outputType = severity % 2 === 0 ? undefined : 'EightSeverityLevels';
    const ask = await azureAt(host, 'contentSafety', 'contentsafety/text:analyze', apiVersion);
    const asked = readAtOnce(text).map((piece) =>
      ask(compact({ text: piece, categories, blocklistNames, outputType })),
    );
    const replies = await Promise.all(asked);
    const severities = categories.map(
      (category) => [category, Math.max(...replies.map((reply) => severityOf(category, reply)))] as const,
    );
    const harmful = severities.filter(([, found]) => found >= severity).map(([category]) => category);
    const matches = replies.flatMap((reply) => asArray(reply.blocklistsMatch));
    const blocklists = [...new Set(asObjects(matches).flatMap((match) => asString(match.blocklistName) ?? []))];
    const data = { severities: Object.fromEntries(severities), blocklists };
    if (harmful.length === 0 && matches.length === 0) return { pass: true, data };
    const what = [...harmful, ...(matches.length === 0 ? [] : ['a term of a blocklist'])].join(', ');
    return { pass: false, why: `Azure has found: ${what}.`, data };
  },
});

function severityOf(category: string, { categoriesAnalysis }: JsonObject): number {
  const found = asNumber(asObjects(categoriesAnalysis).find((entry) => entry.category === category)?.severity);
  if (found !== undefined) return found;
  throw new GatewayError('check_failed', `Azure answered without a severity of ${category}.`);
}
