import {
  asNumber,
  asObjects,
  type CheckHost,
  callJson,
  check,
  GatewayError,
  type JsonObject,
  type Static,
  schema,
} from 'portcullis/sdk';
import type { Credentials } from './credentials.ts';

const threshold = (risk: string) =>
  schema.Number({ minimum: 0, maximum: 1, default: 0.5, description: `The highest score for ${risk} that passes.` });

const config = schema.Object(
  {
    prompt_injection_threshold: threshold('prompt injection'),
    toxicity_threshold: threshold('toxicity'),
    evasion_threshold: threshold('evasion'),
  },
  { additionalProperties: false },
);

const categories: readonly (readonly [category: string, limit: keyof Static<typeof config>])[] = [
  ['PROMPT_INJECT', 'prompt_injection_threshold'],
  ['TOXIC', 'toxicity_threshold'],
  ['EVASION', 'evasion_threshold'],
];

/** Scores a text for prompt injection, toxicity and evasion. */
export const sydeguard = check({
  title: 'SydeGuard',
  description: 'Scores the text for prompt injection, toxicity and evasion, each from 0 to 1.',
  config,
  phases: ['beforeRequest', 'afterRequest'],
  remote: { timeoutMs: 5000 },
  run: async ({ text }, limits, host: CheckHost<Credentials>) => {
    if (text.trim() === '') return { pass: true };
    const reply = await callJson(host, {
      vendor: 'SydeGuard',
      url: 'https://guard.sydelabs.ai/api/v1/guard/generate-score',
      headers: { 'x-api-key': host.credentials.apiKey },
      body: { prompt: text },
    });
    const scored = categories.map(([category, limit]) => ({ category, score: scoreOf(reply, category), limit }));
    const above = scored.filter(({ score, limit }) => score > limits[limit]).map(({ category }) => category);
    const data = { scores: Object.fromEntries(scored.map(({ category, score }) => [category, score])), above };
    if (above.length === 0) return { pass: true, data };
    return { pass: false, why: `SydeGuard scores it above the threshold: ${above.join(', ')}.`, data };
  },
});

/** The members `error` of the reply and of its scores are null where all went well: a score beside one was not measured. */
function scoreOf({ category_scores: scores, error = null }: JsonObject, category: string): number {
  const found = asObjects(scores).find((each) => each.category === category);
  const score = asNumber(found?.score);
  if (score === undefined || error !== null || (found?.error ?? null) !== null)
    throw new GatewayError('check_failed', `SydeGuard answered without a score for ${category}.`);
  return score;
}
