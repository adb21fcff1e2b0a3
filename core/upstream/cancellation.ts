/** One request's reason to stop. Listeners are plain functions: an AbortSignal is made only for those who ask for one. */
export class Cancellation {
  #cancelled = false;
  #listeners: Set<() => void> | undefined;
  #controller: AbortController | undefined;

  get cancelled(): boolean {
    return this.#cancelled;
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#cancelled) this.#controller.abort();
    return this.#controller.signal;
  }

  /** Runs `listener` when the request is cancelled, at once if it is already. Returns how to take it back. */
  onCancel(listener: () => void): () => void {
    if (this.#cancelled) {
      listener();
      return () => {};
    }
    this.#listeners ??= new Set();
    const listeners = this.#listeners.add(listener);
    return () => listeners.delete(listener);
  }

  /** Whether anybody still waits to hear of it. */
  protected get isHeard(): boolean {
    return this.#listeners !== undefined && this.#listeners.size > 0;
  }

  cancel(): void {
    if (this.#cancelled) return;
    this.#cancelled = true;
    const listeners = this.#listeners;
    this.#listeners = undefined;
    for (const listener of listeners ?? []) listener();
    this.#controller?.abort();
  }
}
