import { asObject, type JsonObject } from '../../json.ts';
import type { Delta } from '../neutral.ts';
import { present } from '../present.ts';
import { callKey, type Fragment, type StreamBlocks } from '../stream-blocks.ts';
import { unpackToolCallId } from '../tool-call-id.ts';
import { CallSlots, type Slot } from './call-slots.ts';
import { argumentText } from './decode-message.ts';

/** Follows the tool calls of one choice through its chunks. */
export class StreamCalls {
  readonly #blocks: StreamBlocks;
  readonly #newId: () => string;
  readonly #slots = new CallSlots();
  readonly #started = new Set<Slot>();
  /** Arguments that came before the name. */
  readonly #early = new Map<Slot, string>();

  constructor(blocks: StreamBlocks, newId: () => string) {
    this.#blocks = blocks;
    this.#newId = newId;
  }

  get any(): boolean {
    return this.#slots.all.length > 0;
  }

  /** Adds a member of `delta.tool_calls`, at its place in that list. */
  add(fragment: JsonObject, place: number): readonly Delta[] {
    const custom = asObject(fragment.custom);
    const text = custom === undefined ? asObject(fragment.function)?.arguments : custom.input;
    return this.#write(this.#slots.take(fragment, place), argumentText(text));
  }

  /** Starts the calls that never got a name. */
  flush(): readonly Delta[] {
    return this.#slots.all.filter((slot) => !this.#started.has(slot)).flatMap((slot) => this.#start(slot));
  }

  #write(slot: Slot, text: string): readonly Delta[] {
    const isStarted = this.#started.has(slot);
    if (!isStarted && slot.name === undefined) {
      this.#early.set(slot, (this.#early.get(slot) ?? '') + text);
      return [];
    }
    const started = isStarted ? [] : this.#start(slot);
    return text === ''
      ? started
      : [...started, ...this.#blocks.add(callKey(slot.number), { type: 'tool-arguments', text })];
  }

  #start(slot: Slot): readonly Delta[] {
    this.#started.add(slot);
    const { id, signature } = unpackToolCallId(slot.id ?? this.#newId());
    const start = present<Extract<Fragment, { type: 'tool-call' }>>({
      type: 'tool-call',
      id,
      name: slot.name ?? '',
      custom: slot.custom || undefined,
      signature,
    });
    const key = callKey(slot.number);
    const opened = this.#blocks.add(key, start);
    const early = this.#early.get(slot) ?? '';
    return early === '' ? opened : [...opened, ...this.#blocks.add(key, { type: 'tool-arguments', text: early })];
  }
}
