import { GatewayError, type JsonObject, parseJson } from 'portcullis/sdk';
import { Pool } from 'undici';
import type { CounterSource } from './counter-source.ts';
import { batchBody, counterPaths, keyBody, readCounts, readDone, readUsed } from './wire.ts';

export interface HttpCounterSourceOptions {
  /** As `controlPlaneUrl` has let it pass. */
  readonly url: URL;
  readonly serviceToken: string;
  /** Vendor segment of the header that carries the token. Default `gw`. */
  readonly headerVendor?: string;
  /** Where the routes stand below the URL. Default `/v2`. */
  readonly mount?: string;
}

const connections = 4;
const connectMs = 1_000;
const answerMs = 5_000;
const largestReply = 4 * 1024 * 1024;

/** Durable counts in a control plane that is reached over HTTP. Follows no redirect and repeats nothing. */
export function httpCounterSource({
  url,
  serviceToken,
  headerVendor = 'gw',
  mount = '/v2',
}: HttpCounterSourceOptions): CounterSource & { close(): Promise<void> } {
  const base = `${url.pathname.replace(/\/+$/, '')}${mount}`;
  const headers = {
    [`x-${headerVendor}-service-token`]: serviceToken,
    accept: 'application/json',
    'content-type': 'application/json',
  };
  const pool = new Pool(url.origin, {
    connections,
    pipelining: 1,
    allowH2: false,
    connect: { timeout: connectMs },
    headersTimeout: answerMs,
    bodyTimeout: answerMs,
    maxResponseSize: largestReply,
  });

  const ask = async <T>(path: string, body: JsonObject | undefined, read: (body: unknown) => T | undefined) => {
    const method = body === undefined ? 'GET' : 'POST';
    const told = await pool
      .request({ method, path: base + path, headers, body: body === undefined ? null : JSON.stringify(body) })
      .then(async (reply) => ({ status: reply.statusCode, text: await reply.body.text() }))
      .catch((cause: unknown) => {
        throw away('The control plane cannot be reached.', cause);
      });
    const answer = told.status === 200 ? read(parseJson(told.text)) : undefined;
    if (answer === undefined) throw refusalOf(told.status);
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
    close: () => pool.destroy(),
  };
}

function away(message: string, cause?: unknown): GatewayError {
  return new GatewayError('not_ready', message, { headers: { 'retry-after': '1' }, cause });
}

/** A batch that is refused as such would be refused again and again; everything else may be over the next time. */
function refusalOf(status: number): GatewayError {
  if (status === 401 || status === 403) {
    return away('The control plane refuses this gateway: SERVICE_TOKEN is not the one that it was started with.');
  }
  if (status === 400 || status === 413) {
    return new GatewayError('internal', `The control plane does not take the counts: it answered with ${status}.`);
  }
  return away(`The control plane cannot be asked at the moment: it answered with ${status}.`);
}
