import assert from 'node:assert/strict';
import { after, before, describe, it, type TestContext } from 'node:test';
import { askChat } from '../support/clients/chat.ts';
import type { Answer, Ask } from '../support/clients/conversation.ts';
import { askMessages } from '../support/clients/messages.ts';
import { askResponses } from '../support/clients/responses.ts';
import { type Expected, expectedOf } from '../support/expected.ts';
import { saved, startGateway, type TestGateway, testProviders } from '../support/gateway.ts';
import { type Peer, startPeer } from '../support/peer.ts';
import type { Scenario, WireDialect } from '../support/recordings.ts';

type ClientDialect = 'chat' | 'messages' | 'responses';

const clients: Readonly<Record<ClientDialect, Ask>> = { chat: askChat, messages: askMessages, responses: askResponses };
const wires: readonly WireDialect[] = ['chat', 'messages', 'responses', 'gemini'];
const scenarios: readonly Scenario[] = ['text', 'tools', 'thinking'];

/**
 * An effort and a summary, which is all that a responses client can say, do not switch thinking on at a messages
 * provider: models differ in whether they take `adaptive` or a budget.
 */
function isUntold(client: ClientDialect, wire: WireDialect, scenario: Scenario): boolean {
  return scenario === 'thinking' && client === 'responses' && wire === 'messages';
}

/** The saved provider that makes the gateway speak a wire format for a client; openai itself would take responses as they are. */
function providerFor(client: ClientDialect, wire: WireDialect): string {
  return client === 'responses' && wire === 'chat' ? 'plain-chat' : wire;
}

describe('real SDKs against every wire format', () => {
  const ticks = new Map<string, string>();
  const cleanups: (() => unknown)[] = [];
  const scope: Pick<TestContext, 'after'> = { after: (cleanup) => cleanups.unshift(cleanup as () => unknown) };
  let peer: Peer;
  let gateway: TestGateway;

  before(async () => {
    peer = await startPeer(scope);
    gateway = await startGateway(scope, {
      pluginFolders: [{ path: testProviders, trust: 'trusted', requireSignature: false }],
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
    process.stdout.write(`${tableOf(ticks)}\n`);
  });

  for (const client of Object.keys(clients) as ClientDialect[]) {
    for (const wire of wires) {
      for (const scenario of scenarios) {
        for (const stream of [false, true]) {
          const untold = isUntold(client, wire, scenario);
          const cell = `${client} ${wire} ${scenario} ${stream ? 'stream' : 'whole'}`;
          ticks.set(cell, '✗');
          it(`gives a ${client} client the ${scenario} of a ${wire} provider, ${stream ? 'streamed' : 'whole'}`, async () => {
            const first = peer.requests.length;
            const conversation = await clients[client](gateway, {
              model: `@${providerFor(client, wire)}/model-1`,
              scenario,
              stream,
              wire,
            });
            check(conversation.answer, expectedOf(wire, untold ? 'text' : scenario, stream));
            if (scenario === 'tools') {
              check(
                await conversation.results(conversation.answer.calls.map((_, index) => `${20 + index} degrees`)),
                expectedOf(wire, 'text', stream),
              );
            }
            for (const request of peer.requests.slice(first)) assert.equal(request.dialect, wire);
            ticks.set(cell, untold ? '✓ (no thinking)' : '✓');
          });
        }
      }
    }
  }
});

function check({ calls, ...answer }: Answer, { calls: wanted, ...expected }: Expected): void {
  assert.deepEqual(answer, expected);
  assert.deepEqual(
    calls.map(({ name, arguments: args }) => ({ name, args })),
    wanted.map(({ name, arguments: args }) => ({ name, args })),
  );
  assert.equal(new Set(calls.map(({ id }) => id)).size, calls.length, 'ids are unique');
  for (const [index, { id }] of wanted.entries()) if (id !== undefined) assert.equal(calls[index]?.id, id);
}

function tableOf(ticks: ReadonlyMap<string, string>): string {
  const columns = scenarios.flatMap((scenario) => [`${scenario} whole`, `${scenario} stream`]);
  const rows = (Object.keys(clients) as ClientDialect[]).flatMap((client) =>
    wires.map((wire) => [
      `${client} -> ${wire}`,
      ...columns.map((column) => ticks.get(`${client} ${wire} ${column}`) ?? ' '),
    ]),
  );
  return [['client -> provider', ...columns], ...rows]
    .map((row) => row.map((cell, index) => cell.padEnd(index === 0 ? 24 : 16)).join(''))
    .join('\n');
}
