import { applyEdits, type TextEdit } from 'portcullis/sdk';
import type { Hook } from '../definition/hook.ts';
import { outside, rangesOf } from '../run/give-way.ts';
import { type CheckRun, type HookRun, transforms } from '../run/runs.ts';
import { Gathering, type Reading } from '../scan/reading.ts';
import { disjoint, editedBetween } from './edited-part.ts';
import { editsThen } from './edits-then.ts';
import type { HeldEdits, SentTails } from './window-buffer.ts';

/** The edits of a look, in which those of all others give way to those of imposed hooks. */
export function heldEditsOf(runs: readonly HookRun[], imposed: ReadonlySet<Hook>): HeldEdits {
  if (imposed.size === 0) return editsByPart(runs);
  const others = editsByPart(runs.filter(({ hook }) => !imposed.has(hook)));
  const own = editsByPart(runs.filter(({ hook }) => imposed.has(hook)));
  if (others.size === 0 || own.size === 0) return own.size === 0 ? others : own;
  const edits = new Map(own);
  for (const [key, given] of others) {
    const ranges = rangesOf(own.get(key) ?? []);
    edits.set(key, [...(own.get(key) ?? []), ...given.flatMap((edit) => outside(edit, ranges))]);
  }
  return edits;
}

export function editsByPart(runs: readonly HookRun[]): HeldEdits {
  return editsOfChecks(runs.filter(({ transformed }) => transformed).flatMap((run) => run.checks.filter(transforms)));
}

/** The path of a fragment names its part. */
export function editsOfChecks(checks: readonly CheckRun[]): HeldEdits {
  const edits = new Map<string, TextEdit[]>();
  for (const { scan, verdict } of checks) {
    for (const edit of verdict?.edits ?? []) {
      const place = 'text' in edit ? scan.places[edit.text] : undefined;
      if (place === undefined || !('text' in edit)) continue;
      const key = String(place.fragment.path[0]);
      const moved = { start: edit.start + place.offset, end: edit.end + place.offset, with: edit.with };
      const known = edits.get(key);
      if (known === undefined) edits.set(key, [moved]);
      else known.push(moved);
    }
  }
  return edits;
}

/** What is held with the edits made, each part behind what has been sent of it. */
export function readingAsSent(reading: Reading, edits: HeldEdits, sent?: SentTails): Reading {
  const found = new Gathering();
  found.unreadable.push(...reading.unreadable);
  for (const fragment of reading.fragments) {
    const { path, text } = fragment;
    const key = String(path[0]);
    const before = sent?.get(key) ?? '';
    const made = disjoint(text, edits.get(key) ?? []);
    const seams = fragment.seams?.map((at) => before.length + editedBetween({ text, edits: made }, 0, at).length);
    found.streamed(path, before + applyEdits(text, made), { ...fragment, seams });
  }
  return found;
}

/**
 * The edits of what is held that come to the same as the first ones, and then those of `readingAsSent`: what has been sent
 * stays.
 */
export function editsInAll(reading: Reading, first: HeldEdits, then: HeldEdits, sent?: SentTails): HeldEdits {
  if (then.size === 0) return first;
  const edits = new Map(first);
  for (const { path, text } of reading.fragments) {
    const key = String(path[0]);
    const { length } = sent?.get(key) ?? '';
    const again = (then.get(key) ?? [])
      .filter(({ end }) => length === 0 || end > length)
      .map((edit) => ({ ...edit, start: Math.max(edit.start - length, 0), end: edit.end - length }));
    if (again.length === 0) continue;
    const before = disjoint(text, first.get(key) ?? []);
    edits.set(key, editsThen(text, before, disjoint(applyEdits(text, before), again)));
  }
  return edits;
}
