import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What a child tells its parent once it listens. */
export interface Offer {
  readonly port: number;
}

/**
 * Listens on loopback, tells the parent the port, answers its messages, and ends when the parent is gone.
 * @param answer undefined: the message was told, and nobody waits for an answer
 */
export function offerToParent(server: Server, answer: (message: unknown) => object | undefined = () => ({})): void {
  process.on('disconnect', () => process.exit(0));
  process.on('message', (message) => {
    const reply = answer(message);
    if (reply !== undefined) process.send?.(reply);
  });
  server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port } satisfies Offer));
}
