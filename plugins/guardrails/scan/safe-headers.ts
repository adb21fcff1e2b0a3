import type { RequestHeaders } from 'portcullis/sdk';

/** Names that hold credentials, or parts of one, wherever they stand in the name. */
const sensitive =
  /auth|cookie|key|secret|token|password|credential|signature|session|jwt|x-forwarded|config|custom-host/;

const known = new WeakMap<RequestHeaders, RequestHeaders>();

/** The headers of a request that may be shown to checks: what could hold a credential is left out. */
export function safeHeaders(headers: RequestHeaders): RequestHeaders {
  const safe =
    known.get(headers) ?? Object.fromEntries(Object.entries(headers).filter(([name]) => !sensitive.test(name)));
  known.set(headers, safe);
  return safe;
}
