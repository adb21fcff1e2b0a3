import { GatewayError, type JsonObject } from 'portcullis/sdk';
import { type ControlPlaneAccess, controlPlaneLink, refusalOf } from '../directory/control-plane-link.ts';
import type { CounterSource } from './counter-source.ts';
import { batchBody, counterPaths, keyBody, readCounts, readDone, readUsed } from './wire.ts';

const bounds = { connections: 4, largestReply: 4 * 1024 * 1024 };

/** Durable counts in a control plane that is reached over HTTP. Repeats nothing. */
export function httpCounterSource(access: ControlPlaneAccess): CounterSource & { close(): Promise<void> } {
  const link = controlPlaneLink(access, bounds);

  const ask = async <T>(path: string, body: JsonObject | undefined, read: (body: unknown) => T | undefined) => {
    const reply = await link.ask(path, { body });
    const answer = reply.status === 200 ? read(reply.body) : undefined;
    if (answer === undefined) throw faultOf(reply.status);
    return answer;
  };

  return {
    load: (counts) => ask(counterPaths.load, { counts: counts.map(keyBody) }, (body) => readUsed(body, counts.length)),
    add: async (batch) => {
      await ask(counterPaths.add, batchBody(batch), readDone);
    },
    set: async (count, used) => {
      await ask(counterPaths.set, { ...keyBody(count), used }, readDone);
    },
    list: (organisationId, prefix, start, limit, offset) => {
      const query = new URLSearchParams({
        organisation_id: organisationId,
        prefix,
        limit: `${limit}`,
        offset: `${offset}`,
      });
      if (start !== undefined) query.set('start', String(start));
      return ask(`${counterPaths.list}?${query}`, undefined, readCounts);
    },
    changedSince: async (at, limit) => {
      const query = new URLSearchParams({ at: String(at), limit: String(limit) });
      return (await ask(`${counterPaths.changes}?${query}`, undefined, readCounts)).counts;
    },
    close: link.close,
  };
}

/** A batch that is refused as such would be refused again and again; everything else may be over the next time. */
function faultOf(status: number): GatewayError {
  if (status !== 400 && status !== 413) return refusalOf(status);
  return new GatewayError('internal', `The control plane does not take the counts: it answered with ${status}.`);
}
