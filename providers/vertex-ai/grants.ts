import { createPrivateKey, type KeyObject, sign } from 'node:crypto';
import { asString, GatewayError, type JsonObject, type TokenRequest } from 'portcullis/sdk';

export const scope = 'https://www.googleapis.com/auth/cloud-platform';
const published = 'https://oauth2.googleapis.com/token';

/** Where a signed assertion may go: a key file comes from a caller, who must not choose what the gateway connects to. */
const endpoints: ReadonlySet<string> = new Set([
  published,
  'https://accounts.google.com/o/oauth2/token',
  'https://www.googleapis.com/oauth2/v4/token',
]);

/** @throws GatewayError `bad_request` for any other address than Google's */
export function tokenUriOf(file: JsonObject): string {
  const uri = asString(file.token_uri) ?? published;
  if (endpoints.has(uri)) return uri;
  throw new GatewayError(
    'bad_request',
    `The token_uri of the credentials may only be ${[...endpoints].join(' or ')}.`,
    {
      param: 'token_uri',
    },
  );
}

/**
 * The grant of a service account, signed with its key: RFC 7523 and
 * https://developers.google.com/identity/protocols/oauth2/service-account#httprest
 * @throws GatewayError `bad_request` when the key file is not complete
 */
export function serviceAccountRequest(file: JsonObject, nowMs: number): TokenRequest {
  const url = tokenUriOf(file);
  const email = needed(file, 'client_email');
  const iat = Math.floor(nowMs / 1000);
  const kid = asString(file.private_key_id);
  const header = { alg: 'RS256', typ: 'JWT', ...(kid === undefined ? {} : { kid }) };
  const claims = { iss: email, sub: email, scope, aud: url, iat, exp: iat + 3600 };
  const signed = `${encoded(header)}.${encoded(claims)}`;
  const signature = sign('RSA-SHA256', Buffer.from(signed), keyOf(needed(file, 'private_key')));
  return {
    method: 'POST',
    url,
    form: {
      grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
      assertion: `${signed}.${signature.toString('base64url')}`,
    },
  };
}

/** The grant of a person who has signed in with gcloud (`authorized_user`): RFC 6749 §6. */
export function refreshRequest(file: JsonObject): TokenRequest {
  return {
    method: 'POST',
    url: tokenUriOf(file),
    form: {
      grant_type: 'refresh_token',
      client_id: needed(file, 'client_id'),
      client_secret: needed(file, 'client_secret'),
      refresh_token: needed(file, 'refresh_token'),
    },
  };
}

export function needed(file: JsonObject, name: string): string {
  const value = asString(file[name]);
  if (value !== undefined && value !== '') return value;
  throw new GatewayError('bad_request', `The credentials of vertex-ai hold no ${name}.`, { param: name });
}

const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

function keyOf(pem: string): KeyObject {
  try {
    // Environment variables often hold the line ends as text.
    return createPrivateKey(pem.replaceAll('\\n', '\n'));
  } catch {
    // Without its cause, which may quote the key.
    throw new GatewayError('bad_request', 'The private_key of the service account is not a key in PEM.', {
      param: 'private_key',
    });
  }
}
