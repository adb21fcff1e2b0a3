import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { JsonObject } from 'portcullis/sdk';
import { without } from '../plugins/guardrails/guarded.ts';
import { expectedOf } from '../support/expected.ts';
import type { TestGateway } from '../support/gateway.ts';
import { noUnhandledRejections } from '../support/rejections.ts';
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

noUnhandledRejections();

const modes: Readonly<Record<string, JsonObject>> = {
  after: { stream_mode: 'after' },
  'small windows': { stream_mode: 'window', stream_window: { tokens: 8, ms: 10_000, overlap_tokens: 3 } },
  'large windows': { stream_mode: 'window', stream_window: { tokens: 4096, ms: 10_000 } },
};

for (const [name, mode] of Object.entries(modes)) {
  describe(`recorded streams that a guardrail lets pass: ${name}`, () => {
    const scope = suiteScope();
    let gateway: TestGateway;

    before(async () => {
      ({ gateway } = await openMatrix(scope, {
        configs: { main: { output_guardrails: [{ ...without('halibut'), deny: true, ...mode }] } },
        defaultConfig: 'main',
      }));
    });

    for (const client of clientDialects) {
      for (const wire of wires) {
        for (const scenario of scenarios) {
          it(`are the same for a ${client} client of a ${wire} provider: ${scenario}`, async () => {
            const conversation = await clients[client](gateway, {
              model: `@${providerFor(client, wire)}/model-1`,
              scenario,
              stream: true,
              wire,
            });
            const { answer } = conversation;
            checkAnswer(answer, expectedOf(wire, isUntold(client, wire, scenario) ? 'text' : scenario, true));
            if (scenario !== 'tools') return;
            const next = await conversation.results(answer.calls.map(() => '20 degrees'));
            assert.equal(next.text, expectedOf(wire, 'text', true).text);
          });
        }
      }
    }
  });
}
