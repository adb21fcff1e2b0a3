import type { IncomingMessage } from 'node:http';
import { GatewayError, type StreamedBody } from 'portcullis/sdk';
import { DiskBytes } from './disk-bytes.ts';
import { type RoomBounds, Share } from './room.ts';

export interface SpoolLimits {
  readonly maxBytes: number;
  /** What is longer goes to disk. Default 1 MiB. */
  readonly memoryBytes?: number;
  /** Of all bodies together. Default: as many as come. */
  readonly room?: RoomBounds;
  /** The longest silence of a client in the middle of its body, in milliseconds. Default: none is too long. */
  readonly gapMs?: number;
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
 * where the transfer is broken; `not_ready` where there is no room for it
 */
export async function spool(request: IncomingMessage, limits: SpoolLimits): Promise<Spooled> {
  const { maxBytes, memoryBytes = defaultMemoryBytes } = limits;
  checkHeaders(request, maxBytes);
  const share = new Share(limits.room);
  share.expect(lengthOf(request));
  const disk = new DiskBytes(share);
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of arriving(request, limits.gapMs)) {
      size += chunk.length;
      if (size > maxBytes) throw tooLarge(maxBytes);
      share.grow(chunk.length);
      chunks.push(chunk);
      if (size > memoryBytes) await disk.append(chunks.splice(0));
    }
    if (disk.size > 0) return disk;
    return new MemoryBytes(chunks.length === 1 ? (chunks[0] ?? empty) : Buffer.concat(chunks), share);
  } catch (error) {
    await disk.release();
    throw error;
  }
}

function lengthOf({ headers }: IncomingMessage): number {
  return Number(headers['content-length'] ?? 0);
}

const empty = new Uint8Array();

class MemoryBytes implements Spooled {
  readonly size: number;
  readonly #share: Share;
  #bytes: Uint8Array | undefined;

  constructor(bytes: Uint8Array, share: Share) {
    this.#share = share;
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
    this.#share.release();
  }
}

function checkHeaders(request: IncomingMessage, maxBytes: number): void {
  const { headers } = request;
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity') {
    const text = `The content encoding "${encoding.slice(0, 40)}" is not accepted: send the body as it is.`;
    throw new GatewayError('unsupported_media_type', text, { param: 'content-encoding' });
  }
  if (lengthOf(request) > maxBytes) throw tooLarge(maxBytes);
}

async function* arriving(request: IncomingMessage, gapMs = 0): AsyncGenerator<Uint8Array> {
  let waiting = true;
  // A client that falls silent for good is cut off: what it has sent takes up room. The time that the disk takes is not its own.
  const look = () => (waiting ? request.destroy() : watch?.refresh());
  const watch = gapMs > 0 ? setTimeout(look, gapMs) : undefined;
  try {
    // A body that is refused half-way must not take the connection with it: the refusal goes back over it.
    for await (const chunk of request.iterator({ destroyOnReturn: false })) {
      waiting = false;
      yield chunk as Uint8Array;
      waiting = true;
      watch?.refresh();
    }
  } catch (cause) {
    throw brokenOff(request, cause);
  } finally {
    clearTimeout(watch);
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
