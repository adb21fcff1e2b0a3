import { GatewayError } from 'portcullis/sdk';

/** One line of a file in JSON Lines (https://jsonlines.org). */
export interface TextLine {
  /** Counted from 1, with those that are empty. */
  readonly number: number;
  /** Without the line break. */
  readonly text: string;
  /** Bytes. */
  readonly size: number;
}

const lineFeed = 0x0a;

/**
 * The lines that are not empty, one after the other; memory holds one of them, and the piece that it ends in.
 * @throws GatewayError `bad_request` naming a line of more than `mostBytes`
 */
export async function* linesOf(pieces: AsyncIterable<Uint8Array>, mostBytes: number): AsyncGenerator<TextLine> {
  const line = new OpenLine(mostBytes);
  for await (const piece of pieces) {
    let from = 0;
    for (let end = piece.indexOf(lineFeed); end !== -1; end = piece.indexOf(lineFeed, from)) {
      line.add(piece.subarray(from, end));
      from = end + 1;
      const whole = line.take();
      if (whole.text !== '') yield whole;
    }
    if (from < piece.length) line.add(from === 0 ? piece : piece.slice(from));
  }
  const last = line.take();
  if (last.text !== '') yield last;
}

/** What has come of a line so far. */
class OpenLine {
  readonly #mostBytes: number;
  #pieces: Uint8Array[] = [];
  #size = 0;
  #number = 1;

  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes;
  }

  add(piece: Uint8Array): void {
    this.#size += piece.length;
    if (this.#size > this.#mostBytes) {
      const text = `Line ${this.#number} of the file is longer than the ${this.#mostBytes} bytes that are accepted.`;
      throw new GatewayError('bad_request', text, { param: 'file' });
    }
    if (piece.length > 0) this.#pieces.push(piece);
  }

  take(): TextLine {
    const [first] = this.#pieces;
    const bytes =
      this.#pieces.length === 1 && first !== undefined
        ? Buffer.from(first.buffer, first.byteOffset, first.byteLength)
        : Buffer.concat(this.#pieces);
    // A byte order mark is white space too.
    const line = { number: this.#number, text: bytes.toString('utf8').trim(), size: this.#size };
    this.#pieces = [];
    this.#size = 0;
    this.#number += 1;
    return line;
  }
}
