import type { Speaker } from '../scan/reading.ts';
import type { Piece } from './told.ts';

/** What is held of a part. */
export interface HeldPart {
  readonly speaker: Speaker;
  text: string;
  /** The blocks that it is of, and where they begin. */
  readonly blocks: { readonly at: number; readonly block: number }[];
  /** Where its steps end, which cannot be parted, and which go alongside texts; undefined: it is one of these. */
  readonly ends: number[] | undefined;
  /** Something else has begun behind it. */
  complete: boolean;
}

export function addTo(part: HeldPart, { text, block }: Pick<Piece, 'text' | 'block'>): void {
  if (block !== undefined && text !== '' && part.blocks.at(-1)?.block !== block)
    part.blocks.push({ at: part.text.length, block });
  part.text += text;
  part.ends?.push(part.text.length);
}

/**
 * Where blocks meet in what is held of a part, at its beginning too.
 * @param ended the block of what stands before it; undefined: nothing does
 */
export function seamsOf(part: HeldPart | undefined, ended: number | undefined): readonly number[] {
  return (part?.blocks ?? []).flatMap(({ at, block }) => (at === 0 && (ended ?? block) === block ? [] : at));
}
