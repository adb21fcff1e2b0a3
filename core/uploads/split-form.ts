import { Dicer } from '@fastify/busboy';
import { GatewayError, type StreamedBody } from 'portcullis/sdk';

/** The header lines of a part: lower-case names, values as they came, one character for each byte. */
export type PartHeaders = Readonly<Record<string, readonly string[]>>;

/** Called with the header of each part, counted from 0; gives what takes the part's bytes. What either throws ends the splitting. */
export type OnPart = (headers: PartHeaders, index: number) => (bytes: Uint8Array) => void;

const maxParts = 1000;
const maxHeaderBytes = 16_384;
const maxHeaderLines = 100;

/**
 * Splits a multipart/form-data body (RFC 7578). Yields after each piece of the body that has been dealt with, so that the
 * body is read no faster than the caller asks.
 * @throws GatewayError `bad_request` where it is no such body, or has more than 1,000 parts, or 16 KiB of header in one of them
 */
export async function* splitForm(body: StreamedBody, boundary: string, onPart: OnPart): AsyncGenerator<undefined> {
  const splitter = new Splitter(boundary, onPart);
  for await (const piece of body.open()) {
    await splitter.push(piece);
    yield;
  }
  await splitter.end();
  yield;
}

/**
 * Parts never ask the parser to wait, for it waits for ever when a part is asked to and ends in the same piece. They need
 * not either: what a piece gives has been taken before the next one comes.
 */
const optionsFor = (boundary: string) => ({
  boundary,
  maxHeaderPairs: maxHeaderLines,
  partHwm: Number.MAX_SAFE_INTEGER,
});

class Splitter {
  readonly #dicer: Dicer;
  readonly #onPart: OnPart;
  readonly #finished: Promise<void>;
  readonly #ends: Promise<void>[] = [];
  #parts = 0;
  #heads = 0;
  #fault: unknown;

  constructor(boundary: string, onPart: OnPart) {
    this.#onPart = onPart;
    this.#dicer = new Dicer(optionsFor(boundary));
    this.#dicer.on('part', (part) => this.#begin(part));
    this.#finished = new Promise((resolve, reject) => {
      this.#dicer.on('finish', resolve);
      this.#dicer.on('error', reject);
    });
    // It may fail before anybody waits for it.
    this.#finished.catch(() => {});
  }

  async push(piece: Uint8Array): Promise<void> {
    await new Promise<void>((resolve) => this.#dicer.write(piece, () => resolve()));
    this.#check();
  }

  async end(): Promise<void> {
    this.#dicer.end();
    try {
      await this.#finished;
    } catch (cause) {
      throw new GatewayError('bad_request', 'The form is truncated: its last boundary is missing.', { cause });
    }
    this.#check();
    if (this.#heads < this.#parts) throw headless(this.#parts);
    await Promise.all(this.#ends);
    this.#check();
    if (this.#parts === 0) throw new GatewayError('bad_request', 'The form has no parts.');
  }

  #begin(part: Dicer.PartStream): void {
    // The part fails when the whole does; unheard, that would end the process.
    part.on('error', () => {});
    const index = this.#parts;
    this.#parts += 1;
    if (this.#heads < index) this.#fault ??= headless(index);
    if (index === maxParts)
      this.#fault ??= new GatewayError(
        'bad_request',
        `The form has more than the ${maxParts} parts that are accepted.`,
      );
    this.#ends.push(
      new Promise((resolve) => {
        part.on('header', (headers) => this.#head(part, headers as PartHeaders, index, resolve));
      }),
    );
  }

  #head(part: Dicer.PartStream, headers: PartHeaders, index: number, ended: () => void): void {
    this.#heads += 1;
    part.on('end', ended);
    const take = this.#attempt(() => {
      if (isTooLong(headers)) throw tooLong(index + 1);
      return this.#onPart(headers, index);
    });
    part.on('data', (bytes: Uint8Array) => this.#attempt(() => take?.(bytes)));
  }

  /** Nothing may be thrown through the parser: it would go on in a state that nobody knows. */
  #attempt<T>(run: () => T): T | undefined {
    if (this.#fault !== undefined) return undefined;
    try {
      return run();
    } catch (error) {
      this.#fault = error;
      return undefined;
    }
  }

  #check(): void {
    if (this.#fault !== undefined) throw this.#fault;
  }
}

/**
 * The parser leaves out, without a word, what is beyond its own bounds: 80 KiB, or the lines that it was told. Nothing is
 * counted short here, so that what it left out is always seen as too long.
 */
function isTooLong(headers: PartHeaders): boolean {
  const lines = Object.entries(headers).flatMap(([name, values]) => values.map((value) => `${name}: ${value}\r\n`));
  return lines.length >= maxHeaderLines || lines.reduce((sum, line) => sum + line.length, 0) >= maxHeaderBytes;
}

function tooLong(part: number): GatewayError {
  const bounds = `${maxHeaderBytes} bytes or ${maxHeaderLines} lines`;
  return new GatewayError('bad_request', `The header of part ${part} of the form has ${bounds}, or more.`);
}

function headless(part: number): GatewayError {
  return new GatewayError('bad_request', `Part ${part} of the form is truncated: it ends within its header.`);
}
