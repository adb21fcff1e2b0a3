import type { LogBodies, LogEntry } from 'portcullis/sdk';
import { ByteWriter } from './byte-writer.ts';
import { hourMs } from './engine.ts';
import type { Head, PackedBlock } from './packed-batch.ts';
import { detailLine, indexLine } from './row-line.ts';
import { SharedPlaces, sharedOf } from './same-fields.ts';

/** Of the bodies of a block, about: one request more may follow. */
const mostBodyBytes = 1_048_576;
const firstBytes = 65_536;
/** A block that has grown beyond this is not used again. */
const mostKeptBytes = 8 * 1024 * 1024;

/**
 * A block while it grows. Requests are packed as they come: their objects would wait for the store in the heap of the
 * serving thread, where its garbage collector moves them about.
 */
export class BlockWriter {
  readonly #rows = new ByteWriter(firstBytes);
  readonly #details = new ByteWriter(firstBytes);
  readonly #bodies = new ByteWriter(firstBytes);
  readonly #heads = new ByteWriter(firstBytes);
  readonly #shared = new SharedPlaces();
  #bodied: boolean[] = [];
  #hour = 0;
  #lastAt = Number.NEGATIVE_INFINITY;

  /** Whether it is of the hour of the request, and has room. */
  takes({ row }: LogEntry): boolean {
    return this.#bodied.length === 0 || (this.#hour === hourOf(row.createdAt) && this.#bodies.length <= mostBodyBytes);
  }

  /**
   * @param withBodies false: it is only said whether it has bodies
   * @returns how many bytes it takes
   */
  add({ row, bodies }: LogEntry, withBodies: boolean): number {
    const { createdAt } = row;
    const known = this.#shared.find(row);
    const shared = known ?? sharedOf(row);
    const line = indexLine(row, shared);
    const detail = detailLine(row);
    const before = this.#size();
    this.#rows.line(line);
    this.#details.line(detail);
    if (typeof shared !== 'number') this.#shared.keep(shared, this.#bodied.length);
    if (withBodies) this.#heads.line(bodies === undefined ? '' : JSON.stringify(this.#put(bodies)));
    if (this.#bodied.length === 0) this.#hour = hourOf(createdAt);
    this.#bodied.push(bodies !== undefined);
    this.#lastAt = Math.max(this.#lastAt, createdAt);
    return this.#size() - before;
  }

  /** The block as it is now; nothing is added any more before it is cleared. */
  packed(): PackedBlock {
    const detailsAt = this.#rows.length;
    this.#rows.copy(this.#details.written());
    const headsAt = this.#bodies.length;
    if (headsAt > 0 || this.#heads.length > this.#bodied.length) this.#bodies.copy(this.#heads.written());
    return {
      lastAt: this.#lastAt,
      bodied: this.#bodied,
      rows: this.#rows.written(),
      detailsAt,
      bodies: this.#bodies.written(),
      headsAt,
    };
  }

  /** Makes it an empty block again. Gives whether it is worth keeping. */
  clear(): boolean {
    const writers = [this.#rows, this.#details, this.#bodies, this.#heads];
    for (const writer of writers) writer.clear();
    this.#shared.clear();
    this.#bodied = [];
    this.#lastAt = Number.NEGATIVE_INFINITY;
    return writers.every(({ capacity }) => capacity <= mostKeptBytes);
  }

  #size(): number {
    return this.#rows.length + this.#details.length + this.#bodies.length + this.#heads.length;
  }

  #put({ request, response, truncated }: LogBodies): Head {
    const at = this.#bodies.length;
    const sizes = [this.#body(request.body), this.#body(response.body)] as const;
    return [at, ...sizes, request.headers, response.headers, truncated];
  }

  #body(body: string | Uint8Array): number {
    return typeof body === 'string' ? this.#bodies.text(body) : this.#bodies.copy(body);
  }
}

function hourOf(createdAt: number): number {
  return Math.floor(createdAt / hourMs);
}
