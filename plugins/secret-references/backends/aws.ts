import { asString } from 'portcullis/sdk';
import { type FaultKind, SecretFault } from '../fault.ts';
import { awsCredentials, awsHost, awsRegion } from './aws-credentials.ts';
import { call, type Place, type Reach, statusFault } from './reach.ts';
import { signed } from './sign-v4.ts';

const faults: Readonly<Record<string, FaultKind>> = {
  ResourceNotFoundException: 'missing',
  AccessDeniedException: 'denied',
  UnrecognizedClientException: 'denied',
  InvalidSignatureException: 'denied',
  ExpiredTokenException: 'denied',
  IncompleteSignature: 'denied',
  DecryptionFailure: 'denied',
  ThrottlingException: 'broken',
};

/** AWS Secrets Manager, `GetSecretValue`: the path is a name or an ARN. */
export function awsSecretsManager(reach: Reach) {
  const credentials = awsCredentials(reach);
  return async ({ auth, path }: Place): Promise<string> => {
    const region = awsRegion(reach, auth);
    const url = new URL(`https://${awsHost('secretsmanager', region)}/`);
    const body = JSON.stringify({ SecretId: path });
    const headers = signed(
      {
        method: 'POST',
        url,
        headers: { 'content-type': 'application/x-amz-json-1.1', 'x-amz-target': 'secretsmanager.GetSecretValue' },
        body,
      },
      { credentials: await credentials.of(auth, region), region, service: 'secretsmanager', now: reach.now() },
    );
    const { status, json } = await call(reach, url.href, { method: 'POST', headers, body });
    if (status !== 200) {
      // The type may carry a namespace: `com.amazonaws.secretsmanager#ResourceNotFoundException`.
      const kind = faults[(asString(json.__type) ?? '').split('#').at(-1) ?? ''];
      throw kind === undefined ? statusFault(status) : new SecretFault(kind);
    }
    const binary = asString(json.SecretBinary);
    const value =
      asString(json.SecretString) ??
      (binary === undefined ? undefined : Buffer.from(binary, 'base64').toString('utf8'));
    if (value === undefined) throw new SecretFault('broken');
    return value;
  };
}
