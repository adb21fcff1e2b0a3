export interface Patience {
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
  /** Makes the error for work that takes longer. */
  readonly late: () => Error;
}

/** Waits for `work`, but not past the timeout or the signal, whose reason it rejects with. Late results are dropped. */
export async function withPatience<T>(work: Promise<T>, { timeoutMs, signal, late }: Patience): Promise<T> {
  const limit = Promise.withResolvers<never>();
  const abort = () => limit.reject(signal?.reason);
  if (signal?.aborted) abort();
  signal?.addEventListener('abort', abort, { once: true });
  const timer = setTimeout(() => limit.reject(late()), timeoutMs);
  try {
    return await Promise.race([work, limit.promise]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
  }
}
