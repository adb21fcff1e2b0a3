import type { GenerationDialect } from '../dialect.ts';
import { decodeCall } from './decode-call.ts';
import { decodeReply } from './decode-reply.ts';
import { decodeStream } from './decode-stream.ts';
import { encodeCall } from './encode-call.ts';
import { encodeReply } from './encode-reply.ts';
import { encodeStream } from './encode-stream.ts';
import { encodeFault, encodeStreamFault, faultOf } from './fault.ts';
import { usageOf, usageRule } from './usage.ts';

/**
 * The chat format of version 2: `POST /v2/chat`. Replies name no model; a plan that goes with tool calls counts as text.
 * Source: https://docs.cohere.com/reference/chat and the OpenAPI document of cohere-ai/cohere-developer-experience.
 */
export const cohere: GenerationDialect<'cohere'> = {
  name: 'cohere',
  kind: 'generation',
  framing: 'sse',
  streamEnds: ['"message-end"'],
  decodeCall,
  encodeCall,
  decodeReply,
  encodeReply,
  decodeStream,
  encodeStream,
  usage: usageRule,
  usageOf,
  faultOf,
  encodeFault,
  encodeStreamFault,
};
