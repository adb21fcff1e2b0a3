import type { Tag } from './tags.ts';

/** A text reduced to its tags, its line breaks and numbers that stand for everything else. */
export interface Skeleton {
  readonly text: string;
  /** Puts the pieces back into a text of the skeleton that holds no tag. */
  readonly restore: (text: string) => string;
}

// With a sigil in every tag, since the library searches the whole rest of the text for one when a tag has none. A
// partial is inserted where its tag stands, the space and line breaks around it included, as a variable is.
const sigils: Readonly<Record<Tag['kind'], string>> = {
  variable: '&',
  open: '#',
  openInverted: '^',
  close: '/',
  partial: '&>',
  variablePartial: '&>>',
  comment: '!',
};

// Ten spaces of different widths are the digits of a piece that is nothing but space, and an eleventh its end: the
// library then still sees which lines hold only space.
const blankZero = 0x2000;
const stands = /(\d+);|([\u2000-\u2009]+)\u200A/g;

/** The library walks a text character by character; of a skeleton only the tags and their lines are left to walk. */
export function skeletonOf(text: string, tags: readonly Tag[]): Skeleton {
  const pieces: string[] = [];
  const parts: string[] = [];
  const put = (piece: string) => {
    if (piece !== '') parts.push(standIn(pieces.push(piece) - 1, /\S/.test(piece)));
  };
  const putText = (piece: string) => {
    const first = piece.indexOf('\n');
    if (first === -1) return put(piece);
    const last = piece.lastIndexOf('\n');
    put(piece.slice(0, first));
    parts.push('\n');
    if (last > first) {
      // Whole lines without a tag, whatever they hold.
      parts.push(standIn(pieces.push(piece.slice(first + 1, last)) - 1, true), '\n');
    }
    put(piece.slice(last + 1));
  };
  let at = 0;
  for (const tag of tags) {
    putText(text.slice(at, tag.start));
    parts.push(`{{${sigils[tag.kind]}${tag.name}}}`);
    at = tag.end;
  }
  putText(text.slice(at));
  const pieceOf = (_: string, number: string | undefined, blank: string | undefined) =>
    pieces[Number(number ?? digits(blank ?? ''))] ?? '';
  return { text: parts.join(''), restore: (part) => part.replace(stands, pieceOf) };
}

function standIn(index: number, isVisible: boolean): string {
  if (isVisible) return `${index};`;
  const blanks = [...String(index)].map((digit) => String.fromCharCode(blankZero + Number(digit)));
  return `${blanks.join('')}\u200A`;
}

function digits(blanks: string): string {
  return [...blanks].map((blank) => String(blank.charCodeAt(0) - blankZero)).join('');
}
