import { sseFrame } from '../../framing/framing.ts';
import { asObject, asObjects, compact, type Json, type JsonObject, omit } from '../../json.ts';
import type { ReplyContext, StreamEncoder } from '../dialect.ts';
import type { Delta, FinishReason, ProviderFault, Usage } from '../neutral.ts';
import { packToolCallId } from '../tool-call-id.ts';
import { annotationOf } from './citations.ts';
import { replyFields } from './decode-reply.ts';
import { noArguments, writeBlock } from './encode-message.ts';
import { isLost, writeSpoken } from './encode-reply.ts';
import { writeFault } from './fault.ts';
import { asksFunctions, legacyFinish, withFunctionCall } from './legacy-functions.ts';
import { joinLogprobs } from './logprobs.ts';
import { writeUsage } from './usage.ts';

interface ChoiceState {
  readonly index: number;
  /** Tool calls by block: their place in `tool_calls`, whether they take free text, and whether any argument has come. */
  readonly calls: Map<number, { readonly index: number; readonly custom: boolean; argued: boolean }>;
  /** Log probabilities and unknown fields that go with the next chunk. */
  logprobs: JsonObject[];
  extra: JsonObject;
  /** Characters of text so far, and where the block of the last text began. */
  textLength: number;
  textStart: number;
  textBlock: number;
  finished: boolean;
}

/** Writes a stream of chat completion chunks, ended by `[DONE]`; after a fault there is an error event and no `[DONE]`. */
export function encodeStream(context: ReplyContext): StreamEncoder {
  const includeUsage = asObject(context.request.stream_options)?.include_usage === true;
  const isLegacy = asksFunctions(context.request);
  const choices = new Map<number, ChoiceState>();
  let header: JsonObject | undefined;
  let usage: Usage | undefined;
  let extra: JsonObject = {};
  let closed = false;

  const chunk = (list: readonly JsonObject[], counted: Json = null): string => {
    header ??= headerOf({ type: 'start', id: '', model: '' }, context);
    const frame = sseFrame(
      JSON.stringify({ ...extra, ...header, choices: list, ...(includeUsage ? { usage: counted } : {}) }),
    );
    extra = {};
    return frame;
  };

  const choiceAt = (index: number): { readonly state: ChoiceState; readonly opening: string } => {
    const known = choices.get(index);
    if (known !== undefined) return { state: known, opening: '' };
    const state: ChoiceState = {
      index,
      calls: new Map(),
      logprobs: [],
      extra: {},
      textLength: 0,
      textStart: 0,
      textBlock: -1,
      finished: false,
    };
    choices.set(index, state);
    const opening = chunk([{ index, delta: { role: 'assistant', content: '' }, finish_reason: null }]);
    return { state, opening };
  };

  const choiceChunk = (state: ChoiceState, delta: JsonObject, finish?: JsonObject): string => {
    const { logprobs, extra: unknown } = state;
    state.logprobs = [];
    state.extra = {};
    return chunk([
      compact({
        ...omit(unknown, nested),
        index: state.index,
        delta: { ...asObject(unknown.message), ...delta },
        logprobs: joinLogprobs(logprobs),
        finish_reason: null,
        ...finish,
      }),
    ]);
  };

  const callsChunk = (state: ChoiceState, calls: readonly JsonObject[]): string => {
    const written = { tool_calls: calls };
    return choiceChunk(state, isLegacy ? withFunctionCall(written, calls) : written);
  };

  const finishChunk = (state: ChoiceState, reason: FinishReason, native: string | undefined): string => {
    if (state.finished) return '';
    state.finished = true;
    const bare =
      reason === 'length' ? [] : [...state.calls.values()].filter(({ custom, argued }) => !custom && !argued);
    const rest = bare.map(({ index }) => callsChunk(state, [{ index, function: { arguments: noArguments } }])).join('');
    const word = context.strict || native === undefined ? {} : { native_finish_reason: native };
    return rest + choiceChunk(state, {}, { finish_reason: isLegacy ? legacyFinish(reason) : reason, ...word });
  };

  const close = (): string => {
    closed = true;
    const opening = choices.size === 0 ? choiceAt(0).opening : '';
    const unfinished = [...choices.values()].map((state) =>
      finishChunk(state, state.calls.size > 0 ? 'tool_calls' : 'stop', undefined),
    );
    const late = Object.keys(extra).length > 0 && !(includeUsage && usage !== undefined) ? chunk([]) : '';
    const counted = includeUsage && usage !== undefined ? chunk([], writeUsage(usage, context.strict)) : '';
    return `${opening}${unfinished.join('')}${late}${counted}${sseFrame('[DONE]')}`;
  };

  const add = (delta: PlacedDelta): string => {
    const { state, opening } = choiceAt(delta.choice);
    if (state.finished) return opening;
    if (delta.type === 'finish') return opening + finishChunk(state, delta.reason, delta.native);
    const written = deltaOf(delta, state, context);
    if (written === undefined) return opening;
    return (
      opening +
      (written.tool_calls === undefined
        ? choiceChunk(state, written)
        : callsChunk(state, asObjects(written.tool_calls)))
    );
  };

  return {
    push(delta) {
      if (closed) return '';
      switch (delta.type) {
        case 'start':
          header = headerOf(delta, context);
          usage = delta.usage;
          if (!context.strict) extra = omit(delta.extra ?? {}, replyFields);
          return choiceAt(0).opening;
        case 'usage':
          usage = delta.usage;
          return '';
        case 'extra':
          if (context.strict) {
            for (const field in delta.fields) context.dropped(field);
          } else if (delta.choice === undefined) extra = { ...extra, ...omit(delta.fields, replyFields) };
          else return addExtra(choiceAt(delta.choice), delta.fields);
          return '';
        case 'end':
          return close();
        case 'fault':
          closed = true;
          return encodeStreamFault(delta.fault);
        case 'text':
        case 'citation':
        case 'refusal':
        case 'thinking':
        case 'signature':
        case 'redacted-thinking':
        case 'tool-call':
        case 'tool-arguments':
        case 'part':
        case 'audio':
        case 'logprobs':
        case 'finish':
          return add(delta);
      }
    },
  };
}

