import { createHmac, hash } from 'node:crypto';

/** What AWS knows a caller by. */
export interface AwsKeys {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Of temporary keys. */
  readonly sessionToken?: string;
}

export interface AwsRequest {
  readonly method: string;
  /** With query. */
  readonly url: string;
  /** Lower-case names. `content-type`, `content-md5` and all of `x-amz-*` are signed. */
  readonly headers: Readonly<Record<string, string>>;
  /** Undefined: none. Null: its digest is not known, which S3 alone takes. */
  readonly body: string | Uint8Array | undefined | null;
}

export interface AwsScope {
  /** As in the credential scope: `s3`, `sts`. */
  readonly service: string;
  readonly region: string;
  /** Epoch milliseconds. */
  readonly now: number;
}

const algorithm = 'AWS4-HMAC-SHA256';
const emptyDigest = hash('sha256', '');
const unsignedPayload = 'UNSIGNED-PAYLOAD';
const signedNames = /^(content-type|content-md5|x-amz-.*)$/;

/**
 * The headers that a request must carry beside its own: Signature Version 4 in a header.
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
 */
export function awsHeaders(request: AwsRequest, keys: AwsKeys, scope: AwsScope): Readonly<Record<string, string>> {
  const { service, region, now } = scope;
  const url = new URL(request.url);
  const stamp = new Date(now).toISOString().replace(/[-:]|\.\d{3}/g, '');
  const digest = digestOf(request.body);
  const own: Record<string, string> = { 'x-amz-date': stamp };
  if (keys.sessionToken !== undefined) own['x-amz-security-token'] = keys.sessionToken;
  // Where it is there, it counts in place of the digest.
  const told = request.headers['x-amz-content-sha256'] !== undefined;
  if (service === 's3' || told) own['x-amz-content-sha256'] = digest;
  const covered = Object.entries({ ...request.headers, ...own })
    .filter(([name]) => signedNames.test(name))
    .concat([['host', url.host]])
    .toSorted(([a], [b]) => compare(a, b));
  const names = covered.map(([name]) => name).join(';');
  const lines = covered.map(([name, value]) => `${name}:${value.trim().replace(/\s+/g, ' ')}\n`).join('');
  const path = service === 's3' ? plainPath(url) : encodedPath(url);
  const canonical = [request.method, path, canonicalQuery(url), lines, names, digest].join('\n');
  const place = `${stamp.slice(0, 8)}/${region}/${service}/aws4_request`;
  const text = [algorithm, stamp, place, hash('sha256', canonical)].join('\n');
  const signature = createHmac('sha256', signingKey(keys, place)).update(text).digest('hex');
  const authorization = `${algorithm} Credential=${keys.accessKeyId}/${place}, SignedHeaders=${names}, Signature=${signature}`;
  return { ...own, authorization };
}

const mostKeys = 256;
const derived = new Map<string, Buffer>();

/** The key of one day, region and service; it is derived once. */
function signingKey({ secretAccessKey }: AwsKeys, place: string): Buffer {
  const name = hash('sha256', `${place}\n${secretAccessKey}`);
  const known = derived.get(name);
  if (known !== undefined) return known;
  const key = place
    .split('/')
    .reduce<Buffer>(
      (secret, part) => createHmac('sha256', secret).update(part).digest(),
      Buffer.from(`AWS4${secretAccessKey}`, 'utf8'),
    );
  if (derived.size >= mostKeys) derived.clear();
  derived.set(name, key);
  return key;
}

function digestOf(body: AwsRequest['body']): string {
  if (body === undefined) return emptyDigest;
  return body === null ? unsignedPayload : hash('sha256', body);
}

/** Every service but S3 signs each segment encoded once more than it is sent, without empty ones. */
function encodedPath({ pathname }: URL): string {
  const segments = pathname.split('/').filter((segment) => segment !== '');
  const tail = segments.length > 0 && pathname.endsWith('/') ? '/' : '';
  return `/${segments.map(awsEncoded).join('/')}${tail}`;
}

/** S3 signs the path as it understands it: each segment decoded, and encoded by its own rules. */
function plainPath({ pathname }: URL): string {
  return pathname
    .split('/')
    .map((segment) => awsEncoded(decoded(segment)))
    .join('/');
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

function canonicalQuery({ searchParams }: URL): string {
  return [...searchParams]
    .map(([name, value]) => [awsEncoded(name), awsEncoded(value)] as const)
    .sort(([a, x], [b, y]) => compare(a, b) || compare(x, y))
    .map(([name, value]) => `${name}=${value}`)
    .join('&');
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** RFC 3986: everything but letters, digits, `-`, `.`, `_` and `~`. */
export function awsEncoded(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
