/** A fixed number of places; who finds none waits in line, first come first served. */
export interface Places {
  /** Takes a place; resolves to the function that gives it back, to be called once. Rejects with the signal's reason when that fires first. */
  take(signal?: AbortSignal): Promise<() => void>;
}

export function createPlaces(count: number): Places {
  if (!Number.isInteger(count) || count < 1)
    throw new RangeError('The number of places must be a whole number from 1 up.');
  let free = count;
  // A Set keeps the order of arrival and lets a waiter in the middle leave cheaply.
  const waiting = new Set<() => void>();

  function giveBack(): void {
    const [next] = waiting;
    if (next) next();
    else free += 1;
  }

  return {
    async take(signal) {
      signal?.throwIfAborted();
      if (free > 0) {
        free -= 1;
      } else {
        await new Promise<void>((resolve, reject) => {
          const enter = () => {
            leave();
            resolve();
          };
          const abort = () => {
            leave();
            reject(signal?.reason);
          };
          const leave = () => {
            waiting.delete(enter);
            signal?.removeEventListener('abort', abort);
          };
          waiting.add(enter);
          signal?.addEventListener('abort', abort, { once: true });
        });
      }
      return giveBack;
    },
  };
}