/** The error event of chat and completions streams. */
export function encodeStreamFault(fault: ProviderFault): string {
  return sseFrame(JSON.stringify(writeFault(fault)));
}

type PlacedDelta = Exclude<Delta, { type: 'start' | 'usage' | 'extra' | 'fault' | 'end' }>;

const nested: ReadonlySet<string> = new Set(['message']);

function headerOf(start: Extract<Delta, { type: 'start' }>, context: ReplyContext): JsonObject {
  return compact({
    id: start.id || context.newId('chatcmpl-'),
    object: 'chat.completion.chunk',
    created: start.created ?? context.nowSeconds(),
    model: start.model,
    service_tier: start.serviceTier,
    system_fingerprint: start.systemFingerprint,
  });
}

function addExtra(at: { readonly state: ChoiceState; readonly opening: string }, fields: JsonObject): string {
  const { state } = at;
  const message = { ...asObject(state.extra.message), ...asObject(fields.message) };
  state.extra = { ...state.extra, ...fields, ...(Object.keys(message).length > 0 ? { message } : {}) };
  return at.opening;
}

/** The `delta` of a chunk; undefined when there is nothing to send now. */
function deltaOf(
  delta: Exclude<PlacedDelta, { type: 'finish' }>,
  state: ChoiceState,
  context: ReplyContext,
): JsonObject | undefined {
  switch (delta.type) {
    case 'text':
      if (state.textBlock !== delta.block) {
        state.textBlock = delta.block;
        state.textStart = state.textLength;
      }
      state.textLength += delta.text.length;
      if (delta.text === '') return undefined;
      return { content: delta.text, ...blockFields(delta.block, { text: delta.text }, context) };
    case 'citation': {
      const annotation = annotationOf(delta.citation, { start: state.textStart, end: state.textLength });
      if (annotation === undefined) context.dropped('citations');
      return annotation && { annotations: [annotation] };
    }
    case 'refusal':
      return delta.text === '' ? undefined : { refusal: delta.text };
    case 'thinking':
      return delta.text === '' ? undefined : thinkingDelta(delta.block, delta.text, context);
    case 'signature':
      return blockDelta(delta.block, { signature: delta.signature }, context);
    case 'redacted-thinking':
      return blockDelta(delta.block, { data: delta.data }, context);
    case 'tool-call': {
      const index = state.calls.size;
      const custom = delta.custom === true;
      state.calls.set(delta.block, { index, custom, argued: false });
      const id = packToolCallId(delta.id, delta.signature);
      const call = custom
        ? { index, id, type: 'custom', custom: { name: delta.name, input: '' } }
        : { index, id, type: 'function', function: { name: delta.name, arguments: '' } };
      return { tool_calls: [call] };
    }
    case 'tool-arguments': {
      const call = state.calls.get(delta.block);
      if (call === undefined || delta.text === '') return undefined;
      const { index } = call;
      call.argued = true;
      return {
        tool_calls: [
          call.custom ? { index, custom: { input: delta.text } } : { index, function: { arguments: delta.text } },
        ],
      };
    }
    case 'part': {
      if (isLost(delta.part, context)) {
        context.dropped(`message.${delta.part.type}`);
        return undefined;
      }
      if (delta.part.type === 'audio') return { audio: writeSpoken(delta.part) };
      const block = writeBlock(delta.part);
      return block && blockDelta(delta.block, block, context);
    }
    case 'audio':
      return { audio: delta.audio };
    case 'logprobs':
      state.logprobs.push(delta.logprobs);
      return undefined;
  }
}

function thinkingDelta(index: number, text: string, context: ReplyContext): JsonObject | undefined {
  const { reasoningField } = context;
  if (reasoningField === undefined) return blockDelta(index, { thinking: text }, context);
  return { [reasoningField]: text, ...blockFields(index, { thinking: text }, context) };
}

function blockFields(index: number, delta: JsonObject, context: ReplyContext): JsonObject {
  return context.strict ? {} : { content_blocks: [{ index, delta }] };
}

function blockDelta(index: number, delta: JsonObject, context: ReplyContext): JsonObject | undefined {
  if (!context.strict) return blockFields(index, delta, context);
  context.dropped('thinking');
  return undefined;
}
