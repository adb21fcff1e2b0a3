import { asNumber, asObject, asString, type JsonObject } from '../../json.ts';
import type { Delta } from '../neutral.ts';
import { present } from '../present.ts';
import { callKey, type Fragment, type StreamBlocks } from '../stream-blocks.ts';
import { unpackToolCallId } from '../tool-call-id.ts';
import { argumentText } from './decode-message.ts';

interface Slot {
  readonly number: number;
  id: string | undefined;
  name: string | undefined;
  custom: boolean;
  started: boolean;
  /** Arguments that came before the name. */
  early: string;
}

/** Follows the tool calls of one choice through its chunks, by index, else by id, else by place. */
export class StreamCalls {
  readonly #blocks: StreamBlocks;
  readonly #newId: () => string;
  readonly #slots: Slot[] = [];
  readonly #byIndex = new Map<number, Slot>();
  readonly #byId = new Map<string, Slot>();

  constructor(blocks: StreamBlocks, newId: () => string) {
    this.#blocks = blocks;
    this.#newId = newId;
  }

  get any(): boolean {
    return this.#slots.length > 0;
  }

  /** Adds a member of `delta.tool_calls`, at its place in that list. */
  add(fragment: JsonObject, place: number): readonly Delta[] {
    const custom = asObject(fragment.custom);
    const called = custom ?? asObject(fragment.function) ?? {};
    const id = asString(fragment.id) || undefined;
    const name = asString(called.name) || undefined;
    const slot = this.#slotOf(asNumber(fragment.index), id, name, place);
    slot.id ??= id;
    slot.name ??= name;
    slot.custom ||= custom !== undefined;
    return this.#write(slot, argumentText(custom === undefined ? called.arguments : custom.input));
  }

  /** Starts the calls that never got a name. */
  flush(): readonly Delta[] {
    return this.#slots.filter((slot) => !slot.started).flatMap((slot) => this.#start(slot));
  }

  #slotOf(index: number | undefined, id: string | undefined, name: string | undefined, place: number): Slot {
    const known = (id === undefined ? undefined : this.#byId.get(id)) ?? this.#byPlace(index, id, place, name);
    // Some servers give every call the index 0: a new id with a new name is a new call.
    const slot = known === undefined || isAnother(known, id, name) ? this.#newSlot() : known;
    if (index !== undefined) this.#byIndex.set(index, slot);
    if (id !== undefined) this.#byId.set(id, slot);
    return slot;
  }

  #byPlace(
    index: number | undefined,
    id: string | undefined,
    place: number,
    name: string | undefined,
  ): Slot | undefined {
    if (index !== undefined) return this.#byIndex.get(index);
    if (id !== undefined || name !== undefined) return undefined;
    return place === 0 ? this.#slots.at(-1) : this.#slots[place];
  }

  #newSlot(): Slot {
    const slot: Slot = {
      number: this.#slots.length,
      id: undefined,
      name: undefined,
      custom: false,
      started: false,
      early: '',
    };
    this.#slots.push(slot);
    return slot;
  }

  #write(slot: Slot, text: string): readonly Delta[] {
    if (!slot.started && slot.name === undefined) {
      slot.early += text;
      return [];
    }
    const started = slot.started ? [] : this.#start(slot);
    return text === ''
      ? started
      : [...started, ...this.#blocks.add(callKey(slot.number), { type: 'tool-arguments', text })];
  }

  #start(slot: Slot): readonly Delta[] {
    slot.started = true;
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
    return slot.early === ''
      ? opened
      : [...opened, ...this.#blocks.add(key, { type: 'tool-arguments', text: slot.early })];
  }
}

function isAnother(slot: Slot, id: string | undefined, name: string | undefined): boolean {
  return id !== undefined && name !== undefined && slot.id !== undefined && slot.id !== id;
}
