import type { Json, JsonObject } from '../../json.ts';
import { annotationOf } from './citations.ts';
import { callItem, type ItemStatus, messageItem, type NamedCall, reasoningItem, textContent } from './output-items.ts';

/** Writes one event, numbered, as a frame. */
export type Emit = (type: string, fields: JsonObject) => string;

/** An output item that is being streamed: `close` writes its `.done` events, `item` is what it holds so far. */
export interface OpenItem {
  close(status: ItemStatus): string;
  item(status: ItemStatus): JsonObject;
}

interface OpenPart {
  readonly kind: 'text' | 'refusal';
  readonly block: number;
  text: string;
  readonly annotations: JsonObject[];
  readonly logprobs: Json[];
}

export class OpenMessage implements OpenItem {
  readonly #emit: Emit;
  readonly #id: string;
  readonly #index: number;
  readonly #closed: JsonObject[] = [];
  #part: OpenPart | undefined;

  constructor(emit: Emit, id: string, index: number) {
    this.#emit = emit;
    this.#id = id;
    this.#index = index;
  }

  open(): string {
    return this.#emit('response.output_item.added', { output_index: this.#index, item: this.item('in_progress') });
  }

  text(block: number, fragment: string, logprobs: readonly Json[]): string {
    const [opened, part] = this.#open('text', block);
    part.text += fragment;
    part.logprobs.push(...logprobs);
    if (fragment === '') return opened;
    return opened + this.#emit('response.output_text.delta', { ...this.#place(), delta: fragment, logprobs });
  }

  refusal(block: number, fragment: string): string {
    const [opened, part] = this.#open('refusal', block);
    part.text += fragment;
    return fragment === ''
      ? opened
      : opened + this.#emit('response.refusal.delta', { ...this.#place(), delta: fragment });
  }

  /** '' and false for a citation that this format cannot hold. */
  citation(block: number, citation: JsonObject): { readonly text: string; readonly written: boolean } {
    const [opened, part] = this.#open('text', block);
    const annotation = annotationOf(citation, part.text.length);
    if (annotation === undefined) return { text: opened, written: false };
    const place = { ...this.#place(), annotation_index: part.annotations.length };
    part.annotations.push(annotation);
    const event = this.#emit('response.output_text.annotation.added', { ...place, annotation });
    return { text: opened + event, written: true };
  }

  /** Log probabilities that came after their text: they stand in the `.done` events. */
  lateLogprobs(logprobs: readonly Json[]): boolean {
    if (this.#part?.kind !== 'text') return false;
    this.#part.logprobs.push(...logprobs);
    return true;
  }

  close(status: ItemStatus): string {
    const closed = this.#closePart();
    return closed + this.#emit('response.output_item.done', { output_index: this.#index, item: this.item(status) });
  }

  item(status: ItemStatus): JsonObject {
    const open = this.#part === undefined ? [] : [contentOf(this.#part)];
    return messageItem(this.#id, status, [...this.#closed, ...open]);
  }

  #open(kind: OpenPart['kind'], block: number): readonly [string, OpenPart] {
    if (this.#part?.kind === kind && this.#part.block === block) return ['', this.#part];
    const closed = this.#closePart();
    const part: OpenPart = { kind, block, text: '', annotations: [], logprobs: [] };
    this.#part = part;
    return [closed + this.#emit('response.content_part.added', { ...this.#place(), part: contentOf(part) }), part];
  }

  #closePart(): string {
    const part = this.#part;
    if (part === undefined) return '';
    const whole =
      part.kind === 'text'
        ? this.#emit('response.output_text.done', { ...this.#place(), text: part.text, logprobs: [...part.logprobs] })
        : this.#emit('response.refusal.done', { ...this.#place(), refusal: part.text });
    const done = this.#emit('response.content_part.done', { ...this.#place(), part: contentOf(part) });
    this.#closed.push(contentOf(part));
    this.#part = undefined;
    return whole + done;
  }

  #place(): JsonObject {
    return { item_id: this.#id, output_index: this.#index, content_index: this.#closed.length };
  }
}

function contentOf(part: OpenPart): JsonObject {
  if (part.kind === 'refusal') return { type: 'refusal', refusal: part.text };
  return textContent(part.text, [...part.annotations], [...part.logprobs]);
}

export class OpenReasoning implements OpenItem {
  readonly block: number;
  readonly #emit: Emit;
  readonly #id: string;
  readonly #index: number;
  #text = '';
  #payload: string | undefined;

  constructor(emit: Emit, id: string, index: number, block: number) {
    this.#emit = emit;
    this.#id = id;
    this.#index = index;
    this.block = block;
  }

  open(): string {
    return this.#emit('response.output_item.added', { output_index: this.#index, item: this.item() });
  }

  text(fragment: string): string {
    if (fragment === '') return '';
    const opened =
      this.#text === ''
        ? this.#emit('response.reasoning_summary_part.added', { ...this.#place(), part: summaryPart('') })
        : '';
    this.#text += fragment;
    return opened + this.#emit('response.reasoning_summary_text.delta', { ...this.#place(), delta: fragment });
  }

  payload(fragment: string): void {
    this.#payload = (this.#payload ?? '') + fragment;
  }

  close(): string {
    const summary =
      this.#text === ''
        ? ''
        : this.#emit('response.reasoning_summary_text.done', { ...this.#place(), text: this.#text }) +
          this.#emit('response.reasoning_summary_part.done', { ...this.#place(), part: summaryPart(this.#text) });
    return summary + this.#emit('response.output_item.done', { output_index: this.#index, item: this.item() });
  }

  item(): JsonObject {
    return reasoningItem(this.#id, this.#text, this.#payload);
  }

  #place(): JsonObject {
    return { item_id: this.#id, output_index: this.#index, summary_index: 0 };
  }
}

function summaryPart(text: string): JsonObject {
  return { type: 'summary_text', text };
}

export class OpenCall implements OpenItem {
  readonly #emit: Emit;
  readonly #id: string;
  readonly #index: number;
  readonly #call: NamedCall;
  #arguments = '';

  constructor(emit: Emit, id: string, index: number, call: NamedCall) {
    this.#emit = emit;
    this.#id = id;
    this.#index = index;
    this.#call = call;
  }

  open(): string {
    return this.#emit('response.output_item.added', { output_index: this.#index, item: this.item('in_progress') });
  }

  arguments(fragment: string): string {
    if (fragment === '') return '';
    this.#arguments += fragment;
    const type = this.#call.custom ? 'response.custom_tool_call_input.delta' : 'response.function_call_arguments.delta';
    return this.#emit(type, { ...this.#place(), delta: fragment });
  }

  close(status: ItemStatus): string {
    // Arguments are JSON in this format, where others may have no text at all.
    const missing = status === 'completed' && !this.#call.custom && this.#arguments === '' ? this.arguments('{}') : '';
    const whole = this.#call.custom
      ? this.#emit('response.custom_tool_call_input.done', { ...this.#place(), input: this.#arguments })
      : this.#emit('response.function_call_arguments.done', {
          ...this.#place(),
          name: this.#call.name,
          arguments: this.#arguments,
        });
    const done = this.#emit('response.output_item.done', { output_index: this.#index, item: this.item(status) });
    return missing + whole + done;
  }

  item(status: ItemStatus): JsonObject {
    return callItem(this.#id, status, this.#call, this.#arguments);
  }

  #place(): JsonObject {
    return { item_id: this.#id, output_index: this.#index };
  }
}
