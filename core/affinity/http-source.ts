import type { Json, JsonObject } from 'portcullis/sdk';
import { type ControlPlaneAccess, controlPlaneLink, refusalOf } from '../directory/control-plane-link.ts';
import type { AffinityRow } from './rows.ts';
import { type AffinitySource, mostAtOnce, parts } from './source.ts';
import { affinityPaths, changesBody, readDone, readRows } from './wire.ts';

const bounds = { connections: 4, largestReply: 4 * 1024 * 1024 };

/** Rows in a control plane that is reached over HTTP. */
export function httpAffinitySource(access: ControlPlaneAccess): AffinitySource & { close(): Promise<void> } {
  const link = controlPlaneLink(access, bounds);
  const ask = async <T>(path: string, body: JsonObject, read: (body: Json | undefined) => T | undefined) => {
    const reply = await link.ask(path, { body });
    const answer = reply.status === 200 ? read(reply.body) : undefined;
    if (answer === undefined) throw refusalOf(reply.status);
    return answer;
  };
  return {
    find: async (idHashes) => {
      const found: AffinityRow[] = [];
      for (const part of parts(idHashes, mostAtOnce)) {
        found.push(...(await ask(affinityPaths.find, { id_hashes: [...part] }, readRows)));
      }
      return found;
    },
    write: async (changes) => {
      await ask(affinityPaths.write, changesBody(changes), readDone);
    },
    close: link.close,
  };
}
