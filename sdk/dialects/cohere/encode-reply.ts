import { compact, type JsonObject } from '../../json.ts';
import type { ReplyContext } from '../dialect.ts';
import type { Completion, Part } from '../neutral.ts';
import { encodeCitation } from './citations.ts';
import { finishWord } from './finish.ts';
import { encodeLogprobs } from './logprobs.ts';
import { encodeUsage } from './usage.ts';

/** A whole reply as the API gives it. It holds one answer: others are dropped. */
export function encodeReply(completion: Completion, context: ReplyContext): JsonObject {
  const { id, usage, choices, extra } = completion;
  const [choice] = choices;
  if (choices.length > 1) context.dropped('choices');
  return compact({
    ...(context.strict ? {} : extra),
    id,
    message: messageOf(choice?.parts ?? [], context),
    finish_reason: finishWord(choice?.finish ?? 'stop', choice?.nativeFinish),
    usage: usage === undefined ? undefined : encodeUsage(usage),
    logprobs: choice?.logprobs === undefined ? undefined : encodeLogprobs(choice.logprobs),
  });
}

function messageOf(parts: readonly Part[], context: ReplyContext): JsonObject {
  const content: JsonObject[] = [];
  const calls: JsonObject[] = [];
  const citations: JsonObject[] = [];
  for (const part of parts) {
    switch (part.type) {
      case 'text':
      case 'refusal':
        content.push({ type: 'text', text: part.text });
        break;
      case 'thinking':
        content.push({ type: 'thinking', thinking: part.text });
        break;
      case 'tool-call':
        calls.push({ id: part.id, type: 'function', function: { name: part.name, arguments: part.arguments } });
        break;
      default:
        context.dropped(`message.content.${part.type}`);
    }
    if (part.type !== 'text') continue;
    for (const citation of part.citations ?? []) {
      const own = encodeCitation(citation);
      if (own === undefined) context.dropped('citations');
      else citations.push(own);
    }
  }
  return compact({
    role: 'assistant',
    content: content.length === 0 ? undefined : content,
    tool_calls: calls.length === 0 ? undefined : calls,
    citations: citations.length === 0 ? undefined : citations,
  });
}
