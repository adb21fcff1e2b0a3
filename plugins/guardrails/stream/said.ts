import type { TextEdit } from 'portcullis/sdk';
import { Gathering, type Reading } from '../scan/reading.ts';
import { type Bounds, beforeEdits, wordStart } from './cut.ts';
import type { EditedPart } from './edited-part.ts';
import type { HeldEdits } from './window-buffer.ts';

/** Most characters that are kept of what one edit has taken away. */
const maxKept = 16 * 1024;
/** Characters that are kept in any case: `password:` is what tells that the next word is one. */
const lookBehind = 64;

/** The end of what has been released of a part, as the model said it: what comes next is looked at together with it. */
export interface Said {
  readonly text: string;
  /** Where blocks of the part meet in it. */
  readonly seams: readonly number[];
  /** What the client got for the end of it, where that was inside an edit. */
  readonly instead: string | undefined;
  /** Nothing stayed: what was to be put at its end has been put there. */
  readonly ended: boolean;
}

/** By part. */
export type SaidEnds = ReadonlyMap<string, Said>;

/** What has to be known of a part that goes on, once what stands before the cut is out. */
export function saidOf(
  known: Said | undefined,
  { text, edits, cut, seams }: EditedPart & { readonly seams: readonly number[] },
  { most, keep }: Bounds,
): Said | undefined {
  if (cut === 0) return known;
  const ended = cut === text.length;
  const { length } = known?.text ?? '';
  const all = (known?.text ?? '') + text.slice(0, cut);
  const missing = keep - (text.length - cut);
  const moved = edits.map((edit) => ({ ...edit, start: edit.start + length, end: edit.end + length }));
  const open = moved.find(({ start, end }) => start < all.length && end >= all.length);
  const wanted = Math.min(all.length - missing, (open?.start ?? all.length) - lookBehind);
  const start = beforeEdits(Math.max(wordStart(all, wanted), wanted - most, 0), moved);
  const goesOn = open !== undefined && open.start === length && known?.instead !== undefined;
  const from = goesOn ? 0 : start;
  const kept = all.slice(from);
  const meeting = [...(known?.seams ?? []), ...seams.map((at) => at + length)].map((at) => at - from);
  return {
    text: bounded(kept),
    seams: kept.length > maxKept ? [] : meeting.filter((at) => at > 0 && at < kept.length),
    instead: open === undefined ? undefined : (goesOn ? known.instead : '') + open.with,
    ended,
  };
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
  const { text, instead, ended } = said;
  const { length } = text;
  return edits
    .filter(({ start, end }) => end > length || (start === length && !ended))
    .map((edit) => ({
      start: Math.max(edit.start - length, 0),
      end: edit.end - length,
      with: edit.start < length ? unsaid(edit.with, instead ?? text.slice(edit.start)) : edit.with,
    }));
}

function unsaid(text: string, said: string): string {
  return text.startsWith(said) ? text.slice(said.length) : text;
}

/** What is held, without what has been said. */
export function heldAlone(reading: Reading, said: SaidEnds): Reading {
  if (said.size === 0) return reading;
  const held = new Gathering();
  held.unreadable.push(...reading.unreadable);
  for (const fragment of reading.fragments) {
    const length = said.get(String(fragment.path[0]))?.text.length ?? 0;
    const seams = fragment.seams?.map((at) => at - length);
    held.streamed(fragment.path, fragment.text.slice(length), { ...fragment, seams });
  }
  return held;
}
