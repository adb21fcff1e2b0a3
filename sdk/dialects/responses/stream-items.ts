import { asNumber, asObjects, asString, type JsonObject } from '../../json.ts';
import type { Delta } from '../neutral.ts';
import { StreamItem } from './stream-item.ts';

/**
 * The output items of one stream, in order. Neutral blocks do not interleave: the fragments of an item wait until the items
 * before it are complete.
 */
export class StreamItems {
  readonly #items: StreamItem[] = [];
  readonly #byIndex = new Map<number, StreamItem>();
  /** The first item that may still say something. */
  #front = 0;
  #block = -1;
  #place: { readonly item: StreamItem; readonly part: string } | undefined;

  get calledTools(): boolean {
    return this.#items.some((item) => item.isCall);
  }

  add(event: JsonObject, item: JsonObject): StreamItem {
    const index = asNumber(event.output_index);
    const added = this.#push(new StreamItem(asString(item.type) ?? '', index, true));
    added.open(item);
    return added;
  }

  /** The item that a fragment belongs to: by place, else the newest of its type, else a new one that nobody announced. */
  of(event: JsonObject, type: string): StreamItem {
    const index = asNumber(event.output_index);
    const id = asString(event.item_id);
    const placed = index === undefined ? this.#byId(id) : this.#byIndex.get(index);
    if (placed?.type === type) return placed;
    const newest = this.#items.at(-1);
    if (index === undefined && newest?.type === type && !newest.done && (id === undefined || newest.id === undefined)) {
      return newest;
    }
    const item = this.#push(new StreamItem(type, index, false));
    if (id !== undefined) item.id = id;
    return item;
  }

  /** A whole item, at its end. */
  finish(event: JsonObject, item: JsonObject): void {
    const index = asNumber(event.output_index);
    const known = index === undefined ? this.#unplaced(item) : this.#byIndex.get(index);
    const type = asString(item.type) ?? '';
    const target = known?.type === type ? known : this.#push(new StreamItem(type, index, true));
    target.finish(item);
  }

  /** The output of the final response: items and fragments that no event told of are added, everything is ended. */
  complete(response: JsonObject): void {
    const told = new Set<StreamItem>();
    for (const [index, item] of asObjects(response.output).entries()) {
      const target =
        this.#match(item, index, told) ?? this.#push(new StreamItem(asString(item.type) ?? '', index, true));
      told.add(target);
      target.finish(item);
    }
    this.endAll();
  }

  endAll(): void {
    for (const item of this.#items) item.end();
  }

  /** The steps that may go out now, with their blocks. */
  drain(): readonly Delta[] {
    const deltas: Delta[] = [];
    for (let item = this.#items[this.#front]; item !== undefined; item = this.#items[this.#front]) {
      for (const { part, delta } of item.steps.splice(0)) deltas.push(this.#numbered(item, part, delta));
      if (!item.done) break;
      this.#front += 1;
    }
    return deltas;
  }

  #numbered(item: StreamItem, part: string, delta: Delta): Delta {
    if (!('block' in delta)) return delta;
    if (this.#place?.item !== item || this.#place.part !== part) {
      this.#block += 1;
      this.#place = { item, part };
    }
    return { ...delta, block: this.#block };
  }

  #push(item: StreamItem): StreamItem {
    // Nothing ends an item that nobody announced but the next one.
    for (const earlier of this.#items) if (!earlier.announced) earlier.end();
    this.#items.push(item);
    if (item.index !== undefined) this.#byIndex.set(item.index, item);
    return item;
  }

  #byId(id: string | undefined): StreamItem | undefined {
    return id === undefined ? undefined : this.#items.find((item) => item.id === id);
  }

  #unplaced(item: JsonObject): StreamItem | undefined {
    const open = this.#items.filter((known) => !known.whole && known.type === item.type);
    return this.#byId(asString(item.id)) ?? open[0];
  }

  #match(item: JsonObject, index: number, told: ReadonlySet<StreamItem>): StreamItem | undefined {
    const same = this.#items.filter((known) => known.type === item.type && !told.has(known));
    const id = asString(item.id);
    return (
      same.find((known) => id !== undefined && known.id === id) ??
      same.find((known) => known.index === index) ??
      same[0]
    );
  }
}
