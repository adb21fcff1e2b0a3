import type { GenerationDialect } from '../dialect.ts';
import { decodeCall } from './decode-call.ts';
import { decodeReply } from './decode-reply.ts';
import { decodeStream } from './decode-stream.ts';
import { encodeCall } from './encode-call.ts';
import { encodeReply } from './encode-reply.ts';
import { encodeStream } from './encode-stream.ts';
import { encodeFault, encodeStreamFault, faultOf } from './fault.ts';
import { ownHistory } from './own-history.ts';
import { usageOf, usageRule } from './usage.ts';

/** The Responses API: items in, items out, and a stream of numbered `response.*` events. */
export const responses: GenerationDialect<'responses'> = {
  kind: 'generation',
  name: 'responses',
  framing: 'sse',
  decodeCall,
  encodeCall,
  ownHistory,
  toolNames: /^[\w-]{1,128}$/,
  decodeReply,
  encodeReply,
  decodeStream,
  encodeStream,
  usage: usageRule,
  usageOf,
  faultOf,
  encodeFault,
  encodeStreamFault,
  streamEnds: ['response.completed', 'response.incomplete', 'response.failed'],
};
