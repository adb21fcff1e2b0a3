import { encodeFault, faultOf } from '../cohere/fault.ts';
import type { EmbeddingDialect } from '../dialect.ts';
import { decodeCall, encodeCall } from './call.ts';
import { decodeReply, encodeReply, usageOf, usageRule } from './reply.ts';

/** The embedding format of version 2: `POST /v2/embed`. Source: https://docs.cohere.com/reference/embed. */
export const cohereEmbeddings: EmbeddingDialect<'cohere-embeddings'> = {
  name: 'cohere-embeddings',
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
