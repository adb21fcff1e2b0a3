import { authorizationCodeGrant, type Configuration, fetchUserInfo } from 'openid-client';
import { type Action, GatewayError, type JsonObject, type Operation, RawReply, schema } from 'portcullis/sdk';
import { cookie, cookieIn, oidcCookie } from '../cookie.ts';
import { note } from '../journal.ts';
import { clientOf, openSession } from '../live.ts';
import { anywhere, apart, type Parts } from '../parts.ts';
import { sessionCookieFor } from '../replies.ts';
import { admit, type Claimed, claimedOf } from './admission.ts';
import type { Oidc } from './sign-on.ts';

interface Begun {
  readonly organisationId: string;
  readonly nonce: string;
  readonly verifier: string;
  readonly returnTo: string;
}

/** Takes the browser back from the provider, and gives it a session. */
export function finish({ host, settings }: Parts, oidc: Oidc): Action {
  return apart({
    method: 'get',
    path: '/auth/oidc/callback',
    summary: 'Where the sign-on provider sends people back to',
    needs: 'public',
    query: schema.Object({
      state: schema.Optional(schema.String()),
      code: schema.Optional(schema.String()),
      error: schema.Optional(schema.String()),
    }),
    status: 302,
    run: async (operation) => {
      const begun = await host.transaction(anywhere, (own) => takeBegun(own, operation));
      if (begun === undefined) {
        throw new GatewayError(
          'bad_request',
          'This log-in was not begun in this browser, is over already, or took too long. Begin again at /v1/auth/oidc/login.',
          { param: 'state' },
        );
      }
      const configuration = await oidc.provider();
      const claimed = await confirmed(
        configuration,
        callbackUrl(oidc.redirectUri(), operation.query),
        begun,
        operation.query.state ?? '',
      ).catch((error: unknown) => {
        host.log.warn('oidc_refused', { reason: reasonOf(error) });
        throw new GatewayError('unauthenticated', 'The sign-on provider did not confirm who you are.', {
          cause: error,
        });
      });
      const { organisationId, returnTo } = begun;
      const admitted = await host.transaction({ organisationId }, async (own) => {
        const person = await admit(own, organisationId, claimed);
        if ('refused' in person) {
          const who = { organisation_id: organisationId, email: claimed.email ?? '' };
          await note(own, operation, who, { action: 'login_failed', status: 403, detail: { method: 'oidc' } });
          return person;
        }
        const client = clientOf(operation);
        const session = await openSession(own, host, person, { method: 'oidc', ttlMs: settings.ttlMs, client });
        await note(own, operation, person, { action: 'login', resourceId: session.id, detail: { method: 'oidc' } });
        return session;
      });
      if ('refused' in admitted) throw new GatewayError('forbidden', admitted.refused);
      return new RawReply(302, {
        location: returnTo,
        'set-cookie': [sessionCookieFor(admitted, host.publicUrl), cookie(oidcCookie, '', 0, host.publicUrl)],
        'referrer-policy': 'no-referrer',
      });
    },
  });
}

/** What was begun with this state in this browser. It is gone afterwards, whatever comes of it. */
async function takeBegun(own: Operation, { query, header }: Operation): Promise<Begun | undefined> {
  const browser = cookieIn(header('cookie'), oidcCookie);
  if (query.state === undefined || browser === undefined || browser === '') return undefined;
  const digest = own.digest(query.state);
  const mine = () => own.db('oidc_states').where({ digest, browser: own.digest(browser) });
  const row = await mine().first('organisation_id', 'sealed', 'expires_at');
  if (row === undefined || (await mine().delete()) !== 1 || Number(row.expires_at) <= own.now) return undefined;
  const secrets = JSON.parse(own.unseal(row.sealed, `oidc_states/${digest}`)) as Omit<Begun, 'organisationId'>;
  return { ...secrets, organisationId: row.organisation_id };
}

/** What came back, at the address that the provider was told: a proxy may have changed the one that was asked. */
function callbackUrl(redirectUri: string, query: Readonly<Record<string, unknown>>): URL {
  const url = new URL(redirectUri);
  for (const [name, value] of Object.entries(query)) {
    for (const one of Array.isArray(value) ? value : [value]) url.searchParams.append(name, String(one));
  }
  return url;
}

async function confirmed(
  configuration: Configuration,
  url: URL,
  { nonce, verifier }: Begun,
  state: string,
): Promise<Claimed> {
  const tokens = await authorizationCodeGrant(configuration, url, {
    expectedState: state,
    expectedNonce: nonce,
    pkceCodeVerifier: verifier,
    idTokenExpected: true,
  });
  const claims = tokens.claims();
  if (claims === undefined) throw new TypeError('there is no id token');
  if (claims.email !== undefined || configuration.serverMetadata().userinfo_endpoint === undefined) {
    return claimedOf(claims as unknown as JsonObject);
  }
  return claimedOf((await fetchUserInfo(configuration, tokens.access_token, claims.sub)) as unknown as JsonObject);
}

/** Codes and library texts alone: what the provider wrote may hold anything. */
function reasonOf(error: unknown): string {
  const { code, message } = error as { code?: unknown; message?: unknown };
  return [code, message]
    .filter((part) => typeof part === 'string')
    .join(': ')
    .slice(0, 200);
}
