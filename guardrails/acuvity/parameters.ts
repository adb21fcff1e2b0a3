import { GatewayError, type Static, schema } from 'portcullis/sdk';
import { languages, piiCategories, secretCategories } from './categories.ts';

const off = () => schema.Boolean({ default: false });
const threshold = () => schema.Number({ minimum: 0, maximum: 1, default: 0.5 });
const some = <const V extends readonly string[]>(values: V) =>
  schema.Array(schema.Enum([...values] as unknown as V), { minItems: 1, uniqueItems: true, default: [...values] });

export const parameters = schema.Object(
  {
    prompt_injection: off(),
    prompt_injection_threshold: threshold(),
    toxic: off(),
    toxic_threshold: threshold(),
    jail_break: off(),
    jail_break_threshold: threshold(),
    malicious_url: off(),
    malicious_url_threshold: threshold(),
    biased: off(),
    biased_threshold: threshold(),
    harmful: off(),
    harmful_threshold: threshold(),
    language: off(),
    language_values: schema.Enum([...languages], { default: 'english' }),
    pii: off(),
    pii_redact: off(),
    pii_categories: some(piiCategories),
    secrets: off(),
    secrets_redact: off(),
    secrets_categories: some(secretCategories),
  },
  { additionalProperties: false },
);

export type Parameters = Static<typeof parameters>;

/** Where a reply holds the score of what a parameter switches on, and under which name. */
export const detectors = {
  prompt_injection: ['exploits', 'prompt_injection'],
  jail_break: ['exploits', 'jailbreak'],
  malicious_url: ['exploits', 'malicious_url'],
  toxic: ['malcontents', 'toxic'],
  biased: ['malcontents', 'biased'],
  harmful: ['malcontents', 'harmful'],
} as const;

export const detectorNames = Object.keys(detectors) as readonly (keyof typeof detectors)[];

/** @throws GatewayError `invalid_config` when nothing is switched on: such a check would pass anything */
export function refuseNothing(given: Parameters): Parameters {
  const named = [...detectorNames, 'language', 'pii', 'secrets'] as const;
  if (named.some((name) => given[name])) return given;
  throw new GatewayError('invalid_config', `Switch on at least one of ${named.join(', ')}.`);
}
