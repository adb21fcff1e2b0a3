import { GatewayError } from './errors.ts';

export interface QueueBounds {
  readonly running: number;
  readonly waiting: number;
  /** What a caller is told who finds the queue full. */
  readonly full: string;
  /** Seconds after which it is worth another try. */
  readonly retryAfter: number;
}

/**
 * Lets a bounded number of pieces of work run at once, others wait in line: for what costs processor time that anyone can ask for.
 * @throws GatewayError `throttled` when too many wait already
 */
export function boundedQueue(bounds: QueueBounds): <T>(work: () => Promise<T>) => Promise<T> {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async (work) => {
    if (running >= bounds.running) {
      if (waiting.length >= bounds.waiting) {
        throw new GatewayError('throttled', bounds.full, { headers: { 'retry-after': String(bounds.retryAfter) } });
      }
      await new Promise<void>((resolve) => waiting.push(resolve));
    } else running += 1;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      // Who waits takes over the place.
      if (next === undefined) running -= 1;
      else next();
    }
  };
}
