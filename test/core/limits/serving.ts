import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { type Action, GatewayError, type JsonObject, type Operation } from 'portcullis/sdk';
import { tokenCheck } from '../../../core/directory/token.ts';
import { counterActions } from '../../../core/limits/actions.ts';
import type { CounterSource } from '../../../core/limits/counter-source.ts';
import { endpointOf } from '../../../core/resources/endpoints.ts';

export const serviceToken = 'a-service-token-of-32-characters';

/** The serving side on a real port: the routes of the counts with their checks, behind the service token. */
export async function serveCounters(source: CounterSource) {
  const isToken = tokenCheck(serviceToken);
  const endpoints = counterActions(source).map((action: Action) => endpointOf('core', action, 'Counters', new Map()));
  const state: { answer: number | undefined } = { answer: undefined };
  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? '', 'http://control.test');
    const given = request.method === 'POST' ? ((await json(request)) as JsonObject) : {};
    try {
      if (!isToken(request.headers['x-gw-service-token'] as string | undefined)) {
        throw new GatewayError('unauthenticated', 'No such service.');
      }
      const endpoint = endpoints.find(
        ({ paths, method }) => paths.includes(url.pathname) && method.toUpperCase() === request.method,
      );
      if (endpoint?.action === undefined) throw new GatewayError('not_found', 'No such route.');
      const body = endpoint.body?.read(given) ?? {};
      const query = endpoint.query?.read(Object.fromEntries(url.searchParams)) ?? {};
      const reply = await endpoint.action.run({ body, query } as unknown as Operation, undefined);
      // What was done stays done, whatever becomes of the answer.
      response.writeHead(state.answer ?? 200).end(JSON.stringify(reply));
    } catch (error) {
      response.writeHead(GatewayError.is(error) ? error.status : 500).end('{"success":false}');
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
    /** The status that answers bear, though the work was done; undefined: 200. */
    answer: (status: number | undefined) => {
      state.answer = status;
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
