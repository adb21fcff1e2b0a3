import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { comparable, expectedBody } from '../../../sdk/testing/wire-body.ts';
import type { RecordedRoute } from './cases.ts';

export interface VendorRequest {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
}

export interface Vendor {
  readonly origin: string;
  readonly requests: readonly VendorRequest[];
}

/**
 * A vendor on 127.0.0.1 that knows some requests by heart: method, path, query and body must be those of a route, and the
 * key must be there. Anything else is refused with words that say what was wrong. Where a request has several routes, they
 * answer in turn, and the last of them from then on.
 * @param auth the header that must hold the key, and its value
 */
export async function startVendor(
  t: Pick<TestContext, 'after'>,
  auth: readonly [header: string, value: string],
  routes: readonly RecordedRoute[],
): Promise<Vendor> {
  const requests: VendorRequest[] = [];
  const used = new Set<RecordedRoute>();
  const server = createServer(async (incoming, response) => {
    const request = await received(incoming);
    requests.push(request);
    const fitting = await routeFor(request, auth, routes, used);
    if (typeof fitting === 'string') {
      response.writeHead(400, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ error: { message: fitting, type: 'invalid_request_error' } }));
      return;
    }
    used.add(fitting);
    const { status, headers, bytes } = fitting.answer;
    response.writeHead(status, headers);
    response.end(bytes);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}

async function received(incoming: IncomingMessage): Promise<VendorRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const { method = '', url: path = '', headers } = incoming;
  return { method, path, headers, bytes: Buffer.concat(chunks) };
}

async function routeFor(
  { method, path, headers, bytes }: VendorRequest,
  [header, value]: readonly [string, string],
  routes: readonly RecordedRoute[],
  used: ReadonlySet<RecordedRoute>,
): Promise<RecordedRoute | string> {
  if (headers[header] !== value) return `${header} is ${String(headers[header])}`;
  const there = routes.filter((one) => one.method === method && one.path === path);
  if (there.length === 0) return `nothing is recorded for ${method} ${path}`;
  const wire = { contentType: String(headers['content-type'] ?? ''), bytes };
  const fitting: RecordedRoute[] = [];
  for (const one of there)
    if (isDeepStrictEqual(await comparable(wire, one.body), expectedBody(one.body))) fitting.push(one);
  const came = JSON.stringify(await comparable(wire, there[0]?.body));
  const wanted = there.map(({ body }) => JSON.stringify(expectedBody(body))).join(' or ');
  return fitting.find((one) => !used.has(one)) ?? fitting.at(-1) ?? `the body is ${came}, not ${wanted}`;
}
