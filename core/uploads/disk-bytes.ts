import { randomUUID } from 'node:crypto';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GatewayError } from 'portcullis/sdk';
import { Share } from './room.ts';
import type { Spooled } from './spool.ts';

const readBytes = 65_536;

/** Bytes in a file without a name: it is gone when its handle is closed, also by a crash. Nothing is opened before the first byte. */
export class DiskBytes implements Spooled {
  readonly bytes = undefined;
  #size = 0;
  #file: FileHandle | undefined;
  #released = false;
  readonly #share: Share;

  /** @param share what it takes up, given back with it */
  constructor(share: Share = new Share(undefined)) {
    this.#share = share;
  }

  get size(): number {
    return this.#size;
  }

  /** The chunks are spent: their memory is gone afterwards. */
  async append(chunks: readonly Uint8Array[]): Promise<void> {
    try {
      await this.#write(chunks);
    } catch (error) {
      throw diskFault(error);
    }
  }

  async #write(chunks: readonly Uint8Array[]): Promise<void> {
    this.#file ??= await namelessFile();
    for (const chunk of chunks) {
      let written = 0;
      while (written < chunk.length) {
        const { bytesWritten } = await this.#file.write(chunk, written, chunk.length - written, this.#size);
        written += bytesWritten;
        this.#size += bytesWritten;
      }
      free(chunk);
    }
  }

  async *open(): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < this.#size; ) {
      if (this.#file === undefined || this.#released) throw new Error('The body has been released.');
      // Each piece has memory of its own: whoever sends it may hold on to it.
      const piece = Buffer.allocUnsafeSlow(Math.min(readBytes, this.#size - at));
      const { bytesRead } = await this.#file.read(piece, 0, piece.length, at);
      if (bytesRead === 0) throw new Error('The file of the body has become shorter.');
      at += bytesRead;
      yield piece.subarray(0, bytesRead);
    }
  }

  async release(): Promise<void> {
    if (this.#released) return;
    this.#released = true;
    this.#share.release();
    // A file without a name has nothing to lose: whatever is wrong with it now concerns nobody.
    await this.#file?.close().catch(() => {});
  }
}

const full: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', 'EMFILE', 'ENFILE']);

/** Why a body could not be written down; what is neither space nor handles is a fault of the machine, and stays what it is. */
export function diskFault(error: unknown): unknown {
  if (!(error instanceof Error) || !full.has((error as NodeJS.ErrnoException).code)) return error;
  return new GatewayError('not_ready', 'The gateway has no space left for the request body: try again later.', {
    status: 507,
    headers: { 'retry-after': '30', connection: 'close' },
    cause: error,
  });
}

/**
 * Gives memory back at once: the collector lets tens of megabytes of such chunks gather. What is a part of some larger memory
 * is left alone.
 */
function free({ buffer, byteLength }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && byteLength === buffer.byteLength) buffer.transfer(0);
}

async function namelessFile(): Promise<FileHandle> {
  const path = join(tmpdir(), `portcullis-${randomUUID()}`);
  const file = await open(path, 'wx+', 0o600);
  try {
    await unlink(path);
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}
