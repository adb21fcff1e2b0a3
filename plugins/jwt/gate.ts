import { GatewayError } from 'portcullis/sdk';

const mostRunning = 16;
const mostWaiting = 512;

/**
 * Lets a bounded number of verifications run at once: signatures cost processor time that anyone can ask for.
 * @throws GatewayError `throttled` when too many wait already
 */
export function gate() {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (running >= mostRunning) {
      if (waiting.length >= mostWaiting) {
        throw new GatewayError('throttled', 'Too many tokens wait to be verified. Try again in a second.', {
          headers: { 'retry-after': '1' },
        });
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
