import { asObject, asString, GatewayError, type JsonObject, parseJson } from 'portcullis/sdk';

const maxTokenLength = 16_384;

/**
 * Where a token says that it is good for: its claim `opaque.apex-url`, a URL or a host name. Nobody has verified the
 * token, so only places of the vendor count.
 * @throws GatewayError `check_failed`
 */
export function apexOf(token: string): string {
  const claim = asString(asObject(claimsOf(token)?.opaque)?.['apex-url']) ?? '';
  const text = claim.includes('://') ? claim : `https://${claim}`;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const trusted = url?.protocol === 'https:' && `.${url.hostname}`.endsWith('.acuvity.ai');
  if (url !== undefined && trusted && url.username === '' && url.password === '') return url.origin;
  const why = 'The credential apiKey must be a token of Acuvity that names an https place below acuvity.ai.';
  throw new GatewayError('check_failed', why, { param: 'apiKey' });
}

function claimsOf(token: string): JsonObject | undefined {
  const [, claims, ...others] = token.length > maxTokenLength ? [] : token.split('.');
  if (claims === undefined || others.length !== 1) return undefined;
  return asObject(parseJson(Buffer.from(claims, 'base64url').toString('utf8')));
}
