import assert from 'node:assert/strict';
import { after, before, describe, it, type TestContext } from 'node:test';
import type { JsonObject } from 'portcullis/sdk';
import { without } from '../plugins/guardrails/guarded.ts';
import { askChat } from '../support/clients/chat.ts';
import type { Ask } from '../support/clients/conversation.ts';
import { askMessages } from '../support/clients/messages.ts';
import { askResponses } from '../support/clients/responses.ts';
import { expectedOf } from '../support/expected.ts';
import { saved, startGateway, type TestGateway, testProviders } from '../support/gateway.ts';
import { type Peer, startPeer } from '../support/peer.ts';
import type { Scenario, WireDialect } from '../support/recordings.ts';
import { noUnhandledRejections } from '../support/rejections.ts';

noUnhandledRejections();

const clients: Readonly<Record<string, Ask>> = { chat: askChat, messages: askMessages, responses: askResponses };
const wires: readonly WireDialect[] = ['chat', 'messages', 'responses', 'gemini'];
const scenarios: readonly Scenario[] = ['text', 'tools', 'thinking'];

const modes: Readonly<Record<string, JsonObject>> = {
  after: { stream_mode: 'after' },
  'small windows': { stream_mode: 'window', stream_window: { tokens: 8, ms: 10_000, overlap_tokens: 3 } },
  'large windows': { stream_mode: 'window', stream_window: { tokens: 4096, ms: 10_000 } },
};

for (const [name, mode] of Object.entries(modes)) {
  describe(`recorded streams that a guardrail lets pass: ${name}`, () => {
    const cleanups: (() => unknown)[] = [];
    const scope: Pick<TestContext, 'after'> = { after: (cleanup) => cleanups.unshift(cleanup as () => unknown) };
    let peer: Peer;
    let gateway: TestGateway;

    before(async () => {
      peer = await startPeer(scope);
      gateway = await startGateway(scope, {
        pluginFolders: [{ path: testProviders, trust: 'trusted', requireSignature: false }],
        configs: { main: { output_guardrails: [{ ...without('halibut'), deny: true, ...mode }] } },
        defaultConfig: 'main',
        providers: {
          chat: saved('openai', `${peer.origin}/v1`),
          'plain-chat': saved('only-chat', `${peer.origin}/v1`),
          messages: saved('anthropic', `${peer.origin}/v1`),
          responses: saved('only-responses', `${peer.origin}/v1`),
          gemini: saved('google', `${peer.origin}/v1beta`),
        },
      });
    });
    after(async () => {
      for (const cleanup of cleanups) await cleanup();
    });

    for (const [client, ask] of Object.entries(clients)) {
      for (const wire of wires) {
        for (const scenario of scenarios) {
          it(`are the same for a ${client} client of a ${wire} provider: ${scenario}`, async () => {
            // What a responses client can say does not switch thinking on at a messages provider.
            const untold = client === 'responses' && wire === 'messages' && scenario === 'thinking';
            const provider = client === 'responses' && wire === 'chat' ? 'plain-chat' : wire;
            const conversation = await ask(gateway, { model: `@${provider}/model-1`, scenario, stream: true, wire });
            const expected = expectedOf(wire, untold ? 'text' : scenario, true);
            const { calls, ...answer } = conversation.answer;
            const { calls: wanted, ...rest } = expected;
            assert.deepEqual(answer, rest);
            assert.deepEqual(
              calls.map(({ name: called, arguments: args }) => [called, args]),
              wanted.map(({ name: called, arguments: args }) => [called, args]),
            );
            if (scenario !== 'tools') return;
            const next = await conversation.results(calls.map(() => '20 degrees'));
            assert.equal(next.text, expectedOf(wire, 'text', true).text);
          });
        }
      }
    }
  });
}
