import { Agent, request } from 'undici';
import type { TraceSettings } from './settings.ts';

const contentTypes = { 'http/protobuf': 'application/x-protobuf', 'http/json': 'application/json' } as const;
/** Answers that say: later, perhaps (OTLP 1.8, "Retryable Response Codes"). */
const retryable: ReadonlySet<number> = new Set([429, 502, 503, 504]);
const retryMs = 1000;
const longestReply = 64 * 1024;

export interface Post {
  /** The reply's body, or undefined when the place did not take it. Tries a second time where the answer says so. */
  send(body: Uint8Array): Promise<Uint8Array | undefined>;
  /** What is under way fails. */
  close(): Promise<void>;
}

/**
 * Posts to the operator's collector. It is no place that a caller can name, and stands in the private network as a rule: so it
 * is called as the database is, not through the URL guard.
 */
export function createPost({ url, headers, protocol, timeoutMs }: TraceSettings): Post {
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
      headers: { ...headers, 'content-type': contentTypes[protocol] },
      body,
      signal: AbortSignal.timeout(timeoutMs),
    });
    return { status: reply.statusCode, body: await reply.body.bytes() };
  };
  return {
    send: async (body) => {
      const first = await once(body);
      if (!retryable.has(first.status)) return first.status < 300 ? first.body : undefined;
      await new Promise((resolve) => setTimeout(resolve, retryMs).unref());
      const second = await once(body);
      return second.status < 300 ? second.body : undefined;
    },
    close: () => agent.destroy(),
  };
}
