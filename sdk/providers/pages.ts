import { asNumber, asString, type Json, type JsonObject } from '../json.ts';

/** One page of a list, in the client's form, and the token of the next. */
export interface Page {
  readonly data: readonly JsonObject[];
  readonly next: Json | undefined;
}

const mostPages = 20;
const mostEntries = 100;

/**
 * A list of OpenAI's form. Its clients go on after an id (`after`, with `limit`), where this platform has tokens of pages:
 * what comes before the id is passed over, in at most 20 pages.
 * @param fetch gives a page; the token is undefined for the first
 */
export async function listAfter(
  query: Readonly<Record<string, string>>,
  fetch: (token: string | undefined) => Promise<Page>,
): Promise<JsonObject> {
  const limit = Math.min(mostEntries, Math.max(1, asNumber(Number(query.limit ?? 20)) ?? 20));
  const all: JsonObject[] = [];
  let token: string | undefined;
  for (let page = 1; page <= mostPages; page += 1) {
    const { data, next } = await fetch(token);
    all.push(...data);
    token = asString(next) || undefined;
    const start = query.after === undefined ? 0 : all.findIndex(({ id }) => id === query.after) + 1;
    const isFound = query.after === undefined || start > 0;
    if (isFound && (all.length - start >= limit || token === undefined)) {
      return listOf(all.slice(start, start + limit), all.length - start > limit || token !== undefined);
    }
    if (token === undefined) break;
  }
  return listOf([], false);
}

function listOf(data: readonly JsonObject[], has_more: boolean): JsonObject {
  return { object: 'list', data, first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null, has_more };
}
