import { asNumber, asObject, compact, type JsonObject } from '../../json.ts';
import type { GenerationDialect } from '../dialect.ts';
import { decodeCall } from './decode-call.ts';
import { decodeReply } from './decode-reply.ts';
import { decodeStream } from './decode-stream.ts';
import { encodeCall } from './encode-call.ts';
import { encodeReply } from './encode-reply.ts';
import { encodeStream } from './encode-stream.ts';
import { encodeFault, encodeStreamFault, exceptionIn, faultOf } from './fault.ts';
import { usageOf, usageRule } from './usage.ts';

/**
 * The Converse format. The model and whether to stream are in the URL, so `decodeCall` gives an empty model unless the body
 * names one, and `encodeCall` writes none. Providers stream it as `application/vnd.amazon.eventstream`; `encodeStream`, which
 * writes text, gives the same events in SSE frames that are named as the messages of that framing are.
 * Source: https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html and API_runtime_ConverseStream.html
 */
export const converse: GenerationDialect<'converse'> = {
  name: 'converse',
  kind: 'generation',
  toolNames: /^[\w-]{1,64}$/,
  framing: 'event-stream',
  streamEnds: ['"stopReason"'],
  decodeCall,
  encodeCall,
  decodeReply,
  encodeReply,
  decodeStream,
  encodeStream,
  usage: usageRule,
  usageOf,
  faultOf,
  exceptionIn,
  encodeFault,
  encodeStreamFault,
  counting: {
    encodeCall(call, context) {
      const { messages, system, toolConfig, additionalModelRequestFields } = encodeCall(call, context);
      return { input: { converse: compact({ messages, system, toolConfig, additionalModelRequestFields }) } };
    },
    decodeReply: (body: JsonObject) => asNumber(body.inputTokens) ?? asNumber(asObject(body.usage)?.inputTokens),
    encodeReply: (tokens) => ({ inputTokens: tokens }),
  },
};
