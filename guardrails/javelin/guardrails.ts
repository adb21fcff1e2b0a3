import {
  asBoolean,
  asObject,
  asObjects,
  asString,
  baseUrl,
  type CheckHost,
  callJson,
  check,
  compact,
  GatewayError,
  type JsonObject,
  schema,
} from 'portcullis/sdk';
import type { Credentials } from './credentials.ts';

const standard = 'https://api-dev.javelin.live';

/** Everything that the application's policy in Javelin turns on: trust and safety, prompt injection, language, others. */
export const guardrails = check({
  title: 'Javelin guardrails',
  description: "Runs the guardrails that the application's policy in Javelin turns on.",
  config: schema.Object({}, { additionalProperties: false }),
  phases: ['beforeRequest', 'afterRequest'],
  remote: { timeoutMs: 5000 },
  run: async ({ text }, _config, host: CheckHost<Credentials>) => {
    if (text.trim() === '') return { pass: true };
    const { apiKey, application, domain } = host.credentials;
    const base = domain === undefined || domain.includes('://') ? domain : `https://${domain}`;
    const reply = await callJson(host, {
      vendor: 'Javelin',
      url: `${baseUrl(base, standard, 'domain')}/v1/guardrails/apply`,
      headers: { 'x-javelin-apikey': apiKey, 'x-javelin-application': application },
      body: { input: { text } },
    });
    const flagged = rejections(reply);
    if (flagged.length === 0) return { pass: true, data: { flagged } };
    return {
      pass: false,
      why: `Javelin rejects it: ${flagged.map(({ type }) => type).join(', ')}.`,
      data: { flagged },
    };
  },
});

/** The assessments that reject, by the names of their guardrails. */
function rejections({ assessments }: JsonObject): readonly JsonObject[] {
  const results = asObjects(assessments).flatMap((assessment) => Object.entries(assessment));
  if (results.length === 0) throw new GatewayError('check_failed', 'Javelin answered without assessments.');
  return results.flatMap(([type, result]) => {
    const found = asObject(result) ?? {};
    const rejects = asBoolean(found.request_reject);
    if (rejects === undefined)
      throw new GatewayError('check_failed', `Javelin answered without a verdict of ${type.slice(0, 100)}.`);
    return rejects ? [rejection(type, found)] : [];
  });
}

function rejection(type: string, found: JsonObject): JsonObject {
  const results = asObject(found.results);
  const categories = asObject(results?.categories ?? found.categories) ?? {};
  return compact({
    type,
    categories: Object.keys(categories).filter((name) => categories[name] === true),
    rejectPrompt: asString(results?.reject_prompt),
  });
}
