import { GatewayError, type Json, type JsonObject, parseJson } from 'portcullis/sdk';
import { Pool } from 'undici';
import { notReady } from './outage.ts';

/** Where a control plane is reached over HTTP, and with what. */
export interface ControlPlaneAccess {
  /** As `controlPlaneUrl` has let it pass. */
  readonly url: URL;
  readonly serviceToken: string;
  /** Vendor segment of the header that carries the token. Default `gw`. */
  readonly headerVendor?: string;
  /** Where the routes stand below the URL. Default `/v2`. */
  readonly mount?: string;
}

export interface LinkBounds {
  readonly connections: number;
  /** Bytes. */
  readonly largestReply: number;
  /** How long a connection stays open unused. Default: as undici has it. */
  readonly keepAliveMs?: number;
}

export interface ControlPlaneReply {
  readonly status: number;
  /** Undefined where it is no JSON. */
  readonly body: Json | undefined;
}

/** Asks a control plane over HTTP. Follows no redirect and repeats nothing. */
export interface ControlPlaneLink {
  /**
   * A GET, or a POST where there is a body.
   * @throws GatewayError `not_ready` where no answer comes, or one that is too long
   */
  ask(
    path: string,
    question?: { readonly body?: JsonObject | undefined; readonly signal?: AbortSignal },
  ): Promise<ControlPlaneReply>;
  close(): Promise<void>;
}

const connectMs = 1_000;
const answerMs = 5_000;

export function controlPlaneLink(
  { url, serviceToken, headerVendor = 'gw', mount = '/v2' }: ControlPlaneAccess,
  { connections, largestReply, keepAliveMs }: LinkBounds,
): ControlPlaneLink {
  const base = `${url.pathname.replace(/\/+$/, '')}${mount}`;
  const headers = { [`x-${headerVendor}-service-token`]: serviceToken, accept: 'application/json' };
  const posted = { ...headers, 'content-type': 'application/json' };
  const pool = new Pool(url.origin, {
    connections,
    pipelining: 1,
    allowH2: false,
    connect: { timeout: connectMs },
    headersTimeout: answerMs,
    bodyTimeout: answerMs,
    ...(keepAliveMs === undefined ? {} : { keepAliveTimeout: keepAliveMs }),
  });
  return {
    ask: async (path, { body, signal } = {}) => {
      try {
        const reply = await pool.request({
          path: base + path,
          ...(body === undefined
            ? { method: 'GET', headers }
            : { method: 'POST', headers: posted, body: JSON.stringify(body) }),
          ...(signal === undefined ? {} : { signal }),
        });
        return { status: reply.statusCode, body: parseJson(await textOf(reply.body, largestReply)) };
      } catch (cause) {
        if (GatewayError.is(cause)) throw cause;
        throw notReady('The control plane cannot be reached.', 1, cause);
      }
    },
    close: () => pool.destroy(),
  };
}

/** Why an answer is none: the control plane does not know this gateway, or is away for now. */
export function refusalOf(status: number): GatewayError {
  if (status === 401 || status === 403) {
    return notReady('The control plane refuses this gateway: SERVICE_TOKEN is not the one that it was started with.');
  }
  return notReady(`The control plane cannot be asked at the moment: it answered with ${status}.`);
}

async function textOf(body: AsyncIterable<Uint8Array>, largest: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > largest) throw notReady(`The control plane answered with more than ${largest} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
