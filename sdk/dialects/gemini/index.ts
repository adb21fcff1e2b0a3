import { asNumber } from '../../json.ts';
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

/**
 * The `generateContent` format, version v1beta. The model and whether to stream are in the URL, so `decodeCall` gives an
 * empty model unless the body names one, and `encodeCall` writes none.
 * Source: https://ai.google.dev/api/generate-content and the types of googleapis/js-genai.
 */
export const gemini: GenerationDialect<'gemini'> = {
  name: 'gemini',
  kind: 'generation',
  toolNames: /^[a-zA-Z_][\w.:-]{0,63}$/,
  framing: 'sse',
  streamEnds: ['"finishReason"', '"blockReason"'],
  // Counts may follow the finish reason in a chunk of their own.
  lateEnd: { answered: /"(finishReason|blockReason)"\s*:/, text: '' },
  endsByClosing: true,
  decodeCall,
  encodeCall,
  ownHistory,
  decodeReply,
  encodeReply,
  decodeStream,
  encodeStream,
  usage: usageRule,
  usageOf,
  faultOf,
  encodeFault,
  encodeStreamFault,
  counting: {
    encodeCall(call, context) {
      const model = call.model.startsWith('models/') ? call.model : `models/${call.model}`;
      return { generateContentRequest: { model, ...encodeCall(call, context) } };
    },
    decodeReply: (body) => asNumber(body.totalTokens),
    encodeReply: (tokens) => ({ totalTokens: tokens }),
  },
};
