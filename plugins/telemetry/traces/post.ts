import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { Agent, request } from 'undici';
import type { TraceSettings } from './settings.ts';

const zip = promisify(gzip);
const encodings = { none: {}, gzip: { 'content-encoding': 'gzip' } } as const;
const contentTypes = { 'http/protobuf': 'application/x-protobuf', 'http/json': 'application/json' } as const;
/** Answers that say: later, perhaps (OTLP 1.8, "Retryable Response Codes"). */
const retryable: ReadonlySet<number> = new Set([429, 502, 503, 504]);
/** The collector has gone away in the middle, as one that is started anew does; nobody knows whether it took them. */
const resets: ReadonlySet<string> = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE']);
const retryMs = 1000;
/** What waits holds one of four places: who wants more time loses the batch. */
const longestRetryMs = 10_000;
const longestReply = 64 * 1024;

export interface Post {
  /** The reply's body, or undefined when the place did not take it. Tries a second time where the answer says so, or breaks off. */
  send(body: Uint8Array): Promise<Uint8Array | undefined>;
  /** What is under way fails. */
  close(): Promise<void>;
}

/**
 * Posts to the operator's collector. It is no place that a caller can name, and stands in the private network as a rule: so it
 * is called as the database is, not through the URL guard.
 */
export function createPost({ url, headers, protocol, compression, timeoutMs }: TraceSettings): Post {
  const agent = new Agent({
    connections: 4,
    connect: { timeout: timeoutMs },
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
    maxResponseSize: longestReply,
  });
  const once = async (body: Uint8Array) => {
    const reply = await request(url, {
      dispatcher: agent,
      method: 'POST',
      headers: { ...headers, 'content-type': contentTypes[protocol], ...encodings[compression] },
      body,
      signal: AbortSignal.timeout(timeoutMs),
    });
    const later = retryable.has(reply.statusCode) ? waitAskedIn(reply.headers['retry-after']) : undefined;
    return { taken: reply.statusCode < 300, body: await reply.body.bytes(), later };
  };
  const first = (body: Uint8Array) =>
    once(body).catch((error: unknown) => {
      if (!resets.has((error as NodeJS.ErrnoException).code ?? '')) throw error;
      return { taken: false, body, later: retryMs };
    });
  return {
    send: async (spans) => {
      // Once for both tries, and by the pool of threads: the loop serves requests meanwhile.
      const body = compression === 'gzip' ? await zip(spans) : spans;
      let reply = await first(body);
      if (reply.later !== undefined && reply.later <= longestRetryMs) {
        await new Promise((resolve) => setTimeout(resolve, reply.later).unref());
        reply = await once(body);
      }
      return reply.taken ? reply.body : undefined;
    },
    close: () => agent.destroy(),
  };
}

/** Milliseconds. Of a date, or of none, nothing is known but that it is later. */
function waitAskedIn(retryAfter: string | readonly string[] | undefined): number {
  return typeof retryAfter === 'string' && /^\d{1,9}$/.test(retryAfter) ? Number(retryAfter) * 1000 : retryMs;
}
