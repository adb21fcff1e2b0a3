import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { expectedOf } from '../support/expected.ts';
import type { TestGateway } from '../support/gateway.ts';
import type { Peer } from '../support/peer.ts';
import { suiteScope } from './suite-scope.ts';
import {
  checkAnswer,
  clientDialects,
  clients,
  isUntold,
  openMatrix,
  providerFor,
  scenarios,
  wires,
} from './wire-matrix.ts';

describe('real SDKs against every wire format', () => {
  const ticks = new Map<string, string>();
  const scope = suiteScope();
  let peer: Peer;
  let gateway: TestGateway;

  before(async () => {
    ({ peer, gateway } = await openMatrix(scope));
  });
  after(() => {
    process.stdout.write(`${tableOf(ticks)}\n`);
  });

  for (const client of clientDialects) {
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
            checkAnswer(conversation.answer, expectedOf(wire, untold ? 'text' : scenario, stream));
            if (scenario === 'tools') {
              checkAnswer(
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

function tableOf(ticks: ReadonlyMap<string, string>): string {
  const columns = scenarios.flatMap((scenario) => [`${scenario} whole`, `${scenario} stream`]);
  const rows = clientDialects.flatMap((client) =>
    wires.map((wire) => [
      `${client} -> ${wire}`,
      ...columns.map((column) => ticks.get(`${client} ${wire} ${column}`) ?? ' '),
    ]),
  );
  return [['client -> provider', ...columns], ...rows]
    .map((row) => row.map((cell, index) => cell.padEnd(index === 0 ? 24 : 16)).join(''))
    .join('\n');
}
