import { asObject, asObjects, asString, type JsonObject } from '../../json.ts';
import type { ReplyContext } from '../dialect.ts';
import type { Delta, Part } from '../neutral.ts';
import { type Fragment, StreamBlocks } from '../stream-blocks.ts';
import { readPart, thinkingText } from './decode-part.ts';
import { messageFields, unknownOf } from './decode-reply.ts';
import type { ChunkFormat } from './decode-stream.ts';
import { finishReason, finishWord } from './finish.ts';
import { StreamCalls } from './stream-calls.ts';

/** One choice of a stream. The finish is held back to the end, as some servers send content after their finish word. */
export class StreamChoice {
  readonly #index: number;
  readonly #context: ReplyContext;
  readonly #format: ChunkFormat;
  readonly #blocks: StreamBlocks;
  readonly #calls: StreamCalls;
  #word: string | undefined;
  #native: string | undefined;
  #parts = 0;

  constructor(index: number, context: ReplyContext, format: ChunkFormat) {
    this.#index = index;
    this.#context = context;
    this.#format = format;
    this.#blocks = new StreamBlocks(index);
    this.#calls = new StreamCalls(this.#blocks, () => context.newId('call_'));
  }

  get hasFinishWord(): boolean {
    return this.#word !== undefined;
  }

  add(choice: JsonObject): readonly Delta[] {
    this.#word = finishWord(choice.finish_reason) ?? this.#word;
    this.#native = finishWord(choice.native_finish_reason) ?? this.#native;
    const delta = this.#format.deltaOf(choice);
    const logprobs = this.#format.logprobsOf(choice);
    const audio = asObject(delta.audio);
    const deltas: Delta[] = [];
    const extra = this.#extraOf(choice, delta);
    const unknown: readonly Delta[] =
      extra === undefined ? [] : [{ type: 'extra', choice: this.#index, fields: extra }];
    const tellsTokens = asObject(extra?.logprobs) !== undefined;
    // Before the text that they are about, so that encoders can send both in one event.
    if (logprobs !== undefined) deltas.push({ type: 'logprobs', choice: this.#index, logprobs });
    if (tellsTokens) deltas.push(...unknown);
    deltas.push(...this.#addAnswer(delta));
    if (audio !== undefined) deltas.push({ type: 'audio', choice: this.#index, audio });
    for (const image of asObjects(delta.images)) deltas.push(...this.#addPart(readPart(image, this.#context)));
    for (const annotation of asObjects(delta.annotations)) {
      deltas.push(...this.#blocks.add('text', { type: 'citation', citation: annotation }));
    }
    for (const [place, call] of asObjects(delta.tool_calls).entries()) deltas.push(...this.#calls.add(call, place));
    const functionCall = asObject(delta.function_call);
    if (functionCall !== undefined) deltas.push(...this.#calls.add({ index: -1, function: functionCall }, 0));
    if (!tellsTokens) deltas.push(...unknown);
    return deltas;
  }

  finish(): readonly Delta[] {
    const rest = [...this.#calls.flush(), ...this.#blocks.flush()];
    const reason = finishReason(this.#word, this.#calls.any);
    const native = this.#native ?? this.#word;
    const finish: Delta =
      native === undefined
        ? { type: 'finish', choice: this.#index, reason }
        : { type: 'finish', choice: this.#index, reason, native };
    return [...rest, finish];
  }

  // `content_blocks` says the same as `content` and `reasoning_content` of its chunk, and more exactly.
  #addAnswer(delta: JsonObject): readonly Delta[] {
    const blocks = asObjects(delta.content_blocks);
    const deltas = blocks.flatMap((block) => this.#addBlock(block));
    const blockHas = (field: string): boolean => blocks.some((block) => asObject(block.delta)?.[field] !== undefined);
    const reasoning = asString(delta.reasoning_content) || asString(delta.reasoning);
    if (reasoning && !blockHas('thinking')) deltas.push(...this.#addText('thinking', reasoning));
    if (!blockHas('text')) deltas.push(...this.#addContent(delta));
    const refusal = asString(delta.refusal);
    if (refusal) deltas.push(...this.#addText('refusal', refusal));
    return deltas;
  }

  #addContent(delta: JsonObject): readonly Delta[] {
    if (typeof delta.content === 'string') return this.#addText('text', delta.content);
    return asObjects(delta.content).flatMap((part) => {
      if (part.type === 'text') return this.#addText('text', asString(part.text) ?? '');
      if (part.type === 'thinking') return this.#addText('thinking', thinkingText(part.thinking));
      return this.#addPart(readPart(part, this.#context));
    });
  }

  #addText(type: 'text' | 'thinking' | 'refusal', text: string, key: string = type): readonly Delta[] {
    return text === '' ? [] : this.#blocks.add(key, { type, text });
  }

  #addBlock(block: JsonObject): readonly Delta[] {
    const delta = asObject(block.delta) ?? block;
    const text = asString(delta.text);
    if (text !== undefined) return this.#addText('text', text, `text:${String(block.index ?? '')}`);
    const key = `block:${String(block.index ?? '')}`;
    const fragments: Fragment[] = [];
    const thinking = asString(delta.thinking);
    const signature = asString(delta.signature);
    const data = asString(delta.data);
    if (thinking) fragments.push({ type: 'thinking', text: thinking });
    if (signature !== undefined) fragments.push({ type: 'signature', signature });
    if (data !== undefined) fragments.push({ type: 'redacted-thinking', data });
    if (delta.type === 'image_url') return this.#addPart(readPart(delta, this.#context));
    return fragments.flatMap((fragment) => this.#blocks.add(key, fragment));
  }

  #addPart(part: Part): readonly Delta[] {
    this.#parts += 1;
    return this.#blocks.add(`part:${this.#parts}`, { type: 'part', part });
  }

  #extraOf(choice: JsonObject, delta: JsonObject): JsonObject | undefined {
    const ofChoice = unknownOf(choice, this.#format.choiceFields);
    const ofMessage = unknownOf(delta, messageFields);
    if (ofMessage === undefined) return ofChoice;
    return { ...ofChoice, message: ofMessage };
  }
}
