import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { GatewayError, type Operation, RawReply } from 'portcullis/sdk';
import { directoryActions, type ServingParts } from '../../../core/directory/actions.ts';
import { tokenCheck } from '../../../core/directory/token.ts';

export const serviceToken = 'a-service-token-of-32-characters';

export interface ControlPlane {
  readonly url: URL;
  /** Paths that were asked for, with their queries. */
  readonly asked: readonly string[];
  /** Replaces every answer while it is set. */
  answer: { readonly status: number; readonly body: string } | undefined;
  close(): Promise<void>;
}

/** The serving side on a real port: the routes of the directory, behind the service token. */
export async function startControlPlane(parts: ServingParts, port = 0): Promise<ControlPlane> {
  const isToken = tokenCheck(serviceToken);
  const actions = directoryActions(parts).map((action) => ({
    action,
    pattern: new RegExp(`^/v2${action.path.replace(/:(\w+)/g, '(?<$1>[^/]+)')}$`),
  }));
  const asked: string[] = [];
  const reply = async (url: URL, token: string | undefined): Promise<RawReply> => {
    if (!isToken(token)) throw new GatewayError('unauthenticated', 'No such service.');
    for (const { action, pattern } of actions) {
      const match = pattern.exec(url.pathname);
      if (match === null) continue;
      const operation = { params: match.groups ?? {}, query: Object.fromEntries(url.searchParams) };
      return (await action.run(operation as unknown as Operation, undefined)) as RawReply;
    }
    throw new GatewayError('not_found', 'No such route.');
  };
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '', 'http://control.test');
    asked.push(url.pathname + url.search);
    if (plane.answer !== undefined) {
      response.writeHead(plane.answer.status).end(plane.answer.body);
      return;
    }
    reply(url, request.headers['x-gw-service-token'] as string | undefined)
      .catch((error: unknown) => new RawReply(GatewayError.is(error) ? error.status : 500, {}, '{"success":false}'))
      .then(({ status, headers, body }) => response.writeHead(status, headers as Record<string, string>).end(body));
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const plane: ControlPlane = {
    url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
    asked,
    answer: undefined,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return plane;
}
