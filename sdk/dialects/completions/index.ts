import { chunkWire } from '../chat/chunk-wire.ts';
import { type ChunkFormat, decodeChunks } from '../chat/decode-stream.ts';
import type { GenerationDialect } from '../dialect.ts';
import { decodeCall } from './decode-call.ts';
import { encodeCall } from './encode-call.ts';
import { encodeStream } from './encode-stream.ts';
import { choiceFields, decodeReply, encodeReply } from './replies.ts';

const chunks: ChunkFormat = {
  idPrefix: 'cmpl-',
  deltaOf: (choice) => ({ content: choice.text ?? null }),
  logprobsOf: () => undefined,
  choiceFields,
};

/** Text completions, the older format without messages: `POST /completions`, as published in the OpenAI API reference. */
export const completions: GenerationDialect<'completions'> = {
  kind: 'generation',
  name: 'completions',
  ...chunkWire,
  decodeCall,
  encodeCall,
  decodeReply,
  encodeReply,
  decodeStream: (context) => decodeChunks(context, chunks),
  encodeStream,
};
