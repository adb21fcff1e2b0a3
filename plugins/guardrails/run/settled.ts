import type { MaybePromise } from 'portcullis/sdk';

/** As Promise.all, but without one where nothing is a promise. */
export function settled<T, R>(
  items: readonly MaybePromise<T>[],
  then: (all: readonly T[]) => MaybePromise<R>,
): MaybePromise<R> {
  return items.some((item) => item instanceof Promise) ? Promise.all(items).then(then) : then(items as readonly T[]);
}

/** As `then`, but at once where nothing is a promise. */
export function whenDone<T, R>(value: MaybePromise<T>, then: (value: T) => MaybePromise<R>): MaybePromise<R> {
  return value instanceof Promise ? value.then(then) : then(value);
}

/** Nobody waits for them any more, for the request has failed already: that they fail too must not end the process. */
export function forgo(values: readonly unknown[]): void {
  for (const value of values) if (value instanceof Promise) value.catch(() => {});
}
