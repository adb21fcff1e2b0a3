import { asString, type JsonObject } from 'portcullis/sdk';

const capacity = 100;
const defaultPage = 20;

/** The last hundred objects of one kind, by id. What it gives out must not be changed. */
export class Shelf {
  readonly #kept = new Map<string, JsonObject>();

  get(id: string): JsonObject | undefined {
    return this.#kept.get(id);
  }

  put(object: JsonObject): JsonObject {
    this.#kept.set(String(object.id), object);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > capacity && oldest !== undefined) this.#kept.delete(oldest);
    return object;
  }

  remove(id: string): boolean {
    return this.#kept.delete(id);
  }

  all(): readonly JsonObject[] {
    return [...this.#kept.values()];
  }

  /** One page: newest first unless `order=asc`, behind `after`, at most `limit` objects; of one `purpose`, if it is asked for. */
  page(query: URLSearchParams): JsonObject {
    const purpose = query.get('purpose');
    const wanted = this.all().filter((object) => purpose === null || object.purpose === purpose);
    return pageOf(query.get('order') === 'asc' ? wanted : wanted.toReversed(), query);
  }
}

export function pageOf(ordered: readonly JsonObject[], query: URLSearchParams): JsonObject {
  const after = query.get('after');
  const start = after === null ? 0 : ordered.findIndex(({ id }) => asString(id) === after) + 1;
  const limit = Math.min(Math.max(Number(query.get('limit')) || defaultPage, 1), capacity);
  const data = ordered.slice(start, start + limit);
  return {
    object: 'list',
    data,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: start + data.length < ordered.length,
  };
}
