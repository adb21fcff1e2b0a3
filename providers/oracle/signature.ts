import { createHash, createPrivateKey, type KeyObject, sign } from 'node:crypto';
import { asString, GatewayError, type RequestToSign, type Settings } from 'portcullis/sdk';

const signedAlways = ['date', '(request-target)', 'host'] as const;
const signedWithBody = ['content-length', 'content-type', 'x-content-sha256'] as const;
const methodsWithBody = new Set(['POST', 'PUT', 'PATCH']);

/**
 * The headers of an API request signature, version 1 (draft-cavage-http-signatures-08 with RSA-SHA256). A body that flows
 * from a file is not part of it.
 * Source: https://docs.oracle.com/iaas/Content/API/Concepts/signingrequests.htm
 */
export function signatureHeaders(
  request: RequestToSign,
  settings: Settings,
  nowMs: number,
): Readonly<Record<string, string>> {
  const { host, pathname, search } = new URL(request.url);
  const date = new Date(nowMs).toUTCString();
  const withBody = methodsWithBody.has(request.method) && !request.flows;
  const body = Buffer.from(request.body ?? '');
  const added: Record<string, string> = withBody
    ? {
        'content-type': request.headers['content-type'] ?? 'application/json',
        'x-content-sha256': createHash('sha256').update(body).digest('base64'),
      }
    : {};
  const values: Readonly<Record<string, string>> = {
    date,
    '(request-target)': `${request.method.toLowerCase()} ${pathname}${search}`,
    host,
    'content-length': String(body.length),
    ...added,
  };
  const names = withBody ? [...signedAlways, ...signedWithBody] : signedAlways;
  const text = names.map((name) => `${name}: ${values[name]}`).join('\n');
  const signature = sign('RSA-SHA256', Buffer.from(text), keyOf(settings)).toString('base64');
  const keyId = [settings.oracleTenancy, settings.oracleUser, settings.oracleFingerprint].map(asString).join('/');
  const fields = [
    'version="1"',
    `keyId="${keyId}"`,
    'algorithm="rsa-sha256"',
    `headers="${names.join(' ')}"`,
    `signature="${signature}"`,
  ];
  return { ...added, date, authorization: `Signature ${fields.join(',')}` };
}

function keyOf({ oraclePrivateKey, oracleKeyPassphrase }: Settings): KeyObject {
  const passphrase = asString(oracleKeyPassphrase);
  const key = (asString(oraclePrivateKey) ?? '').replaceAll('\\n', '\n');
  try {
    return createPrivateKey({ key, ...(passphrase === undefined ? {} : { passphrase }) });
  } catch {
    // The cause may quote the key.
    throw new GatewayError(
      'missing_credentials',
      'oracle_private_key is no private key in PEM form, or oracle_key_passphrase does not open it.',
    );
  }
}
