/** Up to three candidates that a misspelt word most likely means, best first. Case, `_` and `-` count little. */
export function closeNames(word: string, candidates: readonly string[]): readonly string[] {
  const wanted = plain(word.slice(0, 100));
  return [...new Set(candidates)]
    .map((name) => ({ name, distance: distanceOf(wanted, plain(name)) }))
    .filter(({ name, distance }) => distance <= Math.max(1, Math.floor(Math.max(wanted.length, name.length) / 3)))
    .toSorted((a, b) => a.distance - b.distance)
    .slice(0, 3)
    .map(({ name }) => name);
}

const plain = (word: string) => word.toLowerCase().replaceAll(/[_-]/g, '');

/** Levenshtein's distance; 0 where one word holds the whole other one. */
function distanceOf(from: string, to: string): number {
  if (from.length > 2 && (to.includes(from) || from.includes(to))) return 0;
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let i = 1; i <= from.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= to.length; j += 1) {
      const replaced = (row[j - 1] ?? 0) + (from[i - 1] === to[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}
