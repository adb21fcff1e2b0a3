import type { TextEdit } from 'portcullis/sdk';
import { Gathering, type Reading } from '../scan/reading.ts';
import { type Bounds, beforeEdits, wordStart } from './cut.ts';
import type { EditedPart } from './edited-part.ts';
import type { HeldEdits } from './window-buffer.ts';

/** Most characters that are kept of what one edit has taken away. */
const maxKept = 16 * 1024;

/**
 * The end of what has been released of a part, as the model said it, where too little of it stayed: what comes next is
 * looked at together with it.
 */
export interface Said {
  readonly text: string;
  /** What the client got for the end of it, where that was inside an edit. */
  readonly instead: string | undefined;
}

/** By part. */
export type SaidEnds = ReadonlyMap<string, Said>;

/** What has to be known of a part that goes on, once what stands before the cut is out. */
export function saidOf(
  known: Said | undefined,
  { text, edits, cut }: EditedPart,
  { most, keep }: Bounds,
): Said | undefined {
  if (cut === 0) return known;
  const { length } = known?.text ?? '';
  const all = (known?.text ?? '') + text.slice(0, cut);
  const missing = Math.max(0, keep - (text.length - cut));
  const wanted = missing === 0 ? all.length : Math.max(wordStart(all, all.length - missing), all.length - most, 0);
  const moved = edits.map((edit) => ({ ...edit, start: edit.start + length, end: edit.end + length }));
  const open = moved.find(({ start, end }) => start < all.length && end >= all.length);
  if (open === undefined) return wanted === all.length ? undefined : { text: all.slice(wanted), instead: undefined };
  const goesOn = open.start === length && known?.instead !== undefined;
  const start = goesOn ? 0 : Math.min(beforeEdits(wanted, moved), open.start);
  return { text: bounded(all.slice(start)), instead: (goesOn ? known.instead : '') + open.with };
}

/** The beginning tells that the edit goes on, and the end where it ends. */
function bounded(text: string): string {
  return text.length <= maxKept ? text : text.slice(0, maxKept / 2) + text.slice(-maxKept / 2);
}

/** Of edits of a text that begins with what has been said, those of what is held. */
export function behindSaid(edits: HeldEdits, said: SaidEnds): HeldEdits {
  if (said.size === 0) return edits;
  return new Map([...edits].map(([key, made]) => [key, behind(made, said.get(key))]));
}

function behind(edits: readonly TextEdit[], said: Said | undefined): readonly TextEdit[] {
  if (said === undefined) return edits;
  const { length } = said.text;
  return edits
    .filter(({ end }) => end > length)
    .map((edit) => ({
      start: Math.max(edit.start - length, 0),
      end: edit.end - length,
      with: edit.start < length ? unsaid(edit.with, said.instead) : edit.with,
    }));
}

function unsaid(text: string, instead: string | undefined): string {
  return instead !== undefined && text.startsWith(instead) ? text.slice(instead.length) : text;
}

/** What is held, without what has been said. */
export function heldAlone(reading: Reading, said: SaidEnds): Reading {
  if (said.size === 0) return reading;
  const held = new Gathering();
  for (const { path, text, role, kind, message } of reading.fragments)
    held.text(path, text.slice(said.get(String(path[0]))?.text.length ?? 0), role, kind, message);
  return held;
}
