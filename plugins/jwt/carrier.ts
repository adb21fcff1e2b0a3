import type { UnidentifiedRequest } from 'portcullis/sdk';

/** A token as it came, not yet believed. */
export interface Bearer {
  readonly token: string;
  /** The header that held it, when that is not one of the gateway's own. */
  readonly consumed?: 'authorization';
}

const threeParts = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*$/;
const scheme = /^bearer +/i;

/** The request's token: in the gateway's key header, else behind `Bearer`. Undefined: what it brings is something else. */
export function bearerOf(request: Pick<UnidentifiedRequest, 'control' | 'headers'>): Bearer | undefined {
  const key = request.control('api-key');
  if (key !== undefined) {
    const token = key.replace(scheme, '').trim();
    return threeParts.test(token) ? { token } : undefined;
  }
  const { authorization } = request.headers;
  if (authorization === undefined || !scheme.test(authorization)) return undefined;
  const token = authorization.replace(scheme, '').trim();
  return threeParts.test(token) ? { token, consumed: 'authorization' } : undefined;
}
