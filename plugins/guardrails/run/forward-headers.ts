import { connectionHeaders, type RequestContext } from 'portcullis/sdk';

/** Never sent to a vendor, whatever a guardrail lists: credentials, and what opens the metadata service of a cloud. */
const blocked: ReadonlySet<string> = new Set([
  ...connectionHeaders,
  'authorization',
  'proxy-authorization',
  'x-api-key',
  'api-key',
  'x-goog-api-key',
  'ocp-apim-subscription-key',
  'cookie',
  'set-cookie',
  'metadata',
  'metadata-flavor',
  'x-aws-ec2-metadata-token',
  'x-aws-ec2-metadata-token-ttl-seconds',
  'x-forwarded-for',
  'x-amz-security-token',
]);

const own = /^x-(?:[a-z0-9]+)-(?:api-key|virtual-key|config|provider|metadata|custom-host)$/;
const tracing = /-(trace-id|span-id)$/;
/** What behind a vendor segment of the gateway is an instruction to it, or a credential. */
const controls = /^x-(gw|portkey|portcullis)-/;
const token = /^[a-z0-9!#$%&'*+.^_`|~-]{1,200}$/;

/** Whether a guardrail may ask for the header at all. */
export function isForwardable(name: string): boolean {
  if (!token.test(name) || blocked.has(name) || own.test(name)) return false;
  return !controls.test(name) || tracing.test(name);
}

const hex32 = /^[0-9a-f]{32}$/;

/** The headers of a request that a check's calls carry, with a `traceparent` (W3C Trace Context) where there is none. */
export function forwardedFor(request: RequestContext, names: readonly string[]): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {};
  for (const name of names) {
    const value = request.headers[name];
    if (value !== undefined) headers[name] = value;
  }
  const parent = request.headers.traceparent ?? traceparent(request.traceId);
  if (parent !== undefined) headers.traceparent = parent;
  return headers;
}

/** From a trace id that is one in the sense of the standard: UUIDs are, once their dashes are gone. */
function traceparent(traceId: string): string | undefined {
  const id = traceId.replaceAll('-', '').toLowerCase();
  if (!hex32.test(id) || /^0+$/.test(id)) return undefined;
  return `00-${id}-${id.slice(0, 16)}-01`;
}
