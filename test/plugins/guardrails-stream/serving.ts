import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import { type Delta, dialects, type JsonObject } from 'portcullis/sdk';
import { type Peer, startPeer } from '../../support/peer.ts';
import { claude, target } from '../../support/routed.ts';
import { guarded } from '../guardrails/guarded.ts';
import { type ClientName, requests } from './readers.ts';
import { answer, wireOf } from './windows.ts';

export const window: JsonObject = {
  stream_mode: 'window',
  stream_window: { tokens: 8, ms: 10_000, overlap_tokens: 4 },
};
export const masking = (rule: string, redactText: string): JsonObject => ({
  'default.regexReplace': { rule, redactText },
});
export const lenient = { headers: { 'x-gw-strict-compliance': 'false' } };
export const helloed = answer('Hello.');
export const usage: Delta = { type: 'usage', usage: { input: 11, output: 22, total: 33 } };
export const clients = Object.keys(requests) as ClientName[];
export const targetFor = (client: ClientName, peer: Peer, more: JsonObject): JsonObject =>
  client === 'messages' ? claude(peer, more) : target(peer, more);

export async function serving(t: TestContext, deltas: readonly Delta[], client: ClientName = 'chat') {
  const peer = await startPeer(t);
  peer.always({ events: [wireOf(deltas, dialects[client])] });
  const gateway = await guarded(t);
  const asked = (guards: readonly JsonObject[], body: JsonObject = requests[client].body) =>
    gateway.ask(targetFor(client, peer, { output_guardrails: guards }), body, {
      path: requests[client].path,
      ...lenient,
    });
  return { ...gateway, peer, asked };
}

export async function listening(t: TestContext, server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
