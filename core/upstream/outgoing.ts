import { GatewayError, type RequestToSign, type Settings } from 'portcullis/sdk';
import type { Identity } from './auth.ts';
import type { Outbound } from './outbound.ts';
import { isStreamed, type WireRequest } from './transport.ts';

/** One request that leaves for a target: the only one, or one of several. */
export interface OutgoingCall extends Pick<Outbound, 'method' | 'url' | 'headers' | 'body'> {
  readonly service?: string | undefined;
  /** It carries no credential. */
  readonly anonymous?: boolean | undefined;
  /** Default: as the endpoint has it. */
  readonly collects?: WireRequest['collects'];
}

/** What to name when the URL is refused. */
export function fieldOf({ customHost }: Outbound['settings']): string {
  return customHost ? 'custom_host' : 'base URL';
}

export function authOf(outbound: Outbound) {
  const { auth } = outbound.unit.definition;
  return typeof auth === 'function' ? auth(outbound.settings.settings as Settings) : auth;
}

/** A handshake takes no body, and its own kind of answer. */
export function withoutBody({
  accept: _,
  'accept-encoding': __,
  ...headers
}: Outbound['headers']): Record<string, string> {
  return headers;
}

export function identityOf({ unit, settings }: Outbound): Identity {
  return { settings: settings.settings, upstream: unit.name, machine: settings.machine };
}

export function toSign(
  { headers: own }: Outbound,
  { method, url, headers, body, service }: OutgoingCall,
): RequestToSign {
  const flows = isStreamed(body);
  return { method, url, headers: headers ?? own, body: flows ? undefined : body, flows, service };
}

/** Bodies that the gateway reads whole; anything else flows through. */
export function collects(
  status: number,
  type: string,
  { chosen: { endpoint, dialect, spec }, facts }: Outbound,
): boolean {
  if (endpoint === 'proxy') return status >= 400;
  if (status >= 300) return true;
  if (spec.reply === 'bytes') return false;
  if (type.includes('application/json')) return true;
  return !facts.stream && (dialect !== undefined || endpoint === 'listModels' || endpoint === 'retrieveModel');
}

export function originEnd(url: string): number {
  const slash = url.indexOf('/', url.indexOf('://') + 3);
  const query = url.indexOf('?');
  if (slash === -1) return query === -1 ? url.length : query;
  return query !== -1 && query < slash ? query : slash;
}

export function pathBelow({ settings: { base } }: Outbound, url: string): string {
  if (!url.startsWith(base)) throw new GatewayError('internal', 'A local provider was asked for a foreign URL.');
  return url.slice(base.length) || '/';
}
