import type { Readable, Writable } from 'node:stream';

/**
 * A message on its way between the gateway's process and the sandbox's: five bytes, which say how long it is and how its
 * characters are written, then what it says as a line of JSON, then its text as it is, for long texts take long as JSON.
 */
const prefixLength = 5;
/** Each character a byte, or two of them: nothing else gives every text back as it was, halves of pairs among them. */
const encodings = ['latin1', 'utf16le'] as const;
const wide = /[\u0100-\uffff]/;

export function writeMessage(stream: Writable, message: object, text: string): void {
  const head = JSON.stringify(message);
  const length = head.length + 1 + text.length;
  // Narrow ones are most of them, and Node writes a string of that kind without a buffer between.
  if (!wide.test(head) && !wide.test(text)) {
    stream.write(`${prefix(length, 0)}${head}\n${text}`, 'latin1');
    return;
  }
  const frame = Buffer.allocUnsafe(prefixLength + 2 * length);
  frame.write(prefix(2 * length, 1), 'latin1');
  frame.write(`${head}\n${text}`, prefixLength, 'utf16le');
  stream.write(frame);
}

function prefix(bytes: number, encoding: number): string {
  return String.fromCharCode(bytes & 0xff, (bytes >> 8) & 0xff, (bytes >> 16) & 0xff, bytes >>> 24, encoding);
}

/** @param broken told when something comes that is no message: nothing is read after that */
export function readMessages<Message>(
  stream: Readable,
  maxBytes: number,
  receive: (message: Message, text: string) => void,
  broken: () => void,
): void {
  const reader = new MessageReader<Message>(maxBytes, receive);
  stream.on('data', (piece: Buffer) => {
    try {
      reader.read(piece);
    } catch {
      stream.destroy();
      broken();
    }
  });
}

/** Puts messages together again from the pieces in which they come. */
export class MessageReader<Message> {
  readonly #maxBytes: number;
  readonly #receive: (message: Message, text: string) => void;
  #pieces: Buffer[] = [];
  #length = 0;
  #wanted = prefixLength;

  /** @param maxBytes what one message may take */
  constructor(maxBytes: number, receive: (message: Message, text: string) => void) {
    this.#maxBytes = maxBytes;
    this.#receive = receive;
  }

  /**
   * @param piece is not kept: its memory may be used again
   * @throws Error when that is no message
   */
  read(piece: Buffer): void {
    if (this.#length + piece.length < this.#wanted) {
      this.#keep(piece);
      return;
    }
    let bytes = this.#length === 0 ? piece : Buffer.concat([...this.#pieces, piece]);
    this.#pieces = [];
    this.#length = 0;
    for (;;) {
      this.#wanted = bytes.length < prefixLength ? prefixLength : prefixLength + this.#lengthIn(bytes);
      if (bytes.length < this.#wanted) break;
      const frame = bytes.subarray(0, this.#wanted);
      bytes = bytes.subarray(this.#wanted);
      this.#open(frame);
    }
    this.#keep(bytes);
  }

  #keep(piece: Buffer): void {
    if (piece.length === 0) return;
    this.#pieces.push(Buffer.from(piece));
    this.#length += piece.length;
  }

  #lengthIn(bytes: Buffer): number {
    const length = bytes.readUInt32LE(0);
    if (length > this.#maxBytes) throw new Error(`A message of ${length} bytes: ${this.#maxBytes} are accepted.`);
    return length;
  }

  #open(frame: Buffer): void {
    const content = frame.toString(encodings[frame[prefixLength - 1] ?? 0], prefixLength);
    const end = content.indexOf('\n');
    this.#receive(JSON.parse(content.slice(0, end)) as Message, content.slice(end + 1));
  }
}
