import { GatewayError } from 'portcullis/sdk';
import type { Cancellation } from './cancellation.ts';
import type { Timeouts } from './transport.ts';

/** The limits of a request that is answered by several calls: they hold for all of them together. */
export class FlowDeadline {
  readonly #limits: Timeouts;
  readonly #startedAt = performance.now();

  constructor(limits: Timeouts) {
    this.#limits = limits;
  }

  /** What the next call has. @throws GatewayError `request_timeout` where nothing is left */
  left(): Timeouts {
    const spent = performance.now() - this.#startedAt;
    const rest = (limit: number) => {
      if (limit === 0) return 0;
      if (limit - spent < 1) throw exceeded(limit);
      return limit - spent;
    };
    const { requestMs, totalMs } = this.#limits;
    return { ...this.#limits, requestMs: rest(requestMs), totalMs: rest(totalMs) };
  }

  /** An error of a call, which knows only what was left for it. */
  told(error: unknown): unknown {
    const limit = this.#nearest();
    return limit !== undefined && GatewayError.is(error) && error.code === 'request_timeout' ? exceeded(limit) : error;
  }

  /** Milliseconds; rejects when the client leaves, and when the time is up before. */
  pause(ms: number, cancellation: Cancellation): Promise<void> {
    const limit = this.#nearest();
    const leftMs = limit === undefined ? Number.POSITIVE_INFINITY : limit - (performance.now() - this.#startedAt);
    return new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => {
          forget();
          if (limit !== undefined && leftMs < ms) reject(exceeded(limit));
          else resolve();
        },
        Math.max(0, Math.min(ms, leftMs)),
      );
      const forget = cancellation.onCancel(() => {
        clearTimeout(timer);
        reject(new GatewayError('client_closed', 'The client left before the reply was complete.'));
      });
    });
  }

  #nearest(): number | undefined {
    const limits = [this.#limits.requestMs, this.#limits.totalMs].filter((limit) => limit > 0);
    return limits.length === 0 ? undefined : Math.min(...limits);
  }
}

function exceeded(limitMs: number): GatewayError {
  return new GatewayError('request_timeout', `Request exceeded the timeout sent in the request: ${limitMs}ms`);
}
