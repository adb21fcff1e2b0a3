import type { Json, JsonObject } from 'portcullis/sdk';

/** One step of a path: a key, an index, or every index. */
type Step = { readonly key: string } | { readonly index: number } | { readonly every: true };

const compiled = new WeakMap<readonly string[], readonly (readonly Step[])[]>();

/**
 * The body without what the paths name: `logit_bias`, `metadata.team`, `messages[0].name`, `tools[*].function.strict`.
 * A path that leads nowhere is no error. The body itself is left as it is, and is the result when nothing was dropped.
 */
export function dropPaths(body: JsonObject, paths: readonly string[]): JsonObject {
  const steps = compiled.get(paths) ?? paths.map(stepsOf);
  compiled.set(paths, steps);
  return steps.reduce<JsonObject>((left, path) => drop(left, path) as JsonObject, body);
}

function stepsOf(path: string): readonly Step[] {
  return [...path.matchAll(/\[(\d+|\*)\]|([^.[\]]+)/g)].map(([, index, key = '']): Step => {
    if (index === undefined) return { key };
    return index === '*' ? { every: true } : { index: Number(index) };
  });
}

function drop(value: Json, path: readonly Step[]): Json {
  const [step, ...rest] = path;
  if (step === undefined || typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return dropFromList(value as readonly Json[], step, rest);
  if (!('key' in step) || !Object.hasOwn(value, step.key)) return value;
  const object = value as JsonObject;
  const { [step.key]: dropped, ...kept } = object;
  if (rest.length === 0) return kept;
  const left = dropped === undefined ? dropped : drop(dropped, rest);
  return left === undefined || left === dropped ? value : { ...object, [step.key]: left };
}

function dropFromList(list: readonly Json[], step: Step, rest: readonly Step[]): Json {
  if ('key' in step) return list;
  const chosen = (index: number) => 'every' in step || step.index === index;
  const left =
    rest.length === 0
      ? list.filter((_, index) => !chosen(index))
      : list.map((item, index) => (chosen(index) ? drop(item, rest) : item));
  return left.length === list.length && left.every((item, index) => item === list[index]) ? list : left;
}
