import { type AffinityKey, type AffinityRow, keyText } from './rows.ts';
import { type AffinitySource, mostAtOnce } from './source.ts';

/** A row to be written, or a key to be forgotten. */
type Change = { readonly row: AffinityRow } | { readonly forgotten: AffinityKey };

export interface WriteBehindOptions {
  readonly source: AffinitySource;
  /** Told of each write that failed, and of each that did not. */
  readonly onWritten: (error: unknown) => void;
}

const gatherMs = 25;
const againMs = 1_000;
/** While nothing can be written: beyond this the oldest are lost. */
const mostWaiting = 50_000;

/** What the source has still to be told. One write at a time: of two changes of one key the later one stays. */
export class WriteBehind {
  readonly #options: WriteBehindOptions;
  #waiting = new Map<string, Change>();
  #leaving = new Map<string, Change>();
  #writing: Promise<boolean> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #lost = 0;
  #closed = false;

  constructor(options: WriteBehindOptions) {
    this.#options = options;
  }

  /** Changes that did not find room here. */
  get lost(): number {
    return this.#lost;
  }

  put(row: AffinityRow): void {
    this.#add(keyText(row), { row });
  }

  forget(key: AffinityKey): void {
    this.#add(keyText(key), { forgotten: key });
  }

  /** Whether the source may still give a row that is to be forgotten. */
  isForgotten(key: AffinityKey): boolean {
    const text = keyText(key);
    const change = this.#waiting.get(text) ?? this.#leaving.get(text);
    return change !== undefined && 'forgotten' in change;
  }

  /** Writes what waits; what cannot be written now is lost. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await this.#writing;
    while (this.#waiting.size > 0 && (await this.#write()));
  }

  #add(text: string, change: Change): void {
    // Behind all others, so that the oldest are those in front.
    this.#waiting.delete(text);
    this.#waiting.set(text, change);
    this.#bound();
    this.#later(gatherMs);
  }

  #bound(): void {
    for (const oldest of this.#waiting.keys()) {
      if (this.#waiting.size <= mostWaiting) return;
      this.#waiting.delete(oldest);
      this.#lost += 1;
    }
  }

  #later(ms: number): void {
    if (this.#closed || this.#timer !== undefined || this.#writing !== undefined) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      void this.#write().then((written) => {
        if (this.#waiting.size > 0) this.#later(written ? gatherMs : againMs);
      });
    }, ms);
    this.#timer.unref();
  }

  #write(): Promise<boolean> {
    this.#writing = this.#writePart().finally(() => {
      this.#writing = undefined;
    });
    return this.#writing;
  }

  async #writePart(): Promise<boolean> {
    this.#take();
    const changes = [...this.#leaving.values()];
    try {
      await this.#options.source.write({
        rows: changes.flatMap((change) => ('row' in change ? [change.row] : [])),
        forgotten: changes.flatMap((change) => ('forgotten' in change ? [change.forgotten] : [])),
      });
      this.#leaving = new Map();
      this.#options.onWritten(undefined);
      return true;
    } catch (error) {
      // What has changed since wins over what was to be written.
      this.#waiting = new Map([...this.#leaving, ...this.#waiting]);
      this.#leaving = new Map();
      this.#bound();
      this.#options.onWritten(error);
      return false;
    }
  }

  #take(): void {
    for (const [text, change] of this.#waiting) {
      if (this.#leaving.size >= mostAtOnce) return;
      this.#leaving.set(text, change);
      this.#waiting.delete(text);
    }
  }
}
