export interface Window {
  /** So many at once. */
  readonly atOnce: number;
  /** All that are worked at together are at most so long, unless one alone is longer. */
  readonly mostBytes: number;
}

/** A turn of the event loop is left to others after so long. */
const turnMs = 10;

/** Works at several items at once, and gives what comes of them in their order. What fails ends it, when its turn comes. */
export async function* inOrder<T extends { readonly size: number }, R>(
  items: AsyncIterable<T>,
  { atOnce, mostBytes }: Window,
  work: (item: T) => R | Promise<R>,
): AsyncGenerator<R> {
  const running: { readonly size: number; readonly result: R | Promise<R> }[] = [];
  let bytes = 0;
  let since = performance.now();
  for await (const item of items) {
    while (running.length > 0 && (running.length >= atOnce || bytes + item.size > mostBytes)) {
      const first = running.shift();
      if (first === undefined) break;
      bytes -= first.size;
      yield first.result;
    }
    const result = work(item);
    // It may fail long before its turn comes.
    if (result instanceof Promise) result.catch(() => {});
    running.push({ size: item.size, result });
    bytes += item.size;
    if (performance.now() - since > turnMs) {
      await new Promise((resolve) => setImmediate(resolve));
      since = performance.now();
    }
  }
  for (const { result } of running) yield result;
}
