import {
  asObject,
  asObjects,
  type CheckHost,
  type CheckPhase,
  callJson,
  check,
  GatewayError,
  schema,
} from 'portcullis/sdk';

/**
 * Asks one of the endpoints about a text. Source: https://www.promptfoo.dev/docs/red-team/guardrails
 * @throws GatewayError `check_failed`: no answer, or one that does not say whether the text is flagged
 */
export async function classify(host: Pick<CheckHost, 'fetch'>, path: string, text: string) {
  const url = `https://api.promptfoo.dev/v1/${path}`;
  const reply = await callJson(host, { vendor: 'promptfoo', url, body: { input: text } });
  const [result] = asObjects(reply.results);
  const { flagged } = result ?? {};
  if (result === undefined || typeof flagged !== 'boolean')
    throw new GatewayError('check_failed', 'promptfoo answered without saying whether the text is flagged.');
  const categories = Object.entries(asObject(result.categories) ?? {}).filter(([, found]) => found === true);
  return {
    flagged,
    categories: categories.map(([name]) => name),
    scores: asObject(result.category_scores) ?? {},
    result,
  };
}

/** A check that fails when its endpoint flags the text. */
export function flagCheck(title: string, path: string, phases: readonly [CheckPhase, ...CheckPhase[]]) {
  return check({
    title,
    config: schema.Object({}, { additionalProperties: false }),
    phases,
    remote: { timeoutMs: 5000 },
    async run({ text }, _config, host: CheckHost) {
      if (text.trim() === '') return { pass: true };
      const { flagged, categories, scores } = await classify(host, path, text);
      const data = { flagged, categories, scores };
      if (!flagged) return { pass: true, data };
      return { pass: false, why: `promptfoo has flagged the text: ${categories.join(', ') || path}.`, data };
    },
  });
}
