import { asArray, asObjects, asString, type Json, type JsonObject } from '../../json.ts';
import type { Delta } from '../neutral.ts';
import { unpackToolCallId } from '../tool-call-id.ts';
import { wholePart } from './decode-reply.ts';
import { ownId, thinkingOf } from './signatures.ts';

/** A step whose block number is not known yet: `part` names the part of the item that it belongs to. */
export interface Step {
  readonly part: string;
  readonly delta: Delta;
}

const at = { choice: 0, block: 0 } as const;
const callTypes: ReadonlySet<string> = new Set(['function_call', 'custom_tool_call']);

/**
 * One output item on its way. It turns fragments into steps and remembers what it has said, so that whole values which come
 * later (`.done` events, the final response) add only what is missing.
 */
export class StreamItem {
  readonly index: number | undefined;
  /** Opened by `output_item.added`, so that `output_item.done` follows. */
  readonly announced: boolean;
  type: string;
  id: string | undefined;
  done = false;
  /** Its whole value has been read. */
  whole = false;
  readonly steps: Step[] = [];
  readonly #said = new Map<string, string>();
  readonly #citations = new Map<string, number>();
  #name: string | undefined;
  #callId: string | undefined;
  #started = false;
  #logprobs = false;
  #thought: string | undefined;

  constructor(type: string, index: number | undefined, announced: boolean) {
    this.type = type;
    this.index = index;
    this.announced = announced;
  }

  get isCall(): boolean {
    return this.#started;
  }

  /** What the item says of itself at its start. Encrypted reasoning is complete only at the end, whole parts too. */
  open(item: JsonObject): void {
    this.type = asString(item.type) ?? this.type;
    this.id = asString(item.id) || this.id;
    if (callTypes.has(this.type)) this.#identify(item);
  }

  text(part: string, fragment: string): void {
    if (fragment === '') return;
    this.#append(part, fragment);
    this.#add(part, { type: 'text', ...at, text: fragment });
  }

  refusal(part: string, fragment: string): void {
    if (fragment === '') return;
    this.#append(part, fragment);
    this.#add(part, { type: 'refusal', ...at, text: fragment });
  }

  /** `part` is one part of the summary or of the reasoning: all are one block, blank lines between. */
  thinking(part: string, fragment: string): void {
    if (fragment === '') return;
    const gap = this.#thought !== undefined && this.#thought !== part ? '\n\n' : '';
    this.#thought = part;
    this.#append(part, fragment);
    this.#think(gap + fragment);
  }

  arguments(fragment: string): void {
    if (fragment === '') return;
    this.#append('call', fragment);
    if (this.#started) this.#add('call', { type: 'tool-arguments', ...at, text: fragment });
  }

  citation(part: string, citation: JsonObject): void {
    this.#citations.set(part, (this.#citations.get(part) ?? 0) + 1);
    this.#add(part, { type: 'citation', ...at, citation });
  }

  logprobs(logprobs: readonly Json[]): void {
    if (logprobs.length === 0) return;
    this.#logprobs = true;
    this.#add('', { type: 'logprobs', choice: 0, logprobs: { content: logprobs, refusal: null } });
  }

  /** What of a whole value has not been said yet; nothing when the value does not continue what was said. */
  missing(part: string, whole: Json | undefined): string {
    const said = this.#said.get(part) ?? '';
    return typeof whole === 'string' && whole.startsWith(said) ? whole.slice(said.length) : '';
  }

  /** The name of a call, from an event that carries it outside the item. */
  named(name: string | undefined): void {
    this.#name ??= name;
  }

  /** No more fragments come. A call that was never announced starts now, under the best id there is. */
  end(): void {
    if (this.done) return;
    this.done = true;
    if (callTypes.has(this.type)) this.#identify({ call_id: this.#callId ?? this.id ?? `call_${this.index ?? 0}` });
  }

  /** The whole item: adds what its fragments left out and ends it. */
  finish(item: JsonObject): void {
    this.whole = true;
    if (this.done) return;
    this.open(item);
    this.end();
    if (this.type === 'message') this.#finishMessage(item);
    else if (this.type === 'reasoning') this.#finishReasoning(item);
    else if (callTypes.has(this.type)) {
      this.arguments(this.missing('call', this.type === 'custom_tool_call' ? item.input : item.arguments));
    } else this.#add('whole', { type: 'part', ...at, part: wholePart(item) });
  }

  #finishMessage(item: JsonObject): void {
    const content = asObjects(item.content);
    for (const [index, value] of content.entries()) this.contentPart(String(index), value);
    if (!this.#logprobs) this.logprobs(content.flatMap((part) => asArray(part.logprobs)));
  }

  /** A whole content part: adds what its fragments left out. */
  contentPart(part: string, value: JsonObject): void {
    if (value.type === 'refusal') this.refusal(part, this.missing(part, value.refusal));
    if (value.type !== 'output_text') return;
    this.text(part, this.missing(part, value.text));
    const known = this.#citations.get(part) ?? 0;
    for (const citation of asObjects(value.annotations).slice(known)) this.citation(part, citation);
  }

  #finishReasoning(item: JsonObject): void {
    for (const [kind, parts] of Object.entries({ summary: item.summary, content: item.content })) {
      for (const [index, value] of asObjects(parts).entries()) {
        const part = `${kind} ${index}`;
        this.thinking(part, this.missing(part, value.text));
      }
    }
    const thinking = thinkingOf(item, '');
    const itemId = ownId(this.id);
    if (thinking.type === 'redacted-thinking') {
      this.#add('redacted', {
        type: 'redacted-thinking',
        ...at,
        data: thinking.data,
        ...(itemId === undefined ? {} : { itemId }),
      });
    } else if (thinking.signature !== undefined) {
      if (this.#thought === undefined) this.#think('');
      this.#add('thinking', { type: 'signature', ...at, signature: thinking.signature });
    }
  }

  #think(text: string): void {
    const itemId = ownId(this.id);
    this.#add('thinking', { type: 'thinking', ...at, text, ...(itemId === undefined ? {} : { itemId }) });
  }

  #identify(item: JsonObject): void {
    this.#name = asString(item.name) || this.#name;
    this.#callId = asString(item.call_id) || this.#callId;
    if (this.#started || this.#name === undefined || this.#callId === undefined) return;
    this.#started = true;
    this.#add('call', {
      type: 'tool-call',
      ...at,
      ...unpackToolCallId(this.#callId),
      name: this.#name,
      ...(this.type === 'custom_tool_call' ? { custom: true } : {}),
      ...(this.id === undefined ? {} : { itemId: this.id }),
    });
    const early = this.#said.get('call') ?? '';
    if (early !== '') this.#add('call', { type: 'tool-arguments', ...at, text: early });
  }

  #append(part: string, fragment: string): void {
    this.#said.set(part, (this.#said.get(part) ?? '') + fragment);
  }

  #add(part: string, delta: Delta): void {
    this.steps.push({ part, delta });
  }
}
