import type { EmbeddingDialect } from '../dialect.ts';
import { encodeFault, faultOf } from '../gemini/fault.ts';
import { decodeCall, encodeCall } from './call.ts';
import { decodeReply, encodeReply, usageOf, usageRule } from './reply.ts';

/**
 * The `batchEmbedContents` format, version v1beta: one request for each text.
 * Source: https://ai.google.dev/api/embeddings.
 */
export const geminiEmbeddings: EmbeddingDialect<'gemini-embeddings'> = {
  name: 'gemini-embeddings',
  kind: 'embedding',
  framing: 'sse',
  decodeCall,
  encodeCall,
  decodeReply,
  encodeReply,
  usage: usageRule,
  usageOf,
  faultOf,
  encodeFault,
};
