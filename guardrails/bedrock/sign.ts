import { createHash, createHmac } from 'node:crypto';

/** What AWS knows a caller by. */
export interface AwsKeys {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

export interface Unsigned {
  readonly method: string;
  readonly url: string;
  /** Headers that are signed beside host and date. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Default: none. */
  readonly body?: string;
  readonly service: string;
  readonly region: string;
  /** Epoch milliseconds. */
  readonly now: number;
}

/**
 * The headers that a call must carry beside those given: Signature Version 4.
 * Source: https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
 */
export function signed(request: Unsigned, keys: AwsKeys): Readonly<Record<string, string>> {
  const { method, url: text, headers = {}, body = '', service, region, now } = request;
  const url = new URL(text);
  const date = new Date(now).toISOString().replace(/[:-]|\.\d{3}/g, '');
  const own: Record<string, string> = { 'x-amz-date': date };
  if (keys.sessionToken !== undefined) own['x-amz-security-token'] = keys.sessionToken;
  const covered = Object.entries({ ...headers, ...own, host: url.host })
    .map(([name, value]) => [name.toLowerCase(), value.trim().replace(/ +/g, ' ')] as const)
    .toSorted(byName);
  const names = covered.map(([name]) => name).join(';');
  const lines = covered.map(([name, value]) => `${name}:${value}\n`).join('');
  const canonical = [method, pathOf(url), queryOf(url), lines, names, sha256(body)].join('\n');
  const scope = `${date.slice(0, 8)}/${region}/${service}/aws4_request`;
  const toSign = ['AWS4-HMAC-SHA256', date, scope, sha256(canonical)].join('\n');
  const key = scope.split('/').reduce<string | Buffer>(hmac, `AWS4${keys.secretAccessKey}`);
  const signature = hmac(key, toSign).toString('hex');
  const authorization = `AWS4-HMAC-SHA256 Credential=${keys.accessKeyId}/${scope}, SignedHeaders=${names}, Signature=${signature}`;
  return { ...own, authorization };
}

/** Every service but S3 signs the path encoded once more than it is sent. */
function pathOf({ pathname }: URL): string {
  return pathname.split('/').map(encoded).join('/');
}

function queryOf({ searchParams }: URL): string {
  const pairs = [...searchParams].map(([name, value]) => [encoded(name), encoded(value)] as const);
  return pairs
    .toSorted((a, b) => byName(a, b) || (a[1] < b[1] ? -1 : 1))
    .map((pair) => pair.join('='))
    .join('&');
}

function byName([a]: readonly [string, string], [b]: readonly [string, string]): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

function encoded(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
}

function sha256(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex');
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text, 'utf8').digest();
}
