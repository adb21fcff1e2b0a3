import { categories, type Found } from './categories.ts';

const ranks = new Map(categories.map((category, rank) => [category, rank]));

/**
 * The findings in order, with those that overlap made one: it covers all of them, so nothing of any is left over, and is
 * named after the longest, or the first of the catalogue.
 */
export function merged(found: readonly Found[]): readonly Found[] {
  const sorted = found.toSorted((a, b) => a.start - b.start || b.end - a.end);
  const result: Found[] = [];
  let longest: Found | undefined;
  for (const each of sorted) {
    const last = result.at(-1);
    if (last === undefined || longest === undefined || each.start >= last.end) {
      result.push(each);
      longest = each;
      continue;
    }
    if (names(each, longest)) longest = each;
    result[result.length - 1] = {
      category: longest.category,
      start: last.start,
      end: Math.max(last.end, each.end),
    };
  }
  return result;
}

function names(one: Found, other: Found): boolean {
  const longer = one.end - one.start - (other.end - other.start);
  return longer > 0 || (longer === 0 && (ranks.get(one.category) ?? 0) < (ranks.get(other.category) ?? 0));
}
