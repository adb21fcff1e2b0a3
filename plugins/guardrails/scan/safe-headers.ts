import type { RequestHeaders } from 'portcullis/sdk';

/** Names that hold credentials, or parts of one, wherever they stand in the name. */
const sensitive =
  /auth|cookie|key|secret|token|password|credential|signature|session|jwt|bearer|csrf|xsrf|x-forwarded|config|custom-host/;

/** Names of proxies and clouds for who somebody is. */
const identity = /^(?:dpop|x-amzn-oidc-.+|x-ms-client-principal.*|(?:x-)?(?:.+-)?pat)$/;

/** Behind the segment of a vendor: what instructs a gateway, or says what it knows of the caller. */
const control = /^x-[a-z0-9]+-.*(?:account-json|private|metadata|virtual|provider)/;

const tracing = /^x-[a-z0-9]+-(?:trace|span|parent-span)-id$/;

/** Whether a header may hold a credential, or an instruction to a gateway. Lower-case names. */
export function sensitiveHeader(name: string): boolean {
  return !tracing.test(name) && (sensitive.test(name) || identity.test(name) || control.test(name));
}

const known = new WeakMap<RequestHeaders, RequestHeaders>();

/** The headers of a request that may be shown to checks: what could hold a credential is left out. */
export function safeHeaders(headers: RequestHeaders): RequestHeaders {
  const safe =
    known.get(headers) ?? Object.fromEntries(Object.entries(headers).filter(([name]) => !sensitiveHeader(name)));
  known.set(headers, safe);
  return safe;
}
