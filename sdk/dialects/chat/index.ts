import { asObject } from '../../json.ts';
import type { GenerationDialect } from '../dialect.ts';
import { decodeCall } from './decode-call.ts';
import { choiceFields, decodeReply } from './decode-reply.ts';
import { type ChunkFormat, decodeChunks } from './decode-stream.ts';
import { encodeCall } from './encode-call.ts';
import { encodeReply } from './encode-reply.ts';
import { encodeStream, encodeStreamFault } from './encode-stream.ts';
import { readFault, writeFault } from './fault.ts';
import { readUsage, usageRule } from './usage.ts';

const chunks: ChunkFormat = {
  idPrefix: 'chatcmpl-',
  deltaOf: (choice) => asObject(choice.delta) ?? asObject(choice.message) ?? {},
  logprobsOf: (choice) => asObject(choice.logprobs),
  choiceFields,
};

/**
 * Chat completions: `POST /chat/completions`, as published in the OpenAI API reference, with the extensions that compatible
 * servers share: `cache_control`, `thinking`, `top_k`, `content_blocks`, `reasoning_content`.
 */
export const chat: GenerationDialect = {
  kind: 'generation',
  name: 'chat',
  framing: 'sse',
  streamEnds: ['[DONE]'],
  lateEnd: { answered: /"finish_reason":\s*"/, text: 'data: [DONE]\n\n' },
  decodeCall,
  encodeCall,
  decodeReply,
  encodeReply,
  decodeStream: (context) => decodeChunks(context, chunks),
  encodeStream,
  encodeStreamFault,
  usage: usageRule,
  usageOf: (json) => readUsage(json.usage),
  faultOf: readFault,
  encodeFault: (fault) => writeFault(fault),
};
