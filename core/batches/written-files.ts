import type { FileKind } from './batch.ts';
import type { FilePiece } from './records.ts';

/** Characters of one piece. */
const pieceLength = 262_144;

/** The lines that a batch has written and that are not kept yet. */
export class WrittenFiles {
  readonly #texts: Record<FileKind, string[]> = { output: [], error: [] };
  readonly #numbers: Record<FileKind, number> = { output: 0, error: 0 };
  readonly #bytes: Record<FileKind, number> = { output: 0, error: 0 };
  #pieces: FilePiece[] = [];
  #waiting = 0;

  /** Characters that are not kept yet. */
  get waiting(): number {
    return this.#waiting;
  }

  /** Of the whole files. */
  get bytes(): Readonly<Record<FileKind, number>> {
    return { ...this.#bytes };
  }

  add(kind: FileKind, line: string): void {
    const text = `${line}\n`;
    this.#texts[kind].push(text);
    this.#bytes[kind] += Buffer.byteLength(text);
    this.#waiting += text.length;
  }

  /** What has to be kept now; the same ones again, and what has come since, until `kept` is called. */
  pieces(): readonly FilePiece[] {
    for (const kind of ['output', 'error'] as const) {
      for (const text of cut(this.#texts[kind].splice(0).join(''))) {
        this.#pieces.push({ kind, number: this.#numbers[kind], text });
        this.#numbers[kind] += 1;
      }
    }
    return [...this.#pieces];
  }

  kept(pieces: readonly FilePiece[]): void {
    const known = new Set(pieces);
    this.#pieces = this.#pieces.filter((piece) => !known.has(piece));
    for (const { text } of pieces) this.#waiting -= text.length;
  }

  /** Gives up what finds no room; what was kept stays as it is. */
  drop(pieces: readonly FilePiece[]): void {
    this.kept(pieces);
    for (const { kind, text } of pieces) this.#bytes[kind] -= Buffer.byteLength(text);
  }
}

/** No piece ends within a character that is made of two. */
function cut(text: string): readonly string[] {
  const pieces: string[] = [];
  for (let at = 0; at < text.length; ) {
    let end = Math.min(at + pieceLength, text.length);
    if (end < text.length && /[\ud800-\udbff]/.test(text.charAt(end - 1))) end -= 1;
    pieces.push(text.slice(at, end));
    at = end;
  }
  return pieces;
}
