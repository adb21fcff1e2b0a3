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
  const failed = hasFailed(reply);
  return {
    pass: !failed,
    ...(failed ? { why: 'The evaluation of Qualifire failed.' } : {}),
    data: compact({ status: asString(reply.status), score: asNumber(reply.score), results: resultsOf(reply) }),
  };
}

/** The status is the verdict, or says only that the evaluation has come to its end: then the results are asked. */
function hasFailed({ status, evaluationResults }: JsonObject): boolean {
  const items = asArray(evaluationResults).map((item) => asObject(item)?.results);
  const flags = items.flatMap((results) => asArray(results).map((result) => asBoolean(asObject(result)?.flagged)));
  const judged =
    items.length > 0 && items.every((results) => asArray(results).length > 0) && !flags.includes(undefined);
  if (Array.isArray(evaluationResults)) {
    if (status === 'failed' || status === 'warning') return status === 'failed';
    if (status === 'success' || (status === 'completed' && judged)) return flags.includes(true);
  }
  throw new GatewayError('check_failed', 'Qualifire answered without a verdict.');
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
