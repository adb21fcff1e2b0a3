import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Resolves when the client of the next request to the gateway has gone, and the gateway knows. */
export function clientGone(gatewayUrl: string): Promise<void> {
  const port = Number(new URL(gatewayUrl).port);
  return new Promise((resolve) => {
    const started = (message: unknown) => {
      const { response, socket } = message as { response: ServerResponse; socket: Socket };
      if (socket.localPort !== port) return;
      unsubscribe('http.server.request.start', started);
      response.on('close', resolve);
    };
    subscribe('http.server.request.start', started);
  });
}
