import { type FlowRequest, GatewayError } from 'portcullis/sdk';
import { permits } from '../loader/places.ts';
import { encodeForm } from '../uploads/index.ts';
import type { Outbound } from './outbound.ts';
import type { OutgoingCall } from './outgoing.ts';
import { isStreamed } from './transport.ts';
import { portOf } from './url-guard/url-text.ts';

/**
 * One call of a flow as it will leave.
 * @throws GatewayError `upstream_invalid` for a place that is none of the provider's, where a credential would go along
 */
export function callOf(wanted: FlowRequest, outbound: Outbound, whole: boolean): OutgoingCall {
  const form = wanted.form === undefined ? undefined : encodeForm(wanted.form.fields, wanted.form.files);
  const body = form?.body ?? wanted.body;
  const isJson = typeof body === 'object' && !(body instanceof Uint8Array) && !isStreamed(body as never);
  const url = urlOf(wanted.url, outbound);
  if (wanted.anonymous !== true) checkPlace(url, outbound);
  return {
    method: wanted.method,
    url,
    headers: {
      ...(wanted.anonymous === true ? plainHeaders(outbound.headers) : withoutBodyHeaders(outbound.headers)),
      accept: whole ? 'application/json' : '*/*',
      ...(isJson ? { 'content-type': 'application/json' } : {}),
      ...(form === undefined ? {} : { 'content-type': form.contentType }),
      ...wanted.headers,
    },
    body: isJson ? JSON.stringify(body) : (body as OutgoingCall['body']),
    service: wanted.service,
    anonymous: wanted.anonymous,
    collects: (status) => whole || status >= 300,
  };
}

/** A custom host stands for every host of the provider. */
function urlOf(url: string, { unit, settings: { base, customHost } }: Outbound): string {
  if (url.startsWith('/')) return base + url;
  if (!URL.canParse(url)) throw new GatewayError('upstream_invalid', `${unit.name} named a place that is no URL.`);
  if (!customHost) return url;
  const { pathname, search } = new URL(url);
  return new URL(base).origin + pathname + search;
}

/** A URL may have come out of a reply: credentials go to the base and to the places of the manifest alone. */
function checkPlace(url: string, { unit, settings: { base } }: Outbound): void {
  const place = new URL(url);
  if (place.origin === new URL(base).origin) return;
  const secure = place.protocol === 'https:';
  if (secure && permits(unit.net, place.hostname, portOf(place.port, place.protocol))) return;
  const text = `${unit.name} named a place that is none of its own: its credential does not go there.`;
  throw new GatewayError('upstream_invalid', text);
}

function withoutBodyHeaders({ 'content-type': _, ...headers }: Outbound['headers']): Record<string, string> {
  return headers;
}

/** Without what was configured or forwarded, which may be a credential as well. */
function plainHeaders(headers: Outbound['headers']): Record<string, string> {
  const kept = ['user-agent', 'accept-encoding', 'traceparent'] as const;
  return Object.fromEntries(kept.flatMap((name) => (headers[name] === undefined ? [] : [[name, headers[name]]])));
}
