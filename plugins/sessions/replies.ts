import { field, type Operation, RawReply, schema } from 'portcullis/sdk';
import { cookie, sessionCookie } from './cookie.ts';
import type { Opened } from './live.ts';
import { isOwnPage } from './origin.ts';
import type { Credential } from './people.ts';

export const sessionReply = schema.Object({
  object: schema.Literal('session'),
  id: schema.String(),
  token: schema.String({ description: 'Shown once. Browsers have it as a cookie too.' }),
  expires_at: field.time(),
  organisation_id: schema.String(),
  user: schema.Object({ id: schema.String(), email: schema.String() }),
});

export const emptyReply = schema.Object({});

export const organisationField = schema.Optional(
  schema.String({
    minLength: 1,
    maxLength: 255,
    description: 'Id or slug, for people who belong to several. Absent: the one that they joined first.',
  }),
);

/**
 * Gives the session to whoever has proven who they are: in the body, and to browsers as a cookie. Pages of other sites get
 * no cookie: they could log somebody's browser in as somebody else.
 */
export function opened(
  operation: Operation,
  publicUrl: string,
  { user_id, organisation_id, email }: Pick<Credential, 'user_id' | 'organisation_id' | 'email'>,
  session: Opened,
): RawReply {
  const body = {
    object: 'session',
    id: session.id,
    token: session.token,
    expires_at: operation.time(session.expiresAt),
    organisation_id,
    user: { id: user_id, email },
  };
  return json(body, isForeign(operation, publicUrl) ? undefined : sessionCookieFor(session, publicUrl));
}

function isForeign({ header }: Operation, publicUrl: string): boolean {
  const [origin, host] = [header('origin'), header('host')];
  if (origin === undefined) return false;
  const headers = { origin, ...(host === undefined ? {} : { host }) };
  return !isOwnPage({ method: 'POST', headers }, publicUrl === '' ? undefined : publicUrl);
}

export function sessionCookieFor({ token, startedAt, expiresAt }: Opened, publicUrl: string): string {
  return cookie(sessionCookie, token, Math.floor((expiresAt - startedAt) / 1000), publicUrl);
}

/** Takes the cookie away. */
export function loggedOut(publicUrl: string): RawReply {
  return json({}, cookie(sessionCookie, '', 0, publicUrl));
}

function json(body: object, setCookie: string | undefined): RawReply {
  const headers = { 'content-type': 'application/json; charset=utf-8' };
  return new RawReply(
    200,
    setCookie === undefined ? headers : { ...headers, 'set-cookie': setCookie },
    JSON.stringify(body),
  );
}
