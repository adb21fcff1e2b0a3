import { GatewayError } from '../errors.ts';

/** What bounds the pieces of a text; lengths are in UTF-16 units. */
export interface PieceBounds {
  readonly longest: number;
  /** What each piece shares with the one before: what stands across an end is whole in one of them, if it is no longer. */
  readonly overlap: number;
  /** How many there may be: each is a call. */
  readonly most: number;
}

/** A piece of a text, and where in it the piece begins: in UTF-16 units. */
export interface Piece {
  readonly start: number;
  readonly text: string;
}

/**
 * The text in pieces that a vendor reads at once; a text that fits is one piece. No character is cut in two.
 * @throws GatewayError `check_failed` for a text of more pieces than there may be
 */
export function piecesOf(text: string, bounds: PieceBounds): readonly string[] {
  return placedPiecesOf(text, bounds).map((piece) => piece.text);
}

/** The same, for checks that change what they find. @throws GatewayError as `piecesOf` */
export function placedPiecesOf(text: string, { longest, overlap, most }: PieceBounds): readonly Piece[] {
  const pieces: Piece[] = [];
  let start = 0;
  while (text.length - start > longest) {
    const end = boundaryAt(text, start + longest);
    pieces.push({ start, text: text.slice(start, end) });
    start = boundaryAt(text, end - overlap);
  }
  pieces.push({ start, text: text.slice(start) });
  if (pieces.length <= most) return pieces;
  const longestText = longest + (most - 1) * (longest - overlap);
  throw new GatewayError('check_failed', `The check reads ${longestText} characters at most; here are ${text.length}.`);
}

/** The place itself, or the one before where it is the middle of a character. */
function boundaryAt(text: string, place: number): number {
  const unit = text.charCodeAt(place);
  return unit >= 0xdc00 && unit <= 0xdfff ? place - 1 : place;
}
