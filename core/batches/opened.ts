import { GatewayError } from 'portcullis/sdk';

/** What was looked at, and all of it. */
export interface Opened {
  readonly isOutput: boolean;
  /** From the first byte on. */
  readonly all: AsyncGenerator<Uint8Array>;
}

const lineFeed = 0x0a;
const braceOpen = 0x7b;
/** What a line of the output of a batch has in it; where a long one has it, nothing of it has to be guessed. */
const mark = '"custom_id"';

/**
 * Looks at the first line of a file that is not empty, to tell by it what the file is.
 * @throws GatewayError `upstream_invalid` for one that may be a line of the output of a batch and is longer than is read
 */
export async function opened(
  pieces: AsyncGenerator<Uint8Array>,
  mostBytes: number,
  matches: (line: string) => boolean,
): Promise<Opened> {
  const seen: Uint8Array[] = [];
  let size = 0;
  let found: boolean | undefined;
  while (found === undefined) {
    const next = await pieces.next();
    if (next.done === true) {
      found = matches(firstLine(seen, true) ?? '');
      break;
    }
    seen.push(next.value);
    size += next.value.length;
    if (!mayBeObject(seen)) found = false;
    else if (next.value.includes(lineFeed)) {
      const line = firstLine(seen, false);
      if (line !== undefined) found = matches(line);
    }
    if (found === undefined && size > mostBytes) {
      found = false;
      if (Buffer.concat(seen).includes(mark)) {
        await pieces.return(undefined);
        throw new GatewayError(
          'upstream_invalid',
          `A line of the output is longer than the ${mostBytes} bytes that are read.`,
        );
      }
    }
  }
  return { isOutput: found, all: withSeen(seen, pieces) };
}

/** Whether the first byte that is no white space opens an object; true where there is none yet. */
function mayBeObject(seen: readonly Uint8Array[]): boolean {
  for (const piece of seen) {
    for (const byte of piece) {
      if (byte === braceOpen) return true;
      // White space, and the bytes of a byte order mark.
      if (byte > 0x20 && byte !== 0xef && byte !== 0xbb && byte !== 0xbf) return false;
    }
  }
  return true;
}

function firstLine(seen: readonly Uint8Array[], whole: boolean): string | undefined {
  const text = Buffer.concat(seen).toString('utf8').trimStart();
  const end = text.indexOf('\n');
  if (end === -1 && !whole) return undefined;
  return (end === -1 ? text : text.slice(0, end)).trim();
}

async function* withSeen(seen: Uint8Array[], rest: AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    while (seen.length > 0) {
      const piece = seen.shift();
      if (piece !== undefined) yield piece;
    }
    yield* rest;
  } finally {
    await rest.return(undefined);
  }
}
