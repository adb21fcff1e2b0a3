import { hash } from 'node:crypto';
import {
  accessOfSession,
  GatewayError,
  type Host,
  type Principal,
  type SessionEntry,
  type UnidentifiedRequest,
} from 'portcullis/sdk';
import { cookieIn, sessionCookie } from './cookie.ts';
import { isOwnPage } from './origin.ts';
import { hasPrefix, isIssued } from './tokens.ts';

interface Carried {
  readonly token: string;
  readonly from: 'key' | 'authorization' | 'cookie';
}

/** Who the session of a request is of. What is sent on purpose goes before what a browser sends by itself. */
export function identifier(host: Host): (request: UnidentifiedRequest) => Promise<Principal> | undefined {
  const publicUrl = host.env('PUBLIC_URL');
  const principals = new WeakMap<SessionEntry, Principal>();

  const known = (entry: SessionEntry): Principal => {
    const made = principals.get(entry) ?? principalOf(entry);
    principals.set(entry, made);
    return made;
  };

  const identify = async ({ token, from }: Carried, request: UnidentifiedRequest): Promise<Principal> => {
    if (from === 'cookie' && !isOwnPage(request, publicUrl)) {
      throw new GatewayError('forbidden', 'A request with the session cookie must come from a page of this gateway.');
    }
    const issued = isIssued('session', token, (text) => host.checksum(text));
    if (issued === undefined) throw new GatewayError('not_ready', 'The gateway is starting. Try again.');
    const entry = issued ? await host.directory('session', hash('sha256', token, 'hex')) : undefined;
    if (entry === undefined || !(await isLive(host, entry))) ended();
    const principal = known(entry);
    return from === 'authorization' ? { ...principal, consumed: 'authorization' } : principal;
  };

  return (request) => {
    const carried = carriedIn(request);
    return carried === undefined ? undefined : identify(carried, request);
  };
}

const scheme = /^bearer +/i;

function carriedIn(request: UnidentifiedRequest): Carried | undefined {
  const key = request.control('api-key')?.replace(scheme, '').trim();
  if (key !== undefined) return hasPrefix('session', key) ? { token: key, from: 'key' } : undefined;
  const { headers } = request;
  const { authorization } = headers;
  if (authorization !== undefined) {
    const token = authorization.replace(scheme, '').trim();
    return hasPrefix('session', token) ? { token, from: 'authorization' } : undefined;
  }
  const token = cookieIn(headers.cookie, sessionCookie);
  return token === undefined || token === '' ? undefined : { token, from: 'cookie' };
}

/** The organisation may shorten the lives of sessions that run already. */
async function isLive(host: Host, { organisationId, startedAt, expiresAt }: SessionEntry): Promise<boolean> {
  const now = host.now();
  if (now >= expiresAt) return false;
  const organisation = await host.directory('organisation', organisationId);
  if (organisation === undefined) return false;
  const { maxSessionTtl } = organisation;
  return maxSessionTtl === undefined || now < startedAt + maxSessionTtl * 1000;
}

function ended(): never {
  throw new GatewayError('unauthenticated', 'The session has ended, or there never was one. Log in again.');
}

function principalOf(entry: SessionEntry): Principal {
  const { email } = entry.member;
  return Object.freeze({
    id: `session:${entry.id}`,
    kind: 'session',
    name: email,
    metadata: { _user: email },
    access: accessOfSession(entry),
  });
}
