import type { ReplySink, ReplyStream } from 'portcullis/sdk';

/** Bytes that are a whole stream already. */
export function streamOf(bytes: Uint8Array): ReplyStream {
  let given = false;
  return {
    pipe: (sink: ReplySink) => {
      if (given) return;
      sink.data(bytes);
      sink.end();
    },
    resume: () => {},
    abort: () => {
      given = true;
    },
  };
}
