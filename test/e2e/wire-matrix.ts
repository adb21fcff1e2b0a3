import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { askChat } from '../support/clients/chat.ts';
import type { Answer, Ask } from '../support/clients/conversation.ts';
import { askMessages } from '../support/clients/messages.ts';
import { askResponses } from '../support/clients/responses.ts';
import type { Expected } from '../support/expected.ts';
import { type ConfigFragment, saved, startGateway, type TestGateway, testProviders } from '../support/gateway.ts';
import { type Peer, startPeer } from '../support/peer.ts';
import type { Scenario, WireDialect } from '../support/recordings.ts';

export type ClientDialect = 'chat' | 'messages' | 'responses';

export const clients: Readonly<Record<ClientDialect, Ask>> = {
  chat: askChat,
  messages: askMessages,
  responses: askResponses,
};
export const clientDialects = Object.keys(clients) as readonly ClientDialect[];
export const wires: readonly WireDialect[] = ['chat', 'messages', 'responses', 'gemini'];
export const scenarios: readonly Scenario[] = ['text', 'tools', 'thinking'];

/**
 * An effort and a summary, which is all that a responses client can say, do not switch thinking on at a messages
 * provider: models differ in whether they take `adaptive` or a budget.
 */
export function isUntold(client: ClientDialect, wire: WireDialect, scenario: Scenario): boolean {
  return scenario === 'thinking' && client === 'responses' && wire === 'messages';
}

/** The saved provider that makes the gateway speak a wire format for a client; openai itself would take responses as they are. */
export function providerFor(client: ClientDialect, wire: WireDialect): string {
  return client === 'responses' && wire === 'chat' ? 'plain-chat' : wire;
}

/** A gateway with a saved provider of each wire format, all of them the peer. */
export async function openMatrix(
  scope: Pick<TestContext, 'after'>,
  fragment: ConfigFragment = {},
): Promise<{ readonly peer: Peer; readonly gateway: TestGateway }> {
  const peer = await startPeer(scope);
  const gateway = await startGateway(scope, {
    pluginFolders: [{ path: testProviders, trust: 'trusted', requireSignature: false }],
    providers: {
      chat: saved('openai', `${peer.origin}/v1`),
      'plain-chat': saved('only-chat', `${peer.origin}/v1`),
      messages: saved('anthropic', `${peer.origin}/v1`),
      responses: saved('only-responses', `${peer.origin}/v1`),
      gemini: saved('google', `${peer.origin}/v1beta`),
    },
    ...fragment,
  });
  return { peer, gateway };
}

export function checkAnswer({ calls, ...answer }: Answer, { calls: wanted, ...expected }: Expected): void {
  assert.deepEqual(answer, expected);
  assert.deepEqual(
    calls.map(({ name, arguments: args }) => ({ name, args })),
    wanted.map(({ name, arguments: args }) => ({ name, args })),
  );
  assert.equal(new Set(calls.map(({ id }) => id)).size, calls.length, 'ids are unique');
  for (const [index, { id }] of wanted.entries()) if (id !== undefined) assert.equal(calls[index]?.id, id);
}
