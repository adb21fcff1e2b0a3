import {
  asNumber,
  asObject,
  asObjects,
  asString,
  compact,
  type JsonObject,
  type Outcome,
  parseJson,
} from 'portcullis/sdk';
import type { InferenceRoute } from './inference.ts';

const posted = { method: 'post', body: 'json' } as const;

/** Routes below `/v2` that speak the format of one vendor's second version, whose clients know no other paths. */
export const secondVersionRoutes: readonly InferenceRoute[] = [
  { ...posted, path: '/v2/chat', endpoint: 'chatComplete', dialect: 'cohere', kind: 'v2_chat' },
  { ...posted, path: '/v2/embed', endpoint: 'embed', dialect: 'cohere-embeddings', kind: 'v2_embed' },
  { ...posted, path: '/v2/rerank', endpoint: 'rerank', dialect: 'rerank', kind: 'rerank', reply: ranked },
];

/** The reply of a rerank, or its error, with what its clients look for: the units in `meta`, the message at the top. */
function ranked(outcome: Outcome): Outcome {
  const { body } = outcome;
  const json = body.kind === 'bytes' ? asObject(parseJson(Buffer.from(body.bytes).toString('utf8'))) : undefined;
  if (json === undefined) return outcome;
  const shown = asObject(json.error) === undefined ? withUnits(json) : withMessage(json);
  return { ...outcome, body: { kind: 'bytes', bytes: Buffer.from(JSON.stringify(shown)) } };
}

function withUnits({ object: _, model: __, usage, ...reply }: JsonObject): JsonObject {
  const used = asObject(usage);
  const units = compact({
    search_units: asNumber(used?.search_units),
    input_tokens: asNumber(used?.total_tokens),
  });
  const billed = Object.keys(units).length === 0 ? {} : { billed_units: units };
  return {
    ...reply,
    results: asObjects(reply.results),
    meta: { api_version: { version: '2' }, ...billed },
  };
}

function withMessage(reply: JsonObject): JsonObject {
  return { ...reply, message: asString(asObject(reply.error)?.message) ?? '' };
}
