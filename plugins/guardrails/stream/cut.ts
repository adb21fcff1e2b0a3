import type { TextEdit } from 'portcullis/sdk';
import type { StreamRule } from '../definition/hook.ts';

const charsPerToken = 4;

/** Characters. */
export interface Bounds {
  /** Most that are held of one answer. */
  readonly most: number;
  /** What stays to be looked at again; less than `most`. */
  readonly keep: number;
}

export function boundsOf({ tokens, overlap }: StreamRule): Bounds {
  return { most: tokens * charsPerToken, keep: Math.min(overlap, tokens - 1) * charsPerToken };
}

const space = /\s/;
const letter = /[\p{L}\d]/u;
/**
 * What stands around values where no space does, coarse and then fine: marks and scripts that are written without spaces;
 * then what parts a name or an address from a value.
 */
const borders: readonly RegExp[] = ['', '=/?#', ':=/?#'].map(
  (marks) => new RegExp(`[\\s"'\`,;<>()[\\]{}|&\\\\${marks}]|[^\\0-\\u052f]`),
);

/** Where a text that goes on is cut: what stands before it goes out. Never inside an edit, a character, or a word that fits. */
export function cutOf(text: string, edits: readonly TextEdit[], { most, keep }: Bounds): number {
  const wanted = Math.max(0, text.length - keep);
  const cut = beforeEdits(wordStart(text, wanted), edits);
  if (cut > 0 || text.length < most) return betweenCharacters(text, cut);
  for (const border of borders) {
    const inWord = beforeEdits(startBehind(border, text, wanted), edits);
    if (inWord > 0) return betweenCharacters(text, inWord);
  }
  // One value fills all that may be held; or one edit: then that goes out, made as far as it has come.
  return betweenCharacters(text, beforeEdits(wanted, edits) || behindEdits(wanted, edits));
}

export function wordStart(text: string, at: number): number {
  return startBehind(space, text, at);
}

/** The place behind the nearest border at or before a place. */
function startBehind(border: RegExp, text: string, at: number): number {
  let start = at;
  while (start > 0 && (!border.test(text.charAt(start - 1)) || isWithinName(text, start - 1))) start -= 1;
  return start;
}

/** The apostrophe of `o'brien@`, which is no quotation mark. */
function isWithinName(text: string, at: number): boolean {
  return text.charAt(at) === "'" && letter.test(text.charAt(at - 1)) && letter.test(text.charAt(at + 1));
}

export function beforeEdits(at: number, edits: readonly TextEdit[]): number {
  const across = edits.find(({ start, end }) => start < at && at < end);
  return across === undefined ? at : beforeEdits(across.start, edits);
}

function behindEdits(at: number, edits: readonly TextEdit[]): number {
  const across = edits.find(({ start, end }) => start < at && at < end);
  return across === undefined ? at : behindEdits(across.end, edits);
}

function betweenCharacters(text: string, at: number): number {
  const code = text.charCodeAt(at - 1);
  return code >= 0xd800 && code <= 0xdbff ? at - 1 : at;
}
