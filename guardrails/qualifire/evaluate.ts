import {
  asArray,
  asBoolean,
  asNumber,
  asObject,
  asObjects,
  asString,
  type CheckHost,
  callJson,
  compact,
  GatewayError,
  type JsonObject,
  schema,
  type Verdict,
} from 'portcullis/sdk';
import type { Credentials } from './credentials.ts';

/** Evaluations are made by models. */
export const remote = { timeoutMs: 60_000 };

/** How much care the vendor's models take. */
export const mode = () => schema.Enum(['speed', 'balanced', 'quality'], { default: 'balanced' });

/**
 * Has an evaluation made; a warning passes.
 * Source: https://docs.qualifire.ai/api-reference/endpoint/evaluations/evaluate
 * @throws GatewayError `check_failed`, also for an answer without a verdict
 */
export async function evaluate(host: CheckHost<Credentials>, body: JsonObject): Promise<Verdict> {
  const reply = await callJson(host, {
    vendor: 'Qualifire',
    url: 'https://api.qualifire.ai/api/v1/evaluation/evaluate',
    headers: { 'x-qualifire-api-key': host.credentials.apiKey },
    body,
  });
  const { status } = reply;
  if ((status !== 'success' && status !== 'warning' && status !== 'failed') || !Array.isArray(reply.evaluationResults))
    throw new GatewayError('check_failed', 'Qualifire answered without a verdict.');
  return {
    pass: status !== 'failed',
    ...(status === 'failed' ? { why: 'The evaluation of Qualifire failed.' } : {}),
    data: compact({ status, score: asNumber(reply.score), results: resultsOf(reply) }),
  };
}

/** Without quotes, claims and reasons: those repeat the text. */
function resultsOf(reply: JsonObject): readonly JsonObject[] {
  return asArray(reply.evaluationResults)
    .flatMap((item) => {
      const { type, results } = asObject(item) ?? {};
      return asObjects(results).map(({ name, label, score, flagged }) =>
        compact({
          type: asString(type),
          name: asString(name),
          label: asString(label),
          score: asNumber(score),
          flagged: asBoolean(flagged),
        }),
      );
    })
    .slice(0, 100);
}
