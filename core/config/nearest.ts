/** The candidate that a misspelt word most likely means, or undefined when none is close. Case and `_` or `-` count little. */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  const wanted = plain(word.slice(0, 100));
  let best: { readonly name: string; readonly distance: number } | undefined;
  for (const name of candidates) {
    const distance = distanceOf(wanted, plain(name));
    if (
      distance <= Math.max(1, Math.floor(Math.max(wanted.length, name.length) / 3)) &&
      (best === undefined || distance < best.distance)
    ) {
      best = { name, distance };
    }
  }
  return best?.name;
}

function plain(word: string): string {
  return word.toLowerCase().replaceAll(/[_-]/g, '');
}

/** Levenshtein's distance, two swapped neighbours counting as one change (optimal string alignment). */
function distanceOf(from: string, to: string): number {
  const first = Array.from({ length: to.length + 1 }, (_, index) => index);
  const rows = [first];
  for (let i = 1; i <= from.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= to.length; j += 1) {
      const above = rows[i - 1] ?? first;
      const replaced = (above[j - 1] ?? 0) + (from[i - 1] === to[j - 1] ? 0 : 1);
      const swapped = i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1];
      row.push(
        Math.min(
          replaced,
          (above[j] ?? 0) + 1,
          (row[j - 1] ?? 0) + 1,
          swapped ? (rows[i - 2]?.[j - 2] ?? 0) + 1 : replaced,
        ),
      );
    }
    rows.push(row);
  }
  return rows[from.length]?.[to.length] ?? 0;
}
