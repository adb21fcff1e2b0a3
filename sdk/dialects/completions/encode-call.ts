import { GatewayError } from '../../errors.ts';
import { compact, type JsonObject } from '../../json.ts';
import { writeSampling, writeStreamOptions } from '../chat/encode-call.ts';
import type { CodecContext } from '../dialect.ts';
import type { Call, Message, Part, Role } from '../neutral.ts';

/**
 * Writes a call as text completion request; a conversation becomes one prompt with a line for each turn.
 *
 * @throws GatewayError `translation_unsupported` for tools, structured output and content other than text
 */
export function encodeCall(call: Call, context: CodecContext): JsonObject {
  if (call.tools !== undefined && call.tools.length > 0) throw unsupported('Tools', 'tools');
  if (call.responseFormat !== undefined && call.responseFormat.type !== 'text') {
    throw unsupported('Structured output', 'response_format');
  }
  for (const [field, read] of lost) {
    if (read(call) !== undefined) context.dropped(field);
  }
  return compact({
    model: call.model,
    prompt: promptOf(call.messages, context),
    max_tokens: call.maxTokens,
    ...writeSampling(call, context),
    stop: call.stop,
    ...extraFields(call, context),
    stream_options: writeStreamOptions(call),
  });
}

/** Fields without a place in the format. */
const lost: readonly (readonly [field: string, read: (call: Call) => unknown])[] = [
  ['tool_choice', (call) => call.toolChoice],
  ['parallel_tool_calls', (call) => call.parallelToolCalls],
  ['reasoning', (call) => call.reasoning],
  ['logprobs', (call) => call.logprobs],
  ['top_logprobs', (call) => call.topLogprobs],
  ['metadata', (call) => call.metadata],
  ['service_tier', (call) => call.serviceTier],
  ['verbosity', (call) => call.verbosity],
  ['modalities', (call) => call.modalities],
  ['audio', (call) => call.audio],
  ['store', (call) => call.store],
  ['prompt_cache_key', (call) => call.promptCacheKey],
  ['safety_identifier', (call) => call.safetyIdentifier],
  ['cache_control', (call) => call.cache],
];

const speakers: Readonly<Record<Role, string>> = {
  system: 'System',
  developer: 'System',
  user: 'User',
  assistant: 'Assistant',
  tool: 'Tool',
};

function promptOf(messages: readonly Message[], context: CodecContext): string {
  const [only] = messages;
  if (messages.length === 1 && only?.role === 'user') return textOf(only, context);
  const turns = messages.map((message) => `${speakers[message.role]}: ${textOf(message, context)}`);
  return `${turns.join('\n\n')}\n\nAssistant:`;
}

function textOf(message: Message, context: CodecContext): string {
  return message.parts.map((part) => partText(part, context)).join('');
}

function partText(part: Part, context: CodecContext): string {
  switch (part.type) {
    case 'text':
      if (part.cache !== undefined) context.dropped('cache_control');
      return part.text;
    case 'refusal':
      return part.text;
    case 'thinking':
    case 'redacted-thinking':
      context.dropped('thinking');
      return '';
    case 'native':
      context.dropped('messages.content');
      return '';
    case 'file':
      if (part.source.kind === 'text') return part.source.text;
      throw unsupported('Content other than text', 'messages');
    case 'image':
    case 'audio':
    case 'tool-call':
    case 'tool-result':
      throw unsupported('Content other than text', 'messages');
  }
}

function extraFields(call: Call, context: CodecContext): JsonObject {
  if (call.dialect === 'completions') return call.extra;
  for (const field in call.extra) context.dropped(field);
  return {};
}

function unsupported(what: string, param: string): GatewayError {
  return new GatewayError('translation_unsupported', `${what} cannot be sent to a provider of text completions.`, {
    param,
  });
}
