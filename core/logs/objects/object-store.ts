import { AwsClient } from 'aws4fetch';
import type { LogBodies, LogRow } from 'portcullis/sdk';
import { StoreTimeout } from '../../store/failures.ts';
import { packBodies, unpackBodies } from '../bodies-text.ts';
import type { ObjectReader } from '../engine.ts';
import type { ObjectSettings } from '../settings.ts';
import { bucketUrl, objectPath } from './paths.ts';

export interface ObjectStore extends ObjectReader {
  /** @throws Error when the store has not taken it */
  put(row: LogRow, bodies: LogBodies): Promise<void>;
}

/**
 * Bodies as gzip'd JSON, one object a request, in a store that speaks the protocol of S3.
 * @param onDamaged told of a request whose object holds no bodies: it reads as if the object were gone
 */
export function objectStore(
  settings: ObjectSettings,
  timeoutMs: number,
  onDamaged?: (row: LogRow) => void,
): ObjectStore {
  const { accessKey, secretKey, region, basePath, pathFormat } = settings;
  const client = new AwsClient({
    accessKeyId: accessKey,
    secretAccessKey: secretKey,
    service: 's3',
    region,
    // The breaker decides about further tries.
    retries: 0,
  });
  const bucket = bucketUrl(settings);
  const ask = (row: LogRow, format: 'v1' | 'v2', init: RequestInit): Promise<Response> =>
    client.fetch(`${bucket}${objectPath(row, format, basePath)}`, { ...init, signal: AbortSignal.timeout(timeoutMs) });
  return {
    put: async (row, bodies) => {
      const body = new Uint8Array(packBodies(bodies));
      // Without content-encoding: clients on the way would unpack it, or not, as they like.
      const headers = { 'content-type': 'application/gzip' };
      const reply = await ask(row, pathFormat, { method: 'PUT', headers, body });
      await reply.arrayBuffer();
      if (!reply.ok) throw new Error(`The object store answered with status ${reply.status}.`);
    },
    get: async (row, format) => {
      const reply = await ask(row, format, { method: 'GET' });
      const bytes = new Uint8Array(await reply.arrayBuffer());
      if (reply.status === 404) return undefined;
      if (reply.status >= 500) throw new StoreTimeout(`The object store answered with status ${reply.status}.`);
      if (!reply.ok) throw new Error(`The object store answered with status ${reply.status}.`);
      const bodies = unpackBodies(bytes);
      if (bodies === undefined) onDamaged?.(row);
      return bodies;
    },
    close: async () => {},
  };
}
