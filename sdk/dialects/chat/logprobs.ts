import { asArray, type Json, type JsonObject } from '../../json.ts';

/** Log probabilities of consecutive pieces as one: lists are joined, anything else is replaced. */
export function joinLogprobs(before: JsonObject | undefined, after: JsonObject): JsonObject {
  if (before === undefined) return after;
  const joined: { [key: string]: Json } = { ...before };
  for (const [key, value] of Object.entries(after)) {
    joined[key] = Array.isArray(value) ? [...asArray(before[key]), ...value] : (value ?? before[key] ?? null);
  }
  return joined;
}
