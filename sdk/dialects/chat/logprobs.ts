import type { Json, JsonObject } from '../../json.ts';

/** Log probabilities of consecutive pieces as one: lists are joined, anything else is replaced; undefined for no piece. */
export function joinLogprobs(pieces: readonly JsonObject[]): JsonObject | undefined {
  if (pieces.length < 2) return pieces[0];
  const joined: { [key: string]: Json } = {};
  const lists = new Map<string, Json[]>();
  for (const [key, value] of pieces.flatMap((piece) => Object.entries(piece))) {
    const list = lists.get(key);
    if (Array.isArray(value) && list !== undefined) for (const entry of value) list.push(entry);
    else if (Array.isArray(value)) {
      const begun = [...value];
      lists.set(key, begun);
      joined[key] = begun;
    } else if (value !== null || joined[key] === undefined) {
      lists.delete(key);
      joined[key] = value;
    }
  }
  return joined;
}
