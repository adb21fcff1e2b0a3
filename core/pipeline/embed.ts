import {
  asArray,
  asObject,
  type EmbeddingQuestion,
  GatewayError,
  parseJson,
  type RequestContext,
} from 'portcullis/sdk';
import { runInnerRequest } from './inner-request.ts';
import type { Runtime } from './runtime.ts';

/**
 * The vector of a text, as a request of its own for the caller of another.
 * @throws GatewayError `upstream_invalid` when the model gives no vector; what refuses a request refuses this one too
 */
export async function embed(
  runtime: Runtime,
  { model, input, dimensions }: EmbeddingQuestion,
  { principal, traceId, metadata, headers, signal }: RequestContext,
  id: string,
): Promise<readonly number[]> {
  const outcome = await runInnerRequest(
    runtime,
    {
      endpoint: 'embed',
      dialect: 'embeddings',
      path: '/v1/embeddings',
      model,
      body: { input, encoding_format: 'float', ...(dimensions === undefined ? {} : { dimensions }) },
    },
    { principal, traceId, metadata, headers, signal },
    id,
  );
  if (outcome.status !== 200 || outcome.body.kind !== 'bytes')
    throw new GatewayError('upstream_invalid', `The model ${model} answered with status ${outcome.status}.`);
  const json = asObject(parseJson(Buffer.from(outcome.body.bytes).toString('utf8')));
  const vector = asArray(asObject(asArray(json?.data)[0])?.embedding);
  if (vector.length > 0 && vector.every((value) => typeof value === 'number')) return vector as readonly number[];
  throw new GatewayError('upstream_invalid', `The model ${model} gave no vector.`);
}
