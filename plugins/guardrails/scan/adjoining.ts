import type { Fragment } from './reading.ts';

/** What holds parts of which providers make one text, each in its own way. */
const contents: ReadonlySet<string | number | undefined> = new Set(['content', 'content_blocks', 'parts', 'system']);

/** Whether two fragments are texts of parts of the same content, where nothing that is read stands between them. */
export function adjoin(first: Fragment, second: Fragment): boolean {
  if (first.message !== second.message || first.role !== second.role || first.kind !== second.kind) return false;
  const place = partPlace(first);
  if (place === undefined || place !== partPlace(second)) return false;
  const { length } = first.path;
  if (length !== second.path.length || first.path[place] === second.path[place]) return false;
  return first.path.every((step, at) => at === place || step === second.path[at]);
}

/** What a part has beside its text, such as its sources, behind the parts that adjoin: they are read as one text. */
export function partsTogether(fragments: readonly Fragment[]): readonly Fragment[] {
  const ordered: Fragment[] = [];
  const beside: Fragment[] = [];
  let last: Fragment | undefined;
  for (const fragment of fragments) {
    if (last !== undefined && standsBeside(fragment, last)) {
      beside.push(fragment);
      continue;
    }
    if (beside.length > 0 && (last === undefined || !adjoin(last, fragment))) ordered.push(...beside.splice(0));
    ordered.push(fragment);
    last = fragment;
  }
  return [...ordered, ...beside];
}

/** Whether a fragment is of the part of a text, and not that text. */
function standsBeside({ path }: Fragment, text: Fragment): boolean {
  const place = partPlace(text);
  return (
    place !== undefined &&
    path.length > text.path.length &&
    text.path.every((step, at) => at > place || step === path[at])
  );
}

/** The texts of the parts that a fragment was put together of. */
export function partsOf({ text, seams = [] }: Pick<Fragment, 'text' | 'seams'>): readonly string[] {
  const inside = seams.filter((at) => at > 0);
  return [0, ...inside].map((start, index) => text.slice(start, inside[index]));
}

/** Where the path of a text tells which part it is: a part is a text, or has one. */
function partPlace({ path }: Fragment): number | undefined {
  const place = path.at(-1) === 'text' ? path.length - 2 : path.length - 1;
  return typeof path[place] === 'number' && contents.has(path[place - 1]) ? place : undefined;
}
