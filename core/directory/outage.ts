import { GatewayError, type Log } from 'portcullis/sdk';

const failuresUntilAway = 3;
const firstDelayMs = 200;
const longestDelayMs = 10_000;

/**
 * Whether the source is away: after three failures in a row it is not asked any more on behalf of requests, until one
 * call of the poller has succeeded. The log tells the begin and the end of an outage, once each.
 */
export class Outage {
  readonly #log: Log;
  readonly #random: () => number;
  #failures = 0;
  #tries = 0;
  #away = false;
  #era = 0;

  constructor(log: Log, random: () => number) {
    this.#log = log;
    this.#random = random;
  }

  get away(): boolean {
    return this.#away;
  }

  /** Whether the last call failed: the next question should not wait for its usual turn. */
  get doubtful(): boolean {
    return this.#failures > 0;
  }

  /** Counts the outages that are over. */
  get era(): number {
    return this.#era;
  }

  /** Until the next try, in milliseconds; grows from 0.2 s to 10 s. */
  get delayMs(): number {
    return Math.min(longestDelayMs, firstDelayMs * 2 ** this.#tries) * (0.75 + this.#random() / 2);
  }

  succeeded(): void {
    this.#failures = 0;
    this.#tries = 0;
    if (!this.#away) return;
    this.#away = false;
    this.#era += 1;
    this.#log.info('directory_back');
  }

  /** Whether it is over was asked in vain: the next question has to wait for longer. */
  triedInVain(): void {
    if (this.#away) this.#tries += 1;
  }

  /** @returns whether the outage has begun with this failure */
  failed(error: unknown): boolean {
    this.#failures += 1;
    if (this.#away || this.#failures < failuresUntilAway) return false;
    this.#away = true;
    this.#log.warn('directory_away', { serving: 'the last good copies', error: describe(error) });
    return true;
  }

  /** What those are told who ask for something that was never loaded. */
  refusal(): GatewayError {
    const seconds = Math.max(1, Math.ceil(Math.min(longestDelayMs, firstDelayMs * 2 ** this.#tries) / 1000));
    return notReady('The records of this gateway cannot be read at the moment. Try again shortly.', seconds);
  }
}

export function notReady(message: string, retryAfterSeconds = 1, cause?: unknown): GatewayError {
  return new GatewayError('not_ready', message, { headers: { 'retry-after': String(retryAfterSeconds) }, cause });
}

/** For the log. Errors of drivers may quote a statement with its values, so only their code is told. */
export function describe(error: unknown): string {
  if (GatewayError.is(error)) return error.message;
  if (!(error instanceof Error)) return 'not an error';
  const { code } = error as { readonly code?: unknown };
  return typeof code === 'string' ? `${error.name} ${code}` : error.name;
}
