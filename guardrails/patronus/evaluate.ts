import {
  asNumber,
  asObject,
  asObjects,
  type CheckHost,
  callJson,
  compact,
  GatewayError,
  type JsonObject,
} from 'portcullis/sdk';
import type { Credentials } from './credentials.ts';

/** Evaluators are models: they take longer than other vendors. */
export const timeoutMs = 15_000;

export interface Evaluator {
  readonly evaluator: string;
  readonly criteria?: string;
}

export interface Sample {
  readonly output: string;
  readonly input?: string;
  /** What the answer was to be made of. */
  readonly context?: readonly string[];
}

export interface Evaluation {
  readonly pass: boolean;
  /** Evaluator, criteria and score, as far as they are known. */
  readonly data: JsonObject;
  /** Whatever the evaluator says beside the verdict. */
  readonly details: JsonObject;
}

/**
 * Asks one evaluator. Explanations are not asked for: they quote the text.
 * Source: https://docs.patronus.ai/docs/api_ref/evaluations/evaluate_v1_evaluate_post
 * @throws GatewayError `check_failed`: no answer, or one without a verdict
 */
export async function evaluate(
  host: CheckHost<Credentials>,
  evaluator: Evaluator,
  sample: Sample,
): Promise<Evaluation> {
  const reply = await callJson(host, {
    vendor: 'Patronus',
    url: 'https://api.patronus.ai/v1/evaluate',
    headers: { 'x-api-key': host.credentials.apiKey },
    body: compact({
      evaluators: [{ ...evaluator, explain_strategy: 'never' }],
      task_input: sample.input,
      task_output: sample.output,
      task_context: sample.context,
    }),
  });
  const [result] = asObjects(reply.results);
  const evaluation = asObject(result?.evaluation_result);
  const pass = evaluation?.pass;
  if (result?.status !== 'success' || evaluation === undefined || typeof pass !== 'boolean')
    throw new GatewayError('check_failed', `The evaluator ${evaluator.evaluator} of Patronus gave no verdict.`);
  const data = compact({ ...evaluator, score: asNumber(evaluation.score_raw) });
  return { pass, data, details: asObject(evaluation.additional_info) ?? {} };
}
