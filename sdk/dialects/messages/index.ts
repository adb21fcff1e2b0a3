import type { GenerationDialect } from '../dialect.ts';
import { counting } from './counting.ts';
import { decodeCall } from './decode-call.ts';
import { decodeReply } from './decode-reply.ts';
import { decodeStream } from './decode-stream.ts';
import { encodeCall } from './encode-call.ts';
import { encodeReply } from './encode-reply.ts';
import { encodeStream } from './encode-stream.ts';
import { encodeFault, encodeStreamFault, faultOf } from './fault.ts';
import { ownHistory } from './own-history.ts';
import { usageOf, usageRule } from './usage.ts';

/** The Anthropic Messages API: `POST /v1/messages` and `POST /v1/messages/count_tokens`, version 2023-06-01. */
export const messages: GenerationDialect<'messages'> = {
  kind: 'generation',
  toolNames: /^[\w-]{1,128}$/,
  name: 'messages',
  framing: 'sse',
  streamEnds: ['message_stop'],
  bareEvents: new Map([
    ['ping', 'alive'],
    ['message_stop', 'end'],
  ]),
  decodeCall,
  encodeCall,
  ownHistory,
  decodeReply,
  encodeReply,
  decodeStream,
  encodeStream,
  encodeStreamFault,
  usage: usageRule,
  usageOf,
  faultOf,
  encodeFault,
  counting,
};
