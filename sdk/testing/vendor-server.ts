import { createServer, type IncomingMessage, type ServerResponse, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { CheckFetch } from '../contracts/guardrail.ts';
import type { FetchReply } from '../contracts/host.ts';
import { GatewayError } from '../errors.ts';
import type { CheckNetwork } from './check-host.ts';

/** A call as it came over the wire. */
export interface VendorCall {
  readonly method: string;
  /** The whole URL that the check called. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface VendorServer {
  /** Carries calls to any URL to this server. */
  readonly network: CheckNetwork;
  close(): Promise<void>;
}

/** Every vendor at once, on 127.0.0.1: it is asked as a proxy is, so it knows which URL was meant. */
export async function startVendorServer(
  answer: (call: VendorCall, reply: ServerResponse) => void | Promise<void>,
): Promise<VendorServer> {
  const server = createServer(async (incoming, reply) => {
    // A call that is given up in the middle is no fault of the server.
    const call = await callOf(incoming).catch(() => undefined);
    if (call !== undefined) await answer(call, reply);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    network: (url, request, signal) => carry(port, url, request, signal),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function callOf(incoming: IncomingMessage): Promise<VendorCall> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of incoming) chunks.push(chunk);
  return {
    method: incoming.method ?? '',
    url: incoming.url ?? '',
    headers: headersOf(incoming),
    body: Buffer.concat(chunks).toString('utf8'),
  };
}

function headersOf({ headers }: IncomingMessage): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : (value ?? '')]),
  );
}

async function carry(port: number, url: URL, call: CheckFetch, signal: AbortSignal): Promise<FetchReply> {
  const { body, method = body === undefined ? 'GET' : 'POST', headers = {}, maxBytes = 1_048_576 } = call;
  try {
    const reply = await new Promise<IncomingMessage>((resolve, reject) => {
      const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
      send({
        host: '127.0.0.1',
        port,
        method,
        path: url.href,
        headers: { host: url.host, ...length, ...headers },
        agent: false,
        signal,
      })
        .on('response', resolve)
        .on('error', reject)
        .end(body);
    });
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    for await (const chunk of reply as AsyncIterable<Uint8Array>) {
      chunks.push(chunk);
      bytes += chunk.byteLength;
      if (bytes > maxBytes)
        throw new GatewayError('upstream_invalid', `${url.host} answered with more than ${maxBytes} bytes.`);
    }
    return { status: reply.statusCode ?? 0, headers: headersOf(reply), body: Buffer.concat(chunks) };
  } catch (cause) {
    if (GatewayError.is(cause)) throw cause;
    if (signal.aborted) throw new GatewayError('request_timeout', `${url.host} did not answer in time.`, { cause });
    throw new GatewayError('upstream_unreachable', `Could not reach ${url.host}: the connection was reset.`, { cause });
  }
}
