import { GatewayError } from 'portcullis/sdk';
import { checksumWith } from '../secrets/checksum.ts';
import { type ControlPlaneAccess, type ControlPlaneReply, controlPlaneLink, refusalOf } from './control-plane-link.ts';
import type { DirectorySource } from './source.ts';
import { pathText, readEntry, readKeys, readVersionsBody, servicePaths } from './wire.ts';

/** A control plane that is reached over HTTP. */
export interface HttpSource extends DirectorySource {
  /** As `Vault.checksum`; undefined until the first answer of the control plane. */
  checksum(text: string): string | undefined;
}

const bounds = { connections: 32, largestReply: 16 * 1024 * 1024, keepAliveMs: 30_000 };
// Keys change only with the database itself.
const keysEvery = 100;

/** Reads records from a control plane. Repeats nothing: the directory does. */
export function createHttpSource(access: ControlPlaneAccess): HttpSource {
  const { ask, close } = controlPlaneLink(access, bounds);
  let checksum: ((text: string) => string) | undefined;
  let asked = 0;

  const readChecksumKey = async (signal: AbortSignal): Promise<void> => {
    const reply = await ask(servicePaths.keys, { signal });
    const key = reply.status === 200 ? readKeys(reply.body) : undefined;
    if (key === undefined) throw faultOf(reply);
    checksum = checksumWith(key);
  };

  return {
    load: async (kind, path, signal) => {
      const query = encodeURIComponent(pathText(path));
      const reply = await ask(`${servicePaths.entry.replace(':kind', kind)}?path=${query}`, { signal });
      const read = readEntry(reply.body);
      // A 404 of a proxy, or of a wrong URL, is no news about the record.
      if (read !== undefined && reply.status === (read.entry === undefined ? 404 : 200)) return read;
      throw faultOf(reply);
    },
    versions: async (since, signal) => {
      if (checksum === undefined || asked % keysEvery === 0) await readChecksumKey(signal);
      const reply = await ask(`${servicePaths.versions}?since=${since}`, { signal });
      const read = reply.status === 200 ? readVersionsBody(reply.body) : undefined;
      if (read === undefined) throw faultOf(reply);
      asked += 1;
      return read;
    },
    checksum: (text) => checksum?.(text),
    close,
  };
}

/** A fault of one record stays one of that record; everything else says that the control plane is away, or not one. */
function faultOf({ status, body }: ControlPlaneReply): GatewayError {
  const answered = typeof body === 'object' && body !== null;
  if (!answered || (status !== 400 && status !== 500)) return refusalOf(status);
  return new GatewayError('internal', `The control plane cannot give the record: it answered with ${status}.`);
}
