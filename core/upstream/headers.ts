import { connectionHeaders, hopByHopHeaders, type RequestHeaders } from 'portcullis/sdk';
import type { WireHeaders } from './transport.ts';

/** Never sent on for a client: credentials are the gateway's to set, cookies are none of a provider's business. */
const deniedUpstream = new Set<string>([
  ...connectionHeaders,
  'accept-encoding',
  'cookie',
  'cookie2',
  'authorization',
  'x-api-key',
  'api-key',
  'x-goog-api-key',
  'ocp-apim-subscription-key',
  'forwarded',
  'via',
  // What proxies in front of the gateway tell it of its client, beside what begins with `x-forwarded-`.
  'x-real-ip',
  'x-client-ip',
  'x-cluster-client-ip',
  'true-client-ip',
  'cf-connecting-ip',
  'cf-connecting-ipv6',
  'fastly-client-ip',
  'metadata',
  'metadata-flavor',
  'x-aws-ec2-metadata-token',
  'x-aws-ec2-metadata-token-ttl-seconds',
  'x-identity-header',
  'x-envoy-original-path',
  'x-original-url',
  'x-rewrite-url',
]);

/** Never passed back: they speak of the connection to the provider, would set state at the client, or command a proxy in front. */
const deniedDownstream = new Set<string>([
  ...hopByHopHeaders,
  'content-length',
  'content-encoding',
  'set-cookie',
  'alt-svc',
  'strict-transport-security',
  'clear-site-data',
  'x-sendfile',
  'server',
  'via',
]);

/** Which browsers may read a reply is the operator's to say; `x-accel-redirect` makes a proxy send its own files. */
const deniedDownstreamPrefix = /^(access-control-|x-accel-)/;

/** Whether a client's header may travel to a provider. `vendors` are the gateway's own header segments. */
export function mayForward(name: string, vendors: readonly string[]): boolean {
  if (deniedUpstream.has(name) || name.startsWith('x-forwarded-') || name.startsWith('sec-')) return false;
  return !isOwn(name, vendors);
}

function isOwn(name: string, vendors: readonly string[]): boolean {
  return name.startsWith('x-') && vendors.some((vendor) => name.startsWith(`${vendor}-`, 2));
}

/** The named headers of the client, as far as they may be forwarded. */
export function forwarded(
  names: readonly string[] | undefined,
  headers: RequestHeaders,
  vendors: readonly string[],
): Record<string, string> {
  const chosen: Record<string, string> = {};
  for (const raw of names ?? []) {
    const name = raw.toLowerCase();
    const value = headers[name];
    // Names come from the caller: `constructor` would find what every object has.
    if (typeof value === 'string' && mayForward(name, vendors)) chosen[name] = value;
  }
  return chosen;
}

/** What the connection and the gateway decide, whatever a saved provider says. */
const deniedConfigured = new Set<string>([...connectionHeaders, 'content-type', 'accept-encoding']);

/** The headers that a saved provider adds, by lower-case names. They are its owner's, so they may hold a credential. */
export function configured(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers)
      .map(([name, value]) => [name.toLowerCase(), value] as const)
      .filter(([name]) => !deniedConfigured.has(name)),
  );
}

/** All of the client's headers that may be forwarded: what the proxy route sends on. */
export function forwardedAll(headers: RequestHeaders, vendors: readonly string[]): Record<string, string> {
  const ownHop = namedBy(headers.connection);
  return forwarded(
    Object.keys(headers).filter((name) => !ownHop.has(name)),
    headers,
    vendors,
  );
}

/** The headers that a connection declares to be its own, beside those that are so always (RFC 9110 §7.6.1). */
function namedBy(connection: string | readonly string[] | undefined): ReadonlySet<string> {
  const named = String(connection ?? '').toLowerCase();
  return plainConnections.has(named) ? unnamed : new Set(named.split(/[\s,]+/));
}

/** What nearly every connection says. */
const plainConnections = new Set(['', 'keep-alive', 'close']);
const unnamed: ReadonlySet<string> = new Set();

/** Header names that have been judged; providers send the same ones again and again. */
const judged = new Map<string, boolean>();
const maxJudged = 2000;

function mayReply(name: string): boolean {
  const known = judged.get(name);
  if (known !== undefined) return known;
  const allowed = !deniedDownstream.has(name) && !deniedDownstreamPrefix.test(name);
  if (judged.size < maxJudged) judged.set(name, allowed);
  return allowed;
}

/** A provider's reply headers as the client gets them. What begins like the gateway's own headers is not its to say. */
export function repliedHeaders(
  headers: WireHeaders,
  keepEncoding: boolean,
  vendors: readonly string[],
): Record<string, string | readonly string[]> {
  const ownHop = namedBy(headers.connection);
  const kept: Record<string, string | readonly string[]> = {};
  for (const name in headers) {
    const value = headers[name];
    if (value === undefined || ownHop.has(name) || isOwn(name, vendors)) continue;
    if (mayReply(name) || (keepEncoding && name === 'content-encoding')) kept[name] = value;
  }
  return kept;
}
