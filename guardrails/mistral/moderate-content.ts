import {
  asObject,
  asObjects,
  type CheckHost,
  type CheckInput,
  callJson,
  check,
  field,
  GatewayError,
  type JsonObject,
  schema,
} from 'portcullis/sdk';
import type { Credentials } from './credentials.ts';

/** The alias for the latest model names one that Mistral has given up. */
const model = 'mistral-moderation-2603';

/** Each category with what the model calls it: it knows two where earlier ones knew one. */
const judgedAs = {
  sexual: ['sexual'],
  hate_and_discrimination: ['hate_and_discrimination'],
  violence_and_threats: ['violence_and_threats'],
  dangerous_and_criminal_content: ['dangerous', 'criminal'],
  dangerous: ['dangerous'],
  criminal: ['criminal'],
  selfharm: ['selfharm'],
  health: ['health'],
  financial: ['financial'],
  law: ['law'],
  pii: ['pii'],
  jailbreaking: ['jailbreaking'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

const known = Object.keys(judgedAs) as (keyof typeof judgedAs)[];

/** Source: https://docs.mistral.ai/studio/safety-moderation */
export default check({
  title: 'Mistral moderation',
  description: 'Fails when the text falls under one of the categories.',
  config: schema.Object(
    { categories: field.list(field.oneOf(known), { minItems: 1, maxItems: known.length }) },
    { additionalProperties: false },
  ),
  phases: ['beforeRequest', 'afterRequest'],
  remote: { timeoutMs: 5000 },
  async run(input, { categories }, host: CheckHost<Credentials>) {
    const { path, items } = questionOf(input);
    if (items.length === 0) return { pass: true };
    const reply = await callJson(host, {
      vendor: 'Mistral',
      url: `https://api.mistral.ai/v1/${path}`,
      headers: { authorization: `Bearer ${host.credentials.apiKey}` },
      body: { model, input: items },
    });
    const results = asObjects(reply.results);
    if (results.length !== items.length)
      throw new GatewayError(
        'check_failed',
        `Mistral answered with ${results.length} results for ${items.length} texts.`,
      );
    const flagged = categories.filter((category) =>
      results.flatMap((result) => judgedAs[category].map((name) => isFlagged(result, name))).includes(true),
    );
    if (flagged.length === 0) return { pass: true, data: { flagged } };
    return { pass: false, why: `Mistral has flagged: ${flagged.join(', ')}.`, data: { flagged } };
  },
});

/** The chat endpoint judges the last turn alone, in the light of the others: it serves where that is all there is to judge. */
function questionOf({ texts, turns }: CheckInput): { path: string; items: (string | JsonObject[])[] } {
  const items = texts.map(({ text }) => text).filter((text) => text.trim() !== '');
  const last = turns.at(-1);
  const spoken = turns.filter(({ role, text }) => role !== 'tool' && text !== '');
  if (last !== undefined && last === spoken.at(-1) && spoken.length > 1 && items.length === 1 && items[0] === last.text)
    return { path: 'chat/moderations', items: [spoken.map(({ role, text }) => ({ role, content: text }))] };
  return { path: 'moderations', items };
}

function isFlagged(result: JsonObject, category: string): boolean {
  const flag = asObject(result.categories)?.[category];
  if (typeof flag !== 'boolean')
    throw new GatewayError('check_failed', `Mistral answered without the category ${category}.`);
  return flag;
}
