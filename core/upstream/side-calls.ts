import type { FetchReply, FetchRequest, TokenRequest } from 'portcullis/sdk';
import { Cancellation } from './cancellation.ts';
import { originEnd } from './outgoing.ts';
import type { Pools } from './pools.ts';
import { transmit } from './transport.ts';
import type { UrlGuard } from './url-guard/guard.ts';

const tokenTimeoutMs = 15_000;

/** Calls that are no request of a client to its provider. */
export class SideCalls {
  readonly #guard: UrlGuard;
  readonly #pools: Pools;

  constructor(guard: UrlGuard, pools: Pools) {
    this.#guard = guard;
    this.#pools = pools;
  }

  /** One request of a plugin, answered whole. Follows no redirect. */
  async fetch(url: URL, request: FetchRequest): Promise<FetchReply> {
    await this.#guard.check(url.href, 'url', request.signal);
    const cancellation = new Cancellation();
    const cancel = () => cancellation.cancel();
    request.signal?.addEventListener('abort', cancel, { once: true });
    try {
      const reply = await transmit(this.#pools, {
        upstream: url.host,
        origin: url.origin,
        path: url.pathname + url.search,
        method: request.method ?? 'GET',
        headers: { 'accept-encoding': 'identity', ...request.headers },
        body: request.body,
        timeouts: { firstByteMs: 0, gapMs: 0, totalMs: 0, requestMs: request.timeoutMs },
        maxReplyBytes: request.maxBytes ?? 1024 * 1024,
        collects: () => true,
        cancellation,
      });
      const headers = Object.entries(reply.headers).map(([name, value]) => [name, String(value)]);
      return { status: reply.status, headers: Object.fromEntries(headers), body: reply.bytes ?? new Uint8Array() };
    } finally {
      request.signal?.removeEventListener('abort', cancel);
    }
  }

  /** A short-lived credential. */
  async token({ url, method, headers, form, json }: TokenRequest): Promise<{ status: number; body: string }> {
    const text = json === undefined ? undefined : JSON.stringify(json);
    const body = form === undefined ? text : new URLSearchParams(form).toString();
    const kind = form === undefined ? 'json' : 'x-www-form-urlencoded';
    const type = body === undefined ? {} : { 'content-type': `application/${kind}` };
    const end = originEnd(url);
    const reply = await transmit(this.#pools, {
      upstream: 'the token endpoint',
      origin: url.slice(0, end),
      path: url.slice(end) || '/',
      method,
      headers: { ...headers, ...type },
      body,
      timeouts: { firstByteMs: 0, gapMs: 0, totalMs: 0, requestMs: tokenTimeoutMs },
      maxReplyBytes: 1024 * 1024,
      collects: () => true,
      cancellation: new Cancellation(),
    });
    return { status: reply.status, body: reply.bytes?.toString('utf8') ?? '' };
  }
}
