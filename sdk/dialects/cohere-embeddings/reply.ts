import { asArray, asNumber, asObject, asString, compact, type Json, type JsonObject, omit } from '../../json.ts';
import type { ReplyContext } from '../dialect.ts';
import { floatsToBase64 } from '../embeddings/floats.ts';
import type { Embeddings, Usage } from '../neutral.ts';
import type { UsageRule } from '../usage-meter.ts';

const known = new Set(['id', 'embeddings', 'texts', 'images', 'meta', 'response_type', 'model', 'api_version']);
const bytesOfFloat = 4;

export const usageRule: UsageRule = {
  member: 'meta',
  countsOf: (json) => asObject(asObject(json.meta)?.billed_units),
  read: readUsage,
  closes: () => true,
  tierOf: () => undefined,
};

export function usageOf(json: JsonObject): Usage | undefined {
  const counts = usageRule.countsOf(json);
  return counts === undefined ? undefined : readUsage(counts);
}

/** Tokens of pictures are counted beside those of texts; older models count the pictures. */
function readUsage(billed: JsonObject): Usage | undefined {
  const texts = asNumber(billed.input_tokens);
  const pictures = asNumber(billed.image_tokens);
  const images = asNumber(billed.images);
  if (texts === undefined && pictures === undefined && images === undefined) return undefined;
  return {
    input: (texts ?? 0) + (pictures ?? 0),
    output: 0,
    ...(pictures === undefined ? {} : { imageInput: pictures }),
    ...(images === undefined ? {} : { serverTools: { images } }),
  };
}

/** The vectors of a reply: the floats, or of the types that came the first. Where several came, all of them stay in `extra`. */
export function decodeReply(body: JsonObject, context: ReplyContext): Embeddings {
  const byType = asObject(body.embeddings) ?? { float: asArray(body.embeddings) };
  const types = Object.keys(byType).filter((type) => Array.isArray(byType[type]));
  const chosen = types.includes('float') ? 'float' : types[0];
  const usage = usageOf(body);
  const extra = { ...omit(body, known), ...(types.length > 1 ? { embeddings: byType } : {}) };
  return {
    model: asString(body.model) || asString(context.request.model) || '',
    vectors: asArray(chosen === undefined ? [] : byType[chosen]).map(vectorOf),
    ...(usage === undefined ? {} : { usage }),
    ...(Object.keys(extra).length === 0 ? {} : { extra }),
  };
}

function vectorOf(value: Json): readonly number[] {
  if (typeof value !== 'string') return asArray(value).filter((number) => typeof number === 'number');
  const bytes = Buffer.from(value, 'base64');
  const length = Math.floor(bytes.length / bytesOfFloat);
  return Array.from({ length }, (_, index) => bytes.readFloatLE(index * bytesOfFloat));
}

/** The types that were asked for and can be written; floats where there is none. */
function typesOf({ request }: ReplyContext): readonly string[] {
  const asked = asArray(request.embedding_types).filter((type) => type === 'float' || type === 'base64');
  return asked.length === 0 ? ['float'] : asked;
}

export function encodeReply(embeddings: Embeddings, context: ReplyContext): JsonObject {
  const { vectors, usage } = embeddings;
  return compact({
    id: context.newId('emb-'),
    embeddings: Object.fromEntries(
      typesOf(context).map((type) => [type, type === 'float' ? vectors : vectors.map(floatsToBase64)]),
    ),
    texts: context.request.texts,
    meta:
      usage === undefined ? undefined : { api_version: { version: '2' }, billed_units: { input_tokens: usage.input } },
    response_type: 'embeddings_by_type',
  });
}
