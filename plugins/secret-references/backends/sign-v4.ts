import { createHmac, hash } from 'node:crypto';

export interface AwsCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

export interface Signable {
  readonly method: string;
  readonly url: URL;
  /** Lower-case names, without host; all are signed. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface SigningScope {
  readonly credentials: AwsCredentials;
  readonly region: string;
  readonly service: string;
  /** Epoch milliseconds. */
  readonly now: number;
}

const algorithm = 'AWS4-HMAC-SHA256';

/** The headers to send: those given, with date and authorization. Signature Version 4, for every service but S3. */
export function signed(request: Signable, scope: SigningScope): Readonly<Record<string, string>> {
  const { credentials, region, service } = scope;
  const stamp = new Date(scope.now).toISOString().replace(/[-:]|\.\d{3}/g, '');
  const day = stamp.slice(0, 8);
  const headers: Record<string, string> = {
    ...request.headers,
    'x-amz-date': stamp,
    ...(credentials.sessionToken === undefined ? {} : { 'x-amz-security-token': credentials.sessionToken }),
  };
  const covered: Record<string, string> = { ...headers, host: request.url.host };
  const names = Object.keys(covered).sort();
  const canonical = [
    request.method,
    canonicalPath(request.url),
    canonicalQuery(request.url),
    ...names.map((name) => `${name}:${(covered[name] ?? '').trim().replace(/ +/g, ' ')}`),
    '',
    names.join(';'),
    hash('sha256', request.body),
  ].join('\n');
  const place = `${day}/${region}/${service}/aws4_request`;
  const text = [algorithm, stamp, place, hash('sha256', canonical)].join('\n');
  const key = [day, region, service, 'aws4_request'].reduce<string | Buffer>(
    (secret, part) => createHmac('sha256', secret).update(part).digest(),
    `AWS4${credentials.secretAccessKey}`,
  );
  const signature = createHmac('sha256', key).update(text).digest('hex');
  const authorization = `${algorithm} Credential=${credentials.accessKeyId}/${place}, SignedHeaders=${names.join(';')}, Signature=${signature}`;
  return { ...headers, authorization };
}

/** Each segment is encoded once more than it is on the wire. */
function canonicalPath({ pathname }: URL): string {
  return pathname.split('/').map(strict).join('/');
}

function canonicalQuery({ searchParams }: URL): string {
  return [...searchParams]
    .map(([name, value]) => [strict(name), strict(value)] as const)
    .sort(([a, x], [b, y]) => (a === b ? compare(x, y) : compare(a, b)))
    .map(([name, value]) => `${name}=${value}`)
    .join('&');
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** RFC 3986: what `encodeURIComponent` leaves alone and the signature does not. */
function strict(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
