import {
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
} from 'openid-client';
import { type Action, GatewayError, type JsonObject, RawReply, schema } from 'portcullis/sdk';
import { enter, placeOf } from '../attempts.ts';
import { cookie, oidcCookie } from '../cookie.ts';
import { anywhere, apart, type Parts } from '../parts.ts';
import { organisationNamed } from '../people.ts';
import { organisationField } from '../replies.ts';
import type { Oidc } from './sign-on.ts';

/** How long a person may take at the provider. */
const begunSeconds = 600;

/** Sends the browser to the provider. What comes back is taken from this browser alone, and once. */
export function begin({ host }: Parts, { provider, settings, redirectUri }: Oidc): Action {
  return apart({
    method: 'get',
    path: '/auth/oidc/login',
    summary: 'Log in at the sign-on provider of the organisation',
    needs: 'public',
    query: schema.Object({
      organisation: organisationField,
      return_to: schema.Optional(schema.String({ description: 'Where to go afterwards: a path of this gateway.' })),
    }),
    status: 302,
    run: async ({ query, clientIp }) => {
      const returnTo = checkedPath(query.return_to ?? '/');
      const [state, nonce, verifier, browser] = [randomState(), randomNonce(), randomPKCECodeVerifier(), randomState()];
      await host.transaction(anywhere, async (own) => {
        await enter(own, [{ rule: 'address', of: `oidc ${placeOf(clientIp)}` }]);
        const organisationId = await organisationNamed(own, query.organisation);
        if (organisationId === undefined) {
          throw new GatewayError('not_found', 'There is no such organisation.', { param: 'organisation' });
        }
        const digest = own.digest(state);
        const secrets: JsonObject = { nonce, verifier, returnTo };
        await own.db('oidc_states').insert({
          digest,
          organisation_id: organisationId,
          browser: own.digest(browser),
          sealed: own.seal(JSON.stringify(secrets), `oidc_states/${digest}`),
          expires_at: own.now + begunSeconds * 1000,
        });
      });
      const target = buildAuthorizationUrl(await provider(), {
        redirect_uri: redirectUri(),
        scope: settings.scope,
        state,
        nonce,
        code_challenge: await calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
      });
      return new RawReply(302, {
        location: target.href,
        'set-cookie': cookie(oidcCookie, browser, begunSeconds, host.publicUrl),
        'referrer-policy': 'no-referrer',
      });
    },
  });
}

/** @throws GatewayError `bad_request` for anything but a path of this origin, however a browser might read it */
export function checkedPath(path: string): string {
  const here = 'http://gateway.invalid';
  const isPath = /^\/(?![/\\])[^\\\p{Cc}]{0,1023}$/u.test(path);
  if (isPath && URL.canParse(path, here) && new URL(path, here).origin === here) return path;
  throw new GatewayError('bad_request', 'return_to must be a path of this gateway, such as /settings.', {
    param: 'return_to',
  });
}
