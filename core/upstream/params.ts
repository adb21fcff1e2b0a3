import type { Json, JsonObject, ParamRules } from 'portcullis/sdk';

/** Applies a provider's parameter rules; returns the same object when they change nothing. */
export function applyParamRules(
  body: JsonObject,
  rules: ParamRules | undefined,
  dropped: (field: string) => void,
): JsonObject {
  if (rules === undefined) return body;
  let changed: { [key: string]: Json } | undefined;
  const open = () => {
    changed ??= { ...body };
    return changed;
  };

  for (const [field, map] of Object.entries(rules.values ?? {})) {
    const value = (changed ?? body)[field];
    const replacement = typeof value === 'string' && Object.hasOwn(map, value) ? map[value] : undefined;
    if (replacement !== undefined) open()[field] = replacement;
  }
  for (const [from, to] of Object.entries(rules.rename ?? {})) {
    const value = (changed ?? body)[from];
    if (value === undefined) continue;
    const target = open();
    delete target[from];
    target[to] ??= value;
  }
  for (const field of rules.drop ?? []) {
    if ((changed ?? body)[field] === undefined) continue;
    delete open()[field];
    dropped(field);
  }
  for (const [field, value] of Object.entries(rules.set ?? {})) open()[field] = value;
  return changed ?? body;
}
