import { asArray, asNumber, asObject, asObjects, asString, compact, type JsonObject, omit } from '../../json.ts';
import type { ReplyContext } from '../dialect.ts';
import type { Embeddings, Usage } from '../neutral.ts';
import type { UsageRule } from '../usage-meter.ts';

const known = new Set(['embeddings', 'embedding', 'usageMetadata', 'model']);

/** Reads the reply of `batchEmbedContents`, or the single `embedding` of `embedContent`. */
export function decodeReply(body: JsonObject, context: ReplyContext): Embeddings {
  const single = asObject(body.embedding);
  const embeddings = single === undefined ? asObjects(body.embeddings) : [single];
  const usage = usageOf(body);
  const extra = omit(body, known);
  return {
    model: asString(body.model) ?? asString(context.request.model) ?? '',
    vectors: embeddings.map((embedding) => asArray(embedding.values).map((value) => asNumber(value) ?? 0)),
    ...(usage === undefined ? {} : { usage }),
    ...(Object.keys(extra).length === 0 ? {} : { extra }),
  };
}

/** The reply that fits the client's request: one `embedding` for `embedContent`, else `embeddings`. */
export function encodeReply(embeddings: Embeddings, context: ReplyContext): JsonObject {
  const vectors = embeddings.vectors.map((values) => ({ values: [...values] }));
  const [first] = vectors;
  const isSingle = context.request.content !== undefined && context.request.requests === undefined;
  const usage = embeddings.usage;
  const usageMetadata = usage && { promptTokenCount: usage.input, totalTokenCount: usage.total ?? usage.input };
  return compact({ ...(isSingle ? { embedding: first } : { embeddings: vectors }), usageMetadata });
}

export const usageRule: UsageRule = {
  countsOf: (json) => asObject(json.usageMetadata),
  read: readUsage,
  closes: () => true,
  tierOf: () => undefined,
};

export function usageOf(json: JsonObject): Usage | undefined {
  return readUsage(asObject(json.usageMetadata));
}

function readUsage(meta: JsonObject | undefined): Usage | undefined {
  const input = asNumber(meta?.promptTokenCount);
  if (input === undefined) return undefined;
  const total = asNumber(meta?.totalTokenCount);
  return { input, output: 0, ...(total === undefined ? {} : { total }) };
}
