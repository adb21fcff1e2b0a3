/** What bounds the pieces of a text, in UTF-16 units. */
export interface PieceBounds {
  readonly longest: number;
  /** What each piece shares with the one before: what stands across an end is whole in one of them, if it is no longer. */
  readonly overlap: number;
}

/** The text in pieces that a vendor reads at once; a text that fits is one piece. No character is cut in two. */
export function piecesOf(text: string, { longest, overlap }: PieceBounds): readonly string[] {
  const pieces: string[] = [];
  let start = 0;
  while (text.length - start > longest) {
    const end = boundaryAt(text, start + longest);
    pieces.push(text.slice(start, end));
    start = boundaryAt(text, end - overlap);
  }
  return [...pieces, text.slice(start)];
}

/** The place itself, or the one before where it is the middle of a character. */
function boundaryAt(text: string, place: number): number {
  const unit = text.charCodeAt(place);
  return unit >= 0xdc00 && unit <= 0xdfff ? place - 1 : place;
}
