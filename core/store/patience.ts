import { AsyncLocalStorage } from 'node:async_hooks';
import { StoreTimeout } from './failures.ts';

const patience = new AsyncLocalStorage<number>();

/** Gives every query of the work its own time limit: changes of a schema take longer than a request may. */
export function withPatience<T>(ms: number, work: () => Promise<T>): Promise<T> {
  return patience.run(ms, work);
}

/** The limit of the running work, or undefined where the store's own holds. */
export function currentPatience(): number | undefined {
  return patience.getStore();
}

/** Rejects when the promise takes longer; what it waits for is not stopped. */
export async function within<T>(ms: number, what: string, promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new StoreTimeout(`${what} took longer than ${ms} ms.`)), ms);
  });
  // The loser may reject after the race is over.
  promise.catch(() => {});
  try {
    return await Promise.race([promise, limit]);
  } finally {
    clearTimeout(timer);
  }
}
