import type { Edit, TextEdit } from 'portcullis/sdk';
import type { Hook } from '../definition/hook.ts';
import type { Fragment } from '../scan/reading.ts';
import { type CheckRun, type HookRun, hookRun, transforms } from './runs.ts';

interface Range {
  readonly start: number;
  readonly end: number;
}

/** The runs of a look, in which the edits of all others give way to those of imposed hooks. */
export function givingWay(runs: readonly HookRun[], imposed: ReadonlySet<Hook>): readonly HookRun[] {
  const changing = runs.filter(({ transformed }) => transformed);
  const own = changing.filter(({ hook }) => imposed.has(hook));
  if (own.length === 0 || own.length === changing.length) return runs;
  const texts = new Map<Fragment, TextEdit[]>();
  const images = new Set<number>();
  for (const { scan, verdict } of own.flatMap((run) => run.checks.filter(transforms))) {
    for (const edit of verdict?.edits ?? []) {
      if ('image' in edit) images.add(edit.image);
      const place = 'text' in edit ? scan.places[edit.text] : undefined;
      if (place === undefined || !('text' in edit)) continue;
      const moved = { start: edit.start + place.offset, end: edit.end + place.offset, with: edit.with };
      const known = texts.get(place.fragment);
      if (known === undefined) texts.set(place.fragment, [moved]);
      else known.push(moved);
    }
  }
  const taken = new Map([...texts].map(([fragment, edits]) => [fragment, rangesOf(edits)]));
  const left = ({ scan }: CheckRun, edit: Edit): readonly Edit[] => {
    if ('image' in edit) return images.has(edit.image) ? [] : [edit];
    const place = 'text' in edit ? scan.places[edit.text] : undefined;
    const ranges = place === undefined ? undefined : taken.get(place.fragment);
    if (place === undefined || ranges === undefined || !('text' in edit)) return [edit];
    const { offset } = place;
    return outside({ start: edit.start + offset, end: edit.end + offset, with: edit.with }, ranges).map((kept) => ({
      text: edit.text,
      start: kept.start - offset,
      end: kept.end - offset,
      with: kept.with,
    }));
  };
  return runs.map((run) => {
    if (!run.transformed || imposed.has(run.hook)) return run;
    const checks = run.checks.map((check) => {
      const { verdict } = check;
      if (verdict?.edits === undefined) return check;
      return { ...check, verdict: { ...verdict, edits: verdict.edits.flatMap((edit) => left(check, edit)) } };
    });
    return hookRun(run.hook, checks);
  });
}

/** The places of edits, in their order; those that touch are one. */
export function rangesOf(edits: readonly TextEdit[]): readonly Range[] {
  const ranges: Range[] = [];
  for (const { start, end } of edits.toSorted((a, b) => a.start - b.start)) {
    const last = ranges.at(-1);
    if (last === undefined || start > last.end) ranges.push({ start, end });
    else ranges[ranges.length - 1] = { start: last.start, end: Math.max(last.end, end) };
  }
  return ranges;
}

/**
 * What is left of an edit outside the ranges. One that touches none of them is left as it is; of any other, what it takes
 * away outside of them is still taken away, and what it puts there is not said: it may say again what they hide.
 */
export function outside(edit: TextEdit, ranges: readonly Range[]): readonly TextEdit[] {
  const first = firstReaching(ranges, edit.start);
  if ((ranges[first]?.start ?? Number.POSITIVE_INFINITY) > edit.end) return [edit];
  const left: TextEdit[] = [];
  let at = edit.start;
  for (let index = first; index < ranges.length; index += 1) {
    const range = ranges[index];
    if (range === undefined || range.start > edit.end) break;
    if (range.start > at) left.push({ start: at, end: range.start, with: '' });
    at = Math.max(at, range.end);
  }
  if (at < edit.end) left.push({ start: at, end: edit.end, with: '' });
  return left;
}

/** The first range that ends at or behind the place. */
function firstReaching(ranges: readonly Range[], place: number): number {
  let [low, high] = [0, ranges.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ranges[middle]?.end ?? place) < place) low = middle + 1;
    else high = middle;
  }
  return low;
}
