import { Keyv, KeyvMemoryAdapter } from 'keyv';
import QuickLRU from 'quick-lru';

/** What an entry takes beside its bytes: its key, and its place in the maps. */
const overheadBytes = 512;
/** The most that a map of the runtime holds without slowing down for minutes when it grows. */
const mostEntries = 4_000_000;

interface Held {
  readonly value: Uint8Array;
}

/** A map that forgets what was used least recently when its values take more than so many bytes. */
export class BoundedMap {
  readonly #maxBytes: number;
  readonly #entries: QuickLRU<string, Held>;
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
    this.#entries = new QuickLRU<string, Held>({
      maxSize: Math.min(mostEntries, Math.ceil(maxBytes / overheadBytes)),
      onEviction: (_, held) => {
        this.#bytes -= sizeOf(held);
      },
    });
  }

  get bytes(): number {
    return this.#bytes;
  }

  get(key: string): Held | undefined {
    const held = this.#entries.peek(key);
    if (held === undefined) return undefined;
    // What is put in again is the youngest: the list itself moves an entry only when a generation ends.
    this.#entries.delete(key);
    this.#entries.set(key, held);
    return held;
  }

  has(key: string): boolean {
    return this.#entries.has(key);
  }

  set(key: string, held: Held): this {
    this.delete(key);
    const bytes = sizeOf(held);
    if (bytes > this.#maxBytes) return this;
    if (this.#bytes + bytes > this.#maxBytes) this.#makeRoom(bytes);
    this.#bytes += bytes;
    this.#entries.set(key, held);
    return this;
  }

  delete(key: string): boolean {
    const held = this.#entries.peek(key);
    if (held === undefined) return false;
    this.#bytes -= sizeOf(held);
    return this.#entries.delete(key);
  }

  clear(): void {
    this.#entries.clear();
    this.#bytes = 0;
  }

  #makeRoom(bytes: number): void {
    for (const [key] of this.#entries.entriesAscending()) {
      if (this.#bytes + bytes <= this.#maxBytes) return;
      this.delete(key);
    }
  }
}

function sizeOf({ value }: Held): number {
  return value.byteLength + overheadBytes;
}

export function memoryKeyv(maxBytes: number): Keyv<Uint8Array> {
  return new Keyv<Uint8Array>({
    store: new KeyvMemoryAdapter(new BoundedMap(maxBytes)),
    serialization: false,
  });
}
