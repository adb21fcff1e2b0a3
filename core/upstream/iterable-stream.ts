import type { ReplySink, ReplyStream } from 'portcullis/sdk';

/** So many chunks may wait before the source is asked to pause. */
const mostWaiting = 16;

/** The chunks of a stream, one after the other, with back-pressure; leaving early gives the stream up. */
export async function* chunksOf(stream: ReplyStream): AsyncGenerator<Uint8Array> {
  const waiting: Uint8Array[] = [];
  let over: { readonly error?: Error } | undefined;
  let news = Promise.withResolvers<void>();
  const wake = () => {
    news.resolve();
    news = Promise.withResolvers();
  };
  stream.pipe({
    data: (chunk) => {
      waiting.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk);
      wake();
      return waiting.length < mostWaiting;
    },
    end: () => {
      over = {};
      wake();
    },
    error: (error) => {
      over = { error };
      wake();
    },
  });
  try {
    for (;;) {
      const chunk = waiting.shift();
      if (chunk !== undefined) {
        yield chunk;
        if (waiting.length === 0 && over === undefined) stream.resume();
        continue;
      }
      if (over?.error !== undefined) throw over.error;
      if (over !== undefined) return;
      await news.promise;
    }
  } finally {
    if (over === undefined) stream.abort();
  }
}

/**
 * An iterable as a stream of a reply.
 * @param freed called when it is given up or has failed: an iterable that was never begun cannot let go of what it holds
 */
export function streamOf(chunks: AsyncIterable<Uint8Array>, freed: () => void = () => {}): ReplyStream {
  const iterator = chunks[Symbol.asyncIterator]();
  let given = false;
  let resumed: (() => void) | undefined;
  const flow = async (sink: ReplySink): Promise<void> => {
    try {
      for (;;) {
        const next = await iterator.next();
        if (given) return;
        if (next.done === true) break;
        if (sink.data(next.value)) continue;
        await new Promise<void>((resolve) => {
          resumed = resolve;
        });
      }
      sink.end();
    } catch (error) {
      freed();
      if (!given) sink.error(error as Error);
    }
  };
  return {
    pipe: (sink) => void flow(sink),
    resume: () => {
      resumed?.();
      resumed = undefined;
    },
    abort: () => {
      given = true;
      resumed?.();
      freed();
      // What a source throws while it is given up concerns nobody any more.
      iterator.return?.().catch(() => {});
    },
  };
}
