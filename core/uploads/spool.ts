import type { IncomingMessage } from 'node:http';
import { GatewayError, type StreamedBody } from 'portcullis/sdk';
import { DiskBytes } from './disk-bytes.ts';

export interface SpoolLimits {
  readonly maxBytes: number;
  /** What is longer goes to disk. Default 1 MiB. */
  readonly memoryBytes?: number;
}

/** A body that came whole. It can be read any number of times, also at once. */
export interface Spooled extends StreamedBody {
  /** The whole, where it is in memory. */
  readonly bytes: Uint8Array | undefined;
  /** Lets go of memory or file, at once and for good: what is being read ends with an error. May be called again. */
  release(): Promise<void>;
}

const defaultMemoryBytes = 1_048_576;

/**
 * Reads a request's body whole, to memory or disk; the client is slowed down to what the disk takes.
 * @throws GatewayError `payload_too_large`; `unsupported_media_type` for a content encoding; `client_closed`; `bad_request`
 * where the transfer is broken
 */
export async function spool(request: IncomingMessage, limits: SpoolLimits): Promise<Spooled> {
  const { maxBytes, memoryBytes = defaultMemoryBytes } = limits;
  checkHeaders(request, maxBytes);
  const disk = new DiskBytes();
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of arriving(request)) {
      size += chunk.length;
      if (size > maxBytes) throw tooLarge(maxBytes);
      chunks.push(chunk);
      if (size > memoryBytes) await disk.append(chunks.splice(0));
    }
    return disk.size > 0 ? disk : new MemoryBytes(chunks.length === 1 ? (chunks[0] ?? empty) : Buffer.concat(chunks));
  } catch (error) {
    await disk.release();
    throw error;
  }
}

const empty = new Uint8Array();

class MemoryBytes implements Spooled {
  readonly size: number;
  #bytes: Uint8Array | undefined;

  constructor(bytes: Uint8Array) {
    this.size = bytes.length;
    this.#bytes = bytes;
  }

  get bytes(): Uint8Array | undefined {
    return this.#bytes;
  }

  async *open(): AsyncGenerator<Uint8Array> {
    if (this.#bytes === undefined) throw new Error('The body has been released.');
    if (this.size > 0) yield this.#bytes;
  }

  async release(): Promise<void> {
    this.#bytes = undefined;
  }
}

function checkHeaders({ headers }: IncomingMessage, maxBytes: number): void {
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity') {
    const text = `The content encoding "${encoding.slice(0, 40)}" is not accepted: send the body as it is.`;
    throw new GatewayError('unsupported_media_type', text, { param: 'content-encoding' });
  }
  if (Number(headers['content-length'] ?? 0) > maxBytes) throw tooLarge(maxBytes);
}

async function* arriving(request: IncomingMessage): AsyncGenerator<Uint8Array> {
  try {
    // A body that is refused half-way must not take the connection with it: the refusal goes back over it.
    yield* request.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>;
  } catch (cause) {
    throw brokenOff(request, cause);
  }
  if (!request.complete) throw brokenOff(request, undefined);
}

/** A body that is malformed on its way says so by the parser's own codes; one that just ends is a client that left. */
function brokenOff({ socket }: IncomingMessage, cause: unknown): GatewayError {
  const code = (socket.errored as NodeJS.ErrnoException | null)?.code ?? '';
  return code.startsWith('HPE_') && code !== 'HPE_INVALID_EOF_STATE'
    ? new GatewayError('bad_request', 'The request body is truncated: its transfer is malformed.', { cause })
    : new GatewayError('client_closed', 'The client left before the request was complete.', { cause });
}

function tooLarge(maxBytes: number): GatewayError {
  const text = `The request body is larger than the ${maxBytes} bytes that are accepted.`;
  // The rest of the body is not read, so the connection cannot be used again.
  return new GatewayError('payload_too_large', text, { headers: { connection: 'close' } });
}
