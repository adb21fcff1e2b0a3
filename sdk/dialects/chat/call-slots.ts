import { asNumber, asObject, asString, type JsonObject } from '../../json.ts';

/** One tool call of a streamed choice. */
export interface Slot {
  /** Its place among the calls of the choice, in the order in which they came. */
  readonly number: number;
  id: string | undefined;
  name: string | undefined;
  custom: boolean;
}

/** Tells to which tool call of a choice each fragment of its chunks belongs: by index, else by id, else by place. */
export class CallSlots {
  readonly #slots: Slot[] = [];
  readonly #byIndex = new Map<number, Slot>();
  readonly #byId = new Map<string, Slot>();

  get all(): readonly Slot[] {
    return this.#slots;
  }

  /** Takes a member of `delta.tool_calls`, at its place in that list. */
  take(fragment: JsonObject, place: number): Slot {
    const custom = asObject(fragment.custom);
    const id = asString(fragment.id) || undefined;
    const name = asString((custom ?? asObject(fragment.function))?.name) || undefined;
    const slot = this.#slotOf(asNumber(fragment.index), id, name, place);
    slot.id ??= id;
    slot.name ??= name;
    slot.custom ||= custom !== undefined;
    return slot;
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
    const slot: Slot = { number: this.#slots.length, id: undefined, name: undefined, custom: false };
    this.#slots.push(slot);
    return slot;
  }
}

function isAnother(slot: Slot, id: string | undefined, name: string | undefined): boolean {
  return id !== undefined && name !== undefined && slot.id !== undefined && slot.id !== id;
}
