import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

export interface S3 {
  /** `http://127.0.0.1:port`; the bucket stands in the path. */
  readonly endpoint: string;
  /** Bytes by `bucket/key`, as they were put. */
  readonly objects: Map<string, Buffer>;
  /** Status of every reply, in their order. */
  readonly statuses: number[];
  /** Given: every request is answered with this status, or not at all with 'silence'. */
  failing: number | 'silence' | undefined;
  close(): Promise<void>;
}

interface Credentials {
  readonly accessKey: string;
  readonly secretKey: string;
  readonly region: string;
}

/** An object store of loopback that keeps objects in memory and believes no request whose AWS signature (version 4) is not right. */
export async function startS3(credentials: Credentials): Promise<S3> {
  const objects = new Map<string, Buffer>();
  const statuses: number[] = [];
  const server = createServer(async (request, response) => {
    const body = await buffer(request);
    if (s3.failing === 'silence') return;
    const { status, bytes } =
      s3.failing === undefined ? answer(request, body, objects, credentials) : { status: s3.failing, bytes: undefined };
    statuses.push(status);
    response.writeHead(status).end(bytes);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const s3: S3 = {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    objects,
    statuses,
    failing: undefined,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return s3;
}

interface Reply {
  readonly status: number;
  readonly bytes: Buffer | undefined;
}

function answer(request: IncomingMessage, body: Buffer, objects: Map<string, Buffer>, credentials: Credentials): Reply {
  if (!isSigned(request, body, credentials)) return { status: 403, bytes: undefined };
  const key = decodeURIComponent(new URL(request.url ?? '/', 'http://x').pathname.slice(1));
  if (request.method === 'PUT') {
    objects.set(key, body);
    return { status: 200, bytes: undefined };
  }
  const bytes = objects.get(key);
  if (request.method !== 'GET') return { status: 405, bytes: undefined };
  return bytes === undefined ? { status: 404, bytes: undefined } : { status: 200, bytes };
}

const header =
  /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/;

/** The signature as the documents of AWS say to make it, worked out from the request that came. */
function isSigned(request: IncomingMessage, body: Buffer, { accessKey, secretKey, region }: Credentials): boolean {
  const [, key, date = '', place, names = '', signature = ''] = header.exec(request.headers.authorization ?? '') ?? [];
  if (key !== accessKey || place !== region) return false;
  const stamp = String(request.headers['x-amz-date']);
  const digest = String(request.headers['x-amz-content-sha256'] ?? '');
  if (digest !== 'UNSIGNED-PAYLOAD' && digest !== sha256(body)) return false;
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://x');
  const query = [...searchParams]
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
    .sort();
  const headers = names.split(';').map((name) => `${name}:${String(request.headers[name] ?? '').trim()}\n`);
  const canonical = [request.method, pathname, query.join('&'), headers.join(''), names, digest].join('\n');
  const scope = `${date}/${region}/s3/aws4_request`;
  const text = ['AWS4-HMAC-SHA256', stamp, scope, sha256(canonical)].join('\n');
  const signing = [date, region, 's3', 'aws4_request'].reduce<string | Buffer>(
    (last, part) => createHmac('sha256', last).update(part).digest(),
    `AWS4${secretKey}`,
  );
  const expected = createHmac('sha256', signing).update(text).digest();
  return timingSafeEqual(expected, Buffer.from(signature, 'hex'));
}

function sha256(of: string | Buffer): string {
  return createHash('sha256').update(of).digest('hex');
}
