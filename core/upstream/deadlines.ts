import type { Timeouts } from './transport.ts';

/** Which limit was reached, and how many milliseconds it allows. */
export type Expiry = { readonly kind: 'attempt' | 'gap'; readonly limitMs: number };

/**
 * Watches all limits of one exchange with a single timer: requests are many, and nearly all end long before any limit.
 * The timer wakes at the shortest limit, looks which one has really passed, and sleeps again when none has.
 */
export class Deadlines {
  readonly #limits: Timeouts;
  readonly #expired: (expiry: Expiry) => void;
  readonly #startedAt: number;
  #activeAt = 0;
  #uploading = false;
  #waitingSince: number;
  #headCame = false;
  #streams = false;
  #paused = false;
  #timer: NodeJS.Timeout | undefined;

  /** @param startedAt since when the limits count, by `performance.now()` */
  constructor(limits: Timeouts, expired: (expiry: Expiry) => void, startedAt = performance.now()) {
    this.#limits = limits;
    this.#expired = expired;
    this.#startedAt = startedAt;
    this.#waitingSince = startedAt;
    const shortest = least(limits.firstByteMs, limits.gapMs, limits.totalMs, limits.requestMs);
    if (shortest === 0) return;
    const left = shortest - (performance.now() - startedAt);
    this.#timer = setTimeout(() => this.#look(), Math.max(1, left));
  }

  /** The request's body is on its way, which may take long: nobody waits for the reply yet. */
  uploading(): void {
    this.#uploading = true;
  }

  uploaded(): void {
    this.#uploading = false;
    this.#waitingSince = performance.now();
  }

  /** The reply's head has come. A stream has met the request's own limit with it. */
  head(streams: boolean): void {
    this.#headCame = true;
    this.#streams = streams;
    this.#activeAt = performance.now();
  }

  chunk(): void {
    this.#activeAt = performance.now();
  }

  /** A paused reply waits for the client, not for the provider: its gaps do not count. */
  pause(): void {
    this.#paused = true;
  }

  resume(): void {
    this.#paused = false;
    this.#activeAt = performance.now();
  }

  clear(): void {
    clearTimeout(this.#timer);
  }

  #look(): void {
    const now = performance.now();
    const { firstByteMs, gapMs, totalMs, requestMs } = this.#limits;
    const running: readonly [Expiry['kind'], number, number][] = [
      ['attempt', this.#headCame || this.#uploading ? 0 : firstByteMs, this.#waitingSince],
      ['attempt', this.#streams ? 0 : requestMs, this.#startedAt],
      ['attempt', totalMs, this.#startedAt],
      ['gap', this.#headCame && !this.#paused ? gapMs : 0, this.#activeAt],
    ];
    let wake = least(gapMs, this.#uploading ? firstByteMs : 0) || Number.POSITIVE_INFINITY;
    for (const [kind, limitMs, since] of running) {
      if (limitMs === 0) continue;
      const left = since + limitMs - now;
      // Timers fire up to a millisecond early.
      if (left < 1) {
        this.#expired({ kind, limitMs });
        return;
      }
      wake = Math.min(wake, left);
    }
    if (Number.isFinite(wake)) this.#timer = setTimeout(() => this.#look(), wake);
  }
}

function least(...limits: readonly number[]): number {
  return limits.reduce((shortest, limit) => (limit > 0 && (shortest === 0 || limit < shortest) ? limit : shortest), 0);
}
