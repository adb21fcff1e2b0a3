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
  readonly #byId = new Map<string, StreamItem>();
  /** Items that only their fragments told of, and that have not ended. */
  #unannounced: StreamItem[] = [];
  /** Every item before this one is whole. */
  #firstPart = 0;
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
    this.#know(added);
    return added;
  }

  /** The item that a fragment belongs to: by place, else the newest of its type, else a new one that nobody announced. */
  of(event: JsonObject, type: string): StreamItem {
    const index = asNumber(event.output_index);
    const id = asString(event.item_id);
    const placed = index === undefined ? this.#withId(id) : this.#byIndex.get(index);
    if (placed?.type === type) return placed;
    const newest = this.#items.at(-1);
    if (index === undefined && newest?.type === type && !newest.done && (id === undefined || newest.id === undefined)) {
      return newest;
    }
    const item = this.#push(new StreamItem(type, index, false));
    if (id !== undefined) item.id = id;
    this.#know(item);
    return item;
  }

  /** A whole item, at its end. */
  finish(event: JsonObject, item: JsonObject): void {
    const index = asNumber(event.output_index);
    const known = index === undefined ? this.#unplaced(item) : this.#byIndex.get(index);
    const type = asString(item.type) ?? '';
    const target = known?.type === type ? known : this.#push(new StreamItem(type, index, true));
    target.finish(item);
    this.#know(target);
  }

  /** The output of the final response: items and fragments that no event told of are added, everything is ended. */
  complete(response: JsonObject): void {
    const untold = new Untold(this.#items);
    for (const [index, item] of asObjects(response.output).entries()) {
      const target =
        this.#match(item, index, untold) ?? this.#push(new StreamItem(asString(item.type) ?? '', index, true));
      untold.told.add(target);
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
    for (const earlier of this.#unannounced) earlier.end();
    this.#unannounced = item.announced ? [] : [item];
    this.#items.push(item);
    if (item.index !== undefined) this.#byIndex.set(item.index, item);
    return item;
  }

  #know(item: StreamItem): void {
    if (item.id !== undefined && !this.#byId.has(item.id)) this.#byId.set(item.id, item);
  }

  #withId(id: string | undefined): StreamItem | undefined {
    return id === undefined ? undefined : this.#byId.get(id);
  }

  #unplaced(item: JsonObject): StreamItem | undefined {
    while (this.#items[this.#firstPart]?.whole === true) this.#firstPart += 1;
    const named = this.#withId(asString(item.id));
    if (named !== undefined) return named;
    const open = this.#items.slice(this.#firstPart);
    return open.find((known) => !known.whole && known.type === item.type);
  }

  /** The item that a member of the final output repeats: by id, else by place, else the first of its type. */
  #match(item: JsonObject, index: number, untold: Untold): StreamItem | undefined {
    const fits = (known: StreamItem | undefined): known is StreamItem =>
      known !== undefined && known.type === item.type && !untold.told.has(known);
    const named = this.#withId(asString(item.id));
    if (fits(named)) return named;
    const placed = this.#byIndex.get(index);
    return fits(placed) ? placed : untold.first(item.type);
  }
}

/** The items that the final output has not repeated yet. */
class Untold {
  readonly told = new Set<StreamItem>();
  readonly #byType: ReadonlyMap<unknown, readonly StreamItem[]>;
  readonly #next = new Map<unknown, number>();

  constructor(items: readonly StreamItem[]) {
    this.#byType = Map.groupBy(items, (item) => item.type);
  }

  first(type: unknown): StreamItem | undefined {
    const items = this.#byType.get(type) ?? [];
    let at = this.#next.get(type) ?? 0;
    for (let item = items[at]; item !== undefined && this.told.has(item); item = items[at]) at += 1;
    this.#next.set(type, at);
    return items[at];
  }
}
