import { type AuthTools, asNumber, asObject, asString, GatewayError, parseJson } from 'portcullis/sdk';

/** A token and when it ends, in epoch milliseconds. */
export interface Token {
  readonly token: string;
  readonly expiresAtMs: number;
}

/** Reads RFC 6749 §5.1. @throws GatewayError `upstream_error` when it holds no token */
export function tokenOf(
  { status, body }: { readonly status: number; readonly body: string },
  { now }: Pick<AuthTools, 'now'>,
): Token {
  const answer = asObject(parseJson(body));
  const token = asString(answer?.access_token);
  if (status === 200 && token !== undefined) {
    return { token, expiresAtMs: now() + (asNumber(Number(answer?.expires_in)) ?? 0) * 1000 };
  }
  throw new GatewayError(
    'upstream_error',
    `The token endpoint of vertex-ai answered with status ${status} and no token.`,
  );
}
