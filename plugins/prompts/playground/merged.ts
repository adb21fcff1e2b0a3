/**
 * The values of several sources as they come; each is asked for its next one when the last has been taken. Ends them all
 * when left: what they wait for must be made to end first, for each is waited for.
 */
export async function* merged<T>(sources: readonly AsyncGenerator<T>[]): AsyncGenerator<T> {
  const waiting = new Map<AsyncGenerator<T>, Promise<Arrival<T>>>();
  const ask = (source: AsyncGenerator<T>) =>
    waiting.set(
      source,
      source.next().then((result) => ({ source, result })),
    );
  for (const source of sources) ask(source);
  try {
    while (waiting.size > 0) {
      const { source, result } = await Promise.race(waiting.values());
      // It goes to the end of the row: one that always has something must not keep the others from being heard.
      waiting.delete(source);
      if (result.done === true) continue;
      yield result.value;
      ask(source);
    }
  } finally {
    await Promise.allSettled(sources.map((source) => source.return(undefined)));
  }
}

interface Arrival<T> {
  readonly source: AsyncGenerator<T>;
  readonly result: IteratorResult<T>;
}
