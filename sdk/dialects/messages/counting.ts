import { asNumber, type JsonObject } from '../../json.ts';
import type { GenerationDialect } from '../dialect.ts';
import { encodeCall } from './encode-call.ts';

/** What `POST /v1/messages/count_tokens` takes of a Messages request: all that becomes input tokens. */
const countedFields: readonly string[] = [
  'model',
  'system',
  'messages',
  'tools',
  'tool_choice',
  'thinking',
  'output_config',
  'cache_control',
  'context_management',
  'mcp_servers',
  'speed',
];

export const counting: NonNullable<GenerationDialect['counting']> = {
  encodeCall(call, context) {
    const body = encodeCall(call, context);
    const counted: { [key: string]: JsonObject[string] } = {};
    for (const field of countedFields) {
      const value = body[field];
      if (value !== undefined) counted[field] = value;
    }
    return counted;
  },
  decodeReply: (body) => asNumber(body.input_tokens),
  encodeReply: (tokens) => ({ input_tokens: tokens }),
};
