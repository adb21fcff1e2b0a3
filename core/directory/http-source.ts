import { GatewayError } from 'portcullis/sdk';
import { Pool } from 'undici';
import { checksumWith } from '../secrets/checksum.ts';
import { notReady } from './outage.ts';
import type { DirectorySource } from './source.ts';
import { pathText, readEntry, readKeys, readVersionsBody, servicePaths } from './wire.ts';

export interface HttpSourceOptions {
  /** As `controlPlaneUrl` has let it pass. */
  readonly url: URL;
  readonly serviceToken: string;
  /** Vendor segment of the header that carries the token. Default `gw`. */
  readonly headerVendor?: string;
  /** Where the routes stand below the URL. Default `/v2`. */
  readonly mount?: string;
}

/** A control plane that is reached over HTTP. */
export interface HttpSource extends DirectorySource {
  /** As `Vault.checksum`; undefined until the first answer of the control plane. */
  checksum(text: string): string | undefined;
}

interface Reply {
  readonly status: number;
  readonly body: unknown;
}

const connections = 32;
const connectMs = 1_000;
const answerMs = 5_000;
const keepAliveMs = 30_000;
const largestReply = 16 * 1024 * 1024;
// Keys change only with the database itself.
const keysEvery = 100;

/** Reads records from a control plane. Follows no redirect and repeats nothing: the directory does. */
export function createHttpSource({
  url,
  serviceToken,
  headerVendor = 'gw',
  mount = '/v2',
}: HttpSourceOptions): HttpSource {
  const base = `${url.pathname.replace(/\/+$/, '')}${mount}`;
  const headers = { [`x-${headerVendor}-service-token`]: serviceToken, accept: 'application/json' };
  const pool = new Pool(url.origin, {
    connections,
    pipelining: 1,
    allowH2: false,
    connect: { timeout: connectMs },
    headersTimeout: answerMs,
    bodyTimeout: answerMs,
    keepAliveTimeout: keepAliveMs,
  });
  let checksum: ((text: string) => string) | undefined;
  let asked = 0;

  const ask = async (path: string, signal: AbortSignal): Promise<Reply> => {
    try {
      const reply = await pool.request({ method: 'GET', path: base + path, headers, signal });
      return { status: reply.statusCode, body: parsed(await textOf(reply.body)) };
    } catch (cause) {
      if (GatewayError.is(cause)) throw cause;
      throw notReady('The control plane cannot be reached.', 1, cause);
    }
  };
  const readChecksumKey = async (signal: AbortSignal): Promise<void> => {
    const reply = await ask(servicePaths.keys, signal);
    const key = reply.status === 200 ? readKeys(reply.body) : undefined;
    if (key === undefined) throw refusalOf(reply);
    checksum = checksumWith(key);
  };

  return {
    load: async (kind, path, signal) => {
      const query = encodeURIComponent(pathText(path));
      const reply = await ask(`${servicePaths.entry.replace(':kind', kind)}?path=${query}`, signal);
      const read = readEntry(reply.body);
      // A 404 of a proxy, or of a wrong URL, is no news about the record.
      if (read !== undefined && reply.status === (read.entry === undefined ? 404 : 200)) return read;
      throw refusalOf(reply);
    },
    versions: async (since, signal) => {
      if (checksum === undefined || asked % keysEvery === 0) await readChecksumKey(signal);
      const reply = await ask(`${servicePaths.versions}?since=${since}`, signal);
      const read = reply.status === 200 ? readVersionsBody(reply.body) : undefined;
      if (read === undefined) throw refusalOf(reply);
      asked += 1;
      return read;
    },
    checksum: (text) => checksum?.(text),
    close: () => pool.destroy(),
  };
}

async function textOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > largestReply) throw notReady(`The control plane answered with more than ${largestReply} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A fault of one record stays one of that record; everything else says that the control plane is away, or not one. */
function refusalOf({ status, body }: Reply): GatewayError {
  if (status === 401 || status === 403) {
    return notReady('The control plane refuses this gateway: SERVICE_TOKEN is not the one that it was started with.');
  }
  const answered = typeof body === 'object' && body !== null;
  if (answered && (status === 400 || status === 500)) {
    return new GatewayError('internal', `The control plane cannot give the record: it answered with ${status}.`);
  }
  return notReady(`The control plane cannot be asked at the moment: it answered with ${status}.`);
}
