import { mergedRuns } from '../run/merged-runs.ts';
import type { HookRun } from '../run/runs.ts';

/** Knows what the looks at a stream have come to, what they cost, and when it is decided whether there will be a stream at all. */
export class Looks {
  readonly #now: () => number;
  #runs: readonly HookRun[] = [];
  #count = 0;
  #heardSince = false;
  #textAt: number | undefined;
  #addedMs: number | undefined;
  #tell: ((denied: boolean) => void) | undefined;

  constructor(now: () => number) {
    this.#now = now;
  }

  get runs(): readonly HookRun[] {
    const windows = { looks: this.#count, addedMs: this.#addedMs };
    return this.#runs.map((run) => ({ ...run, windows }));
  }

  get haveBegun(): boolean {
    return this.#count > 0;
  }

  /** Text has come since the last one began. */
  get areBehind(): boolean {
    return this.#heardSince;
  }

  /** Somebody still waits for what they decide. */
  get areAwaited(): boolean {
    return this.#tell !== undefined;
  }

  /** Resolves when it is decided: true when the reply is denied before any text of it has gone out. */
  opened(): Promise<boolean> {
    return new Promise((resolve) => {
      this.#tell = resolve;
    });
  }

  heard(): void {
    this.#heardSince = true;
    this.#textAt ??= this.#now();
  }

  begin(): void {
    this.#heardSince = false;
    this.#count += 1;
  }

  gave(runs: readonly HookRun[]): void {
    this.#runs = mergedRuns(this.#runs, runs);
  }

  /** Text may go out. */
  released(): void {
    if (this.#textAt !== undefined) this.#addedMs ??= this.#now() - this.#textAt;
    this.settle(false);
  }

  settle(denied: boolean): void {
    this.#tell?.(denied);
    this.#tell = undefined;
  }
}
