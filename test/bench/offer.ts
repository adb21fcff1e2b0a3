import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What a child tells its parent once it listens. */
export interface Offer {
  readonly port: number;
}

/** Listens on loopback, tells the parent the port, answers each of its messages, and ends when the parent is gone. */
export function offerToParent(server: Server, answer: () => object = () => ({})): void {
  process.on('disconnect', () => process.exit(0));
  process.on('message', () => process.send?.(answer()));
  server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port } satisfies Offer));
}
