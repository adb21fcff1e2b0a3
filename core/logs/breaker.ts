export const breakerStates = ['closed', 'probing', 'open'] as const;
export type BreakerState = (typeof breakerStates)[number];

export interface BreakerSettings {
  /** Consecutive failures that open it. */
  readonly failureThreshold: number;
  /** From its opening to the probe. */
  readonly backoffMs: number;
}

/** Stops calls to what has failed several times in a row, and tries again with a single one after a while. */
export class Breaker {
  readonly #settings: BreakerSettings;
  readonly #now: () => number;
  readonly #changed: (from: BreakerState, to: BreakerState) => void;
  #state: BreakerState = 'closed';
  #failures = 0;
  #openedAt = 0;

  constructor(settings: BreakerSettings, now: () => number, changed: (from: BreakerState, to: BreakerState) => void) {
    this.#settings = settings;
    this.#now = now;
    this.#changed = changed;
  }

  get state(): BreakerState {
    return this.#state;
  }

  /** Whether a call may be made now. While it is open, the first to ask after the backoff is the probe. */
  admits(): boolean {
    if (this.#state !== 'open') return true;
    if (this.#now() - this.#openedAt < this.#settings.backoffMs) return false;
    this.#become('probing');
    return true;
  }

  succeeded(): void {
    this.#failures = 0;
    this.#become('closed');
  }

  failed(): void {
    this.#failures += 1;
    if (this.#state === 'closed' && this.#failures < this.#settings.failureThreshold) return;
    this.#openedAt = this.#now();
    this.#become('open');
  }

  #become(state: BreakerState): void {
    const from = this.#state;
    if (from === state) return;
    this.#state = state;
    this.#changed(from, state);
  }
}
