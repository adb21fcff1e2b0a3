import type { Tell, ToChild } from './messages.ts';
import type { Job } from './process.ts';

/** Memory of all programs that stay loaded though none of their runs is under way. */
const maxLoadedMb = 512;
const maxLoaded = 64;

interface Loaded {
  readonly memoryMb: number;
  runs: number;
}

/** The programs that one process of the sandbox holds. */
export class LoadedPrograms {
  readonly #send: Tell<ToChild>;
  /** What has been unused for longest comes first. */
  readonly #loaded = new Map<string, Loaded>();
  #closing = false;

  constructor(send: Tell<ToChild>) {
    this.#send = send;
  }

  /** A run of it is to begin: it is loaded if it was not. */
  enter({ key, source, memoryMb }: Job): void {
    const known = this.#loaded.get(key);
    if (known === undefined) {
      this.#makeRoom(memoryMb);
      this.#send({ type: 'load', key, memoryMb }, source);
    } else this.#loaded.delete(key);
    this.#loaded.set(key, { memoryMb, runs: (known?.runs ?? 0) + 1 });
  }

  /** The run is over. */
  leave(key: string): void {
    const loaded = this.#loaded.get(key);
    if (loaded === undefined) return;
    loaded.runs -= 1;
    if (this.#closing && loaded.runs === 0) this.#unload(key);
  }

  /** No run begins any more: what none needs is unloaded. */
  close(): void {
    this.#closing = true;
    for (const [key, { runs }] of this.#loaded) if (runs === 0) this.#unload(key);
  }

  #makeRoom(memoryMb: number): void {
    let total = [...this.#loaded.values()].reduce((sum, loaded) => sum + loaded.memoryMb, memoryMb);
    for (const [key, loaded] of this.#loaded) {
      if (total <= maxLoadedMb && this.#loaded.size < maxLoaded) return;
      if (loaded.runs > 0) continue;
      this.#unload(key);
      total -= loaded.memoryMb;
    }
  }

  #unload(key: string): void {
    this.#loaded.delete(key);
    this.#send({ type: 'unload', key });
  }
}
