import { sseFrame } from '../../framing/framing.ts';
import { asObject, compact, type Json, type JsonObject } from '../../json.ts';
import { encodeStreamFault } from '../chat/encode-stream.ts';
import { writeUsage } from '../chat/usage.ts';
import type { ReplyContext, StreamEncoder } from '../dialect.ts';
import type { Delta, Usage } from '../neutral.ts';
import { textFinish } from './replies.ts';

/** Writes a stream of text completions, ended by `[DONE]`; what is not text is left out. */
export function encodeStream(context: ReplyContext): StreamEncoder {
  const includeUsage = asObject(context.request.stream_options)?.include_usage === true;
  const finished = new Map<number, boolean>();
  const logprobs = new Map<number, JsonObject>();
  let header: JsonObject | undefined;
  let usage: Usage | undefined;
  let closed = false;

  const chunk = (choices: readonly JsonObject[], counted: Json = null): string => {
    header ??= headerOf({ type: 'start', id: '', model: '' }, context);
    return sseFrame(JSON.stringify({ ...header, choices, ...(includeUsage ? { usage: counted } : {}) }));
  };

  const choiceChunk = (index: number, text: string, finish?: JsonObject): string => {
    const held = logprobs.get(index) ?? null;
    logprobs.delete(index);
    finished.set(index, finish !== undefined);
    return chunk([{ text, index, logprobs: held, finish_reason: null, ...finish }]);
  };

  const close = (): string => {
    closed = true;
    if (finished.size === 0) finished.set(0, false);
    const unfinished = [...finished].filter(([, done]) => !done);
    const ends = unfinished.map(([index]) => choiceChunk(index, '', { finish_reason: 'stop' }));
    const counted = includeUsage && usage !== undefined ? chunk([], writeUsage(usage, context.strict)) : '';
    return `${ends.join('')}${counted}${sseFrame('[DONE]')}`;
  };

  return {
    push(delta) {
      if (closed) return '';
      switch (delta.type) {
        case 'start':
          header = headerOf(delta, context);
          usage = delta.usage;
          return '';
        case 'text':
        case 'refusal':
          if (delta.text === '' || finished.get(delta.choice) === true) return '';
          return choiceChunk(delta.choice, delta.text);
        case 'finish':
          if (finished.get(delta.choice) === true) return '';
          return choiceChunk(delta.choice, '', {
            finish_reason: textFinish(delta.reason),
            ...(context.strict || delta.native === undefined ? {} : { native_finish_reason: delta.native }),
          });
        case 'usage':
          usage = delta.usage;
          return '';
        case 'extra': {
          const held = asObject(delta.fields.logprobs);
          if (delta.choice !== undefined && held !== undefined) logprobs.set(delta.choice, held);
          return '';
        }
        case 'end':
          return close();
        case 'fault':
          closed = true;
          return encodeStreamFault(delta.fault);
        case 'citation':
        case 'thinking':
        case 'signature':
        case 'redacted-thinking':
        case 'tool-call':
        case 'tool-arguments':
        case 'part':
        case 'audio':
        case 'logprobs':
          context.dropped(`message.${delta.type}`);
          return '';
      }
    },
  };
}

function headerOf(start: Extract<Delta, { type: 'start' }>, context: ReplyContext): JsonObject {
  return compact({
    id: start.id || context.newId('cmpl-'),
    object: 'text_completion',
    created: start.created ?? context.nowSeconds(),
    model: start.model,
    system_fingerprint: start.systemFingerprint,
  });
}
