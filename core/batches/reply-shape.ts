import { asArray, asObject, type DialectName, type Endpoint, type JsonObject } from 'portcullis/sdk';

/** Which request a reply answers. */
export interface ReplyShape {
  readonly endpoint: Endpoint;
  readonly dialect: DialectName | undefined;
  readonly path: string;
}

const byObject: ReadonlyMap<unknown, ReplyShape> = new Map<unknown, ReplyShape>([
  ['chat.completion', { endpoint: 'chatComplete', dialect: 'chat', path: '/v1/chat/completions' }],
  ['text_completion', { endpoint: 'complete', dialect: 'completions', path: '/v1/completions' }],
  ['response', { endpoint: 'createModelResponse', dialect: 'responses', path: '/v1/responses' }],
]);
const message: ReplyShape = { endpoint: 'messages', dialect: 'messages', path: '/v1/messages' };
const embeddings: ReplyShape = { endpoint: 'embed', dialect: 'embeddings', path: '/v1/embeddings' };
const ranking: ReplyShape = { endpoint: 'rerank', dialect: 'rerank', path: '/v1/rerank' };
const moderation: ReplyShape = { endpoint: 'moderate', dialect: 'moderations', path: '/v1/moderations' };
const pictures: ReplyShape = { endpoint: 'imageGenerate', dialect: 'images', path: '/v1/images/generations' };
/** What nobody knows how to read: guardrails count it as what passes unread. */
const unknown: ReplyShape = { endpoint: 'proxy', dialect: undefined, path: '/v1/proxy' };

/** By its body alone, for the output of a batch names no endpoints. */
export function shapeOfReply(reply: JsonObject): ReplyShape {
  const named = byObject.get(reply.object);
  if (named !== undefined) return named;
  if (reply.type === 'message') return message;
  const [result] = asArray(reply.results);
  if (asObject(result)?.relevance_score !== undefined) return ranking;
  if (asObject(result)?.flagged !== undefined) return moderation;
  const [item] = asArray(reply.data);
  if (reply.object === 'list' && (item === undefined || asObject(item)?.embedding !== undefined)) return embeddings;
  const picture = asObject(item);
  if (picture?.b64_json !== undefined || picture?.url !== undefined) return pictures;
  return unknown;
}
