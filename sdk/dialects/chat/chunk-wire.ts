import type { GenerationDialect } from '../dialect.ts';
import { encodeStreamFault } from './encode-stream.ts';
import { readFault, writeFault } from './fault.ts';
import { readUsage, usageRule } from './usage.ts';

/** What chat and text completions have in common on the wire: streams that end with `[DONE]`, usage and errors. */
export const chunkWire = {
  framing: 'sse',
  streamEnds: ['[DONE]'],
  lateEnd: { answered: /"finish_reason":\s*"/, text: 'data: [DONE]\n\n' },
  encodeStreamFault,
  usage: usageRule,
  usageOf: (json) => readUsage(json.usage),
  faultOf: readFault,
  encodeFault: (fault) => writeFault(fault),
} as const satisfies Partial<GenerationDialect>;
