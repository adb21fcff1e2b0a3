import { createHash, generateKeyPairSync, type KeyObject, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { exportJWK, SignJWT, UnsecuredJWT } from 'jose';
import { compact, type Json, type JsonObject } from 'portcullis/sdk';

export const client = { id: 'gate', secret: 'the client secret' } as const;

/** What a test changes about the provider's answer. */
export interface Answer {
  /** Over what an honest provider claims; null leaves a claim out. */
  readonly claims?: JsonObject;
  readonly signedBy?: KeyObject;
  readonly unsigned?: boolean;
  readonly kid?: string;
}

interface Granted {
  readonly challenge: string;
  readonly redirectUri: string;
  readonly nonce: string;
  readonly person: JsonObject;
  readonly answer: Answer;
}

/** An OpenID provider of the authorisation code flow, on a free port: it demands PKCE, its client's secret, and each code once. */
export async function signOnProvider({ nowSeconds }: { readonly nowSeconds: () => number }) {
  const keys = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const jwk = { ...(await exportJWK(keys.publicKey)), kid: 'one', alg: 'RS256', use: 'sig' };
  const granted = new Map<string, Granted>();
  const people = new Map<string, JsonObject>();
  const asked: string[] = [];

  const idToken = async ({ nonce, person, answer }: Granted): Promise<string> => {
    const claims: Record<string, Json> = {
      iss: issuer,
      aud: client.id,
      sub: 'subject-1',
      iat: nowSeconds(),
      exp: nowSeconds() + 300,
      nonce,
      ...person,
      ...answer.claims,
    };
    const given = Object.fromEntries(Object.entries(claims).filter(([, value]) => value !== null));
    if (answer.unsigned === true) return new UnsecuredJWT(given).encode();
    return new SignJWT(given)
      .setProtectedHeader({ alg: 'RS256', kid: answer.kid ?? 'one' })
      .sign(answer.signedBy ?? keys.privateKey);
  };

  const exchanged = async (request: IncomingMessage): Promise<{ status: number; body: JsonObject }> => {
    const form = new URLSearchParams(await text(request));
    const basic = `Basic ${Buffer.from(`${client.id}:${encodeURIComponent(client.secret).replaceAll('%20', '+')}`).toString('base64')}`;
    if (request.headers.authorization !== basic) return { status: 401, body: { error: 'invalid_client' } };
    const code = form.get('code') ?? '';
    const grant = granted.get(code);
    granted.delete(code);
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    if (grant === undefined || challenge !== grant.challenge || form.get('redirect_uri') !== grant.redirectUri) {
      return { status: 400, body: { error: 'invalid_grant' } };
    }
    const accessToken = randomUUID();
    people.set(`Bearer ${accessToken}`, grant.person);
    return {
      status: 200,
      body: { access_token: accessToken, token_type: 'Bearer', expires_in: 300, id_token: await idToken(grant) },
    };
  };

  const server = createServer(async (request, response) => {
    const path = request.url?.split('?')[0] ?? '';
    asked.push(path);
    const send = (status: number, body: unknown) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    if (path === '/.well-known/openid-configuration') return send(200, metadata());
    if (path === '/jwks') return send(200, { keys: [jwk] });
    if (path === '/token') {
      const { status, body } = await exchanged(request);
      return send(status, body);
    }
    const person = people.get(request.headers.authorization ?? '');
    if (path === '/userinfo' && person !== undefined) {
      return send(200, { sub: 'subject-1', email: 'bob@example.com', email_verified: true });
    }
    return send(404, {});
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const metadata = () => ({
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/jwks`,
    userinfo_endpoint: `${issuer}/userinfo`,
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
    code_challenge_methods_supported: ['S256'],
  });

  return {
    issuer,
    asked,
    /** What the person's browser brings back from the authorisation URL: the query of the callback. */
    authorise: (location: string, person: JsonObject, answer: Answer = {}): URLSearchParams => {
      const asking = new URL(location).searchParams;
      const code = randomUUID();
      granted.set(code, {
        challenge: asking.get('code_challenge') ?? '',
        redirectUri: asking.get('redirect_uri') ?? '',
        nonce: asking.get('nonce') ?? '',
        person: compact(person),
        answer,
      });
      return new URLSearchParams({ code, state: asking.get('state') ?? '' });
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
