import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { JsonObject } from 'portcullis/sdk';
import { type ControlOptions, startControl, type TestControl } from '../../support/control.ts';
import type { Reply } from '../../support/gateway.ts';
import { type Peer, startPeer } from '../../support/peer.ts';
import { type Ask, type Furnished, furnish } from './furnish.ts';

/** A control plane with its gateway, one workspace that can call models, and the provider that it calls. */
export interface World {
  readonly c: TestControl;
  readonly peer: Peer;
  /** With the admin key of the first start. */
  readonly ask: Ask;
  readonly shop: Furnished;
  chat(key: string, headers?: Readonly<Record<string, string>>, body?: JsonObject): Promise<Reply>;
}

export const messages = [{ role: 'user', content: 'x' }];

export async function startWorld(t: Pick<TestContext, 'after'>, options: ControlOptions = {}): Promise<World> {
  const peer = await startPeer(t);
  const c = await startControl(t, options);
  const ask: Ask = (method, path, body) =>
    c.ok(method, path, { key: c.adminKey, ...(body === undefined ? {} : { body }) });
  return {
    c,
    peer,
    ask,
    shop: await furnish(ask, peer.origin, 'Shop'),
    chat: (key, headers = {}, body = {}) =>
      c.call('POST', '/v1/chat/completions', { key, headers, body: { model: 'gpt-4o', messages, ...body } }),
  };
}

/** @returns the error of the reply, which must have the status */
export function refusal(reply: Reply, status: number): { readonly code?: string; readonly message: string } {
  assert.equal(reply.status, status, reply.text);
  return reply.json.error as { readonly code?: string; readonly message: string };
}
