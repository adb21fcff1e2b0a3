import type { ServerResponse } from 'node:http';
import type { Outcome } from 'portcullis/sdk';
import type { Exchange } from '../pipeline/exchange.ts';
import type { Ending } from '../pipeline/settle.ts';
import { serverTiming } from '../telemetry/server-timing.ts';

/**
 * Sends an outcome. Bytes go out in one write with their head; a stream flows with back-pressure, and stops at its source
 * when the client leaves. `done` runs once, when the last byte is out or the client is gone.
 */
export function respond(
  response: ServerResponse,
  exchange: Exchange,
  outcome: Outcome,
  done: (ending: Ending) => void,
): void {
  const { body } = outcome;
  if (response.destroyed || response.writableEnded) {
    if (body.kind === 'stream') body.stream.abort();
    done('left');
    return;
  }
  const headers = replyHeaders(exchange, outcome);
  if (body.kind === 'bytes') {
    headers['content-length'] = body.bytes.byteLength;
    writeHead(response, outcome.status, headers);
    response.end(body.bytes);
    done('sent');
    return;
  }

  const { stream } = body;
  let over = false;
  let forget = () => {};
  const finish = (ending: Ending) => {
    if (over) return;
    over = true;
    forget();
    done(ending);
  };
  forget = exchange.cancellation.onCancel(() => {
    finish('left');
    stream.abort();
  });
  if (over) return;
  headers['cache-control'] ??= 'no-cache';
  headers['x-accel-buffering'] = 'no';
  writeHead(response, outcome.status, headers);
  response.flushHeaders();
  response.on('drain', () => stream.resume());
  // The transport may tell of a client's leave, as an error, before the listener above has run.
  const gone = () => over || exchange.cancellation.cancelled;
  stream.pipe({
    data: (chunk) => {
      if (gone()) return true;
      exchange.sent?.add(chunk);
      return response.write(chunk);
    },
    end: () => {
      if (gone()) return finish('left');
      response.end();
      finish('sent');
    },
    error: () => {
      // Only raw bytes get here: a stream in a dialect ends with an error event of its own.
      response.destroy();
      finish('left');
    },
  });
}

type HeaderValues = Record<string, string | string[] | number>;

/** Node refuses a head with a value that cannot be sent, and the client would wait for ever: such values are left out. */
function writeHead(response: ServerResponse, status: number, headers: HeaderValues): void {
  try {
    response.writeHead(status, headers);
  } catch {
    response.writeHead(status, sendableHeaders(headers));
  }
}

/** Those that a head of HTTP can hold. */
export function sendableHeaders(headers: HeaderValues): HeaderValues {
  const sendable = Object.entries(headers).filter(
    ([name, value]) => token.test(name) && !unsendable.test(String(value)),
  );
  return Object.fromEntries(sendable);
}

/** A header name, and what no header value may hold (RFC 9110 §5.5, §5.6.2). */
const token = /^[\w!#$%&'*+.^`|~-]+$/;
const unsendable = /[^\t\u0020-\u007e\u0080-\u00ff]/;

/** What the client is told beside the body: the headers of the outcome, and the gateway's own. */
export function replyHeaders(exchange: Exchange, outcome: Outcome): HeaderValues {
  const headers: HeaderValues = {};
  for (const name in outcome.headers) {
    const value = outcome.headers[name];
    if (value !== undefined) headers[name] = typeof value === 'string' ? value : [...value];
  }
  const own = ownHeaders(exchange.vendor);
  headers[own.requestId] = exchange.id;
  // Where the SDKs look for it; a provider's own, which it can be asked about, is kept.
  headers[exchange.dialect === 'messages' ? 'request-id' : 'x-request-id'] ??= exchange.id;
  headers[own.traceId] = exchange.traceId;
  if (outcome.path !== '') {
    headers[own.target] = outcome.path;
    headers[own.retries] = outcome.retries;
  }
  if (outcome.provider !== undefined) headers[own.provider] = outcome.provider;
  const cache = outcome.cache ?? (asksCache(exchange) ? 'DISABLED' : undefined);
  if (cache !== undefined) headers[own.cache] = cache;
  if (exchange.control('timing') === 'true') Object.assign(headers, timingHeaders(exchange));
  if (outcome.error === 'internal' || outcome.error === 'plugin_failed') headers[own.exception] = 'true';
  return headers;
}

/** Whoever sends a header about the cache learns that there is no rule for it. */
function asksCache(exchange: Exchange): boolean {
  return exchange.control('cache-force-refresh') !== undefined || exchange.control('cache-namespace') !== undefined;
}

/** Where the time went, for callers who ask with `x-gw-timing: true`. */
function timingHeaders({ clock, vendor }: Exchange): HeaderValues {
  const { value, overheadMs } = serverTiming(clock.timings(), clock.elapsed);
  return { 'server-timing': value, [ownHeaders(vendor).overhead]: overheadMs };
}

interface OwnHeaders {
  readonly requestId: string;
  readonly traceId: string;
  readonly target: string;
  readonly retries: string;
  readonly provider: string;
  readonly exception: string;
  readonly cache: string;
  readonly overhead: string;
}

const byVendor = new Map<string, OwnHeaders>();

/** The gateway's reply headers under a vendor segment; vendors come from the operator, so they are few. */
function ownHeaders(vendor: string): OwnHeaders {
  const known = byVendor.get(vendor);
  if (known !== undefined) return known;
  const names: OwnHeaders = {
    requestId: `x-${vendor}-request-id`,
    traceId: `x-${vendor}-trace-id`,
    target: `x-${vendor}-last-used-option-index`,
    retries: `x-${vendor}-retry-attempt-count`,
    provider: `x-${vendor}-provider`,
    exception: `x-${vendor}-gateway-exception`,
    cache: `x-${vendor}-cache-status`,
    overhead: `x-${vendor}-overhead-ms`,
  };
  byVendor.set(vendor, names);
  return names;
}
