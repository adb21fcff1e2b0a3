import { connectionHeaders, type RequestContext } from 'portcullis/sdk';

/** Never sent to a vendor, whatever a guardrail lists: cookies, and what opens the metadata service of a cloud. */
const blocked: ReadonlySet<string> = new Set([
  ...connectionHeaders,
  'cookie',
  'set-cookie',
  'metadata',
  'metadata-flavor',
  'x-forwarded-for',
  'dpop',
]);

/** Names of credentials, under whatever vendor segment. */
const credential =
  /authorization|secret|token|password|credential|account-json|private-key|(?:api|access|subscription|virtual)-key/;
/** What behind a vendor segment is an instruction to a gateway. */
const control = /^x-(?:gw|portkey|portcullis)-|^x-[a-z0-9]+-(?:config|provider|metadata|custom-host)$/;
const tracing = /-(trace-id|span-id)$/;
const name = /^[a-z0-9!#$%&'*+.^_`|~-]{1,200}$/;

/** Whether a guardrail may ask for the header at all. Lower-case names. */
export function isForwardable(header: string): boolean {
  if (!name.test(header) || blocked.has(header) || credential.test(header)) return false;
  return !control.test(header) || tracing.test(header);
}

const hex32 = /^[0-9a-f]{32}$/;

/** The headers of a request that a check's calls carry, with a `traceparent` (W3C Trace Context) where there is none. */
export function forwardedFor(request: RequestContext, names: readonly string[]): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {};
  for (const header of names) {
    const value = request.headers[header];
    if (value !== undefined) headers[header] = value;
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
