import { sseFrame } from '../../framing/framing.ts';
import { asObject, compact, type Json, type JsonObject, omit } from '../../json.ts';
import { replyFields } from '../chat/decode-reply.ts';
import { extraOf } from '../chat/encode-reply.ts';
import { encodeStreamFault } from '../chat/encode-stream.ts';
import { joinLogprobs } from '../chat/logprobs.ts';
import { writeUsage } from '../chat/usage.ts';
import type { ReplyContext, StreamEncoder } from '../dialect.ts';
import type { Delta, Usage } from '../neutral.ts';
import { choiceFields, textFinish } from './replies.ts';

/** Log probabilities go out at their own place; what only messages have has none here. */
const placedFields: ReadonlySet<string> = new Set([...choiceFields, 'logprobs', 'message']);

/** Writes a stream of text completions, ended by `[DONE]`; what is neither text nor an unknown field is left out. */
export function encodeStream(context: ReplyContext): StreamEncoder {
  const includeUsage = asObject(context.request.stream_options)?.include_usage === true;
  const finished = new Map<number, boolean>();
  const logprobs = new Map<number, JsonObject[]>();
  /** Unknown fields that go with the next chunk, of its choice and of itself. */
  const unknown = new Map<number, JsonObject>();
  let extra: JsonObject = {};
  let header: JsonObject | undefined;
  let usage: Usage | undefined;
  let closed = false;

  const chunk = (choices: readonly JsonObject[], counted: Json = null): string => {
    header ??= headerOf({ type: 'start', id: '', model: '' }, context);
    const added = extra;
    extra = {};
    return sseFrame(JSON.stringify({ ...added, ...header, choices, ...(includeUsage ? { usage: counted } : {}) }));
  };

  const choiceChunk = (index: number, text: string, finish?: JsonObject): string => {
    const held = joinLogprobs(logprobs.get(index) ?? []) ?? null;
    const added = unknown.get(index);
    logprobs.delete(index);
    unknown.delete(index);
    finished.set(index, finish !== undefined);
    return chunk([{ ...added, text, index, logprobs: held, finish_reason: null, ...finish }]);
  };

  const keep = ({ choice, fields }: Extract<Delta, { type: 'extra' }>): void => {
    if (choice === undefined) extra = { ...extra, ...omit(extraOf(fields, context), replyFields) };
    else {
      const held = asObject(fields.logprobs);
      const before = logprobs.get(choice);
      if (held !== undefined && before === undefined) logprobs.set(choice, [held]);
      else if (held !== undefined) before?.push(held);
      unknown.set(choice, { ...unknown.get(choice), ...extraOf(omit(fields, placedFields), context) });
    }
  };

  const close = (): string => {
    closed = true;
    if (finished.size === 0) finished.set(0, false);
    const unfinished = [...finished].filter(([, done]) => !done);
    const ends = unfinished.map(([index]) => choiceChunk(index, '', { finish_reason: 'stop' }));
    const counted = includeUsage && usage !== undefined ? chunk([], writeUsage(usage, context.strict)) : '';
    const late = Object.keys(extra).length > 0 ? chunk([]) : '';
    return `${ends.join('')}${counted}${late}${sseFrame('[DONE]')}`;
  };

  return {
    push(delta) {
      if (closed) return '';
      switch (delta.type) {
        case 'start':
          header = headerOf(delta, context);
          usage = delta.usage;
          extra = omit(extraOf(delta.extra, context), replyFields);
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
        case 'extra':
          keep(delta);
          return '';
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
