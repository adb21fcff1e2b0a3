import { asObject } from '../../json.ts';
import type { GenerationDialect } from '../dialect.ts';
import { chunkWire } from './chunk-wire.ts';
import { decodeCall } from './decode-call.ts';
import { choiceFields, decodeReply } from './decode-reply.ts';
import { type ChunkFormat, decodeChunks } from './decode-stream.ts';
import { encodeCall } from './encode-call.ts';
import { encodeReply } from './encode-reply.ts';
import { encodeStream } from './encode-stream.ts';
import { olderForm } from './older-form.ts';
import { ownHistory } from './own-history.ts';

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
export const chat: GenerationDialect<'chat'> = {
  kind: 'generation',
  name: 'chat',
  ...chunkWire,
  decodeCall,
  encodeCall,
  ownHistory,
  toolNames: /^[\w-]{1,64}$/,
  decodeReply,
  encodeReply,
  decodeStream: (context) => decodeChunks(context, chunks),
  encodeStream,
  olderForm,
};
