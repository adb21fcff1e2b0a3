import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { allOnCosts } from './all-on.ts';
import { bareKoa } from './bare-koa.ts';
import { checkCosts, renderCosts } from './checks.ts';
import { direct } from './direct.ts';
import { fullGatewayRow, gatewayRow, guardedGatewayRow, storedGatewayRow } from './gateway.ts';
import { guardrailCosts } from './guardrails.ts';
import { measure, type RowResult } from './measure.ts';
import { renderNeighbours } from './neighbours.ts';
import { nginxRow } from './nginx.ts';
import { promptCosts } from './prompts.ts';
import { failures, renderTable } from './table.ts';
import type { Scenario } from './traffic.ts';

const requests: Record<Scenario, number> = { json: 300, saturated: 5, spaced: 5 };
const scenarios = ['json', 'saturated', 'spaced'] as const;
const rows = [
  direct,
  bareKoa,
  gatewayRow(),
  storedGatewayRow(),
  guardedGatewayRow(),
  fullGatewayRow(),
  nginxRow(),
].filter((row) => row !== undefined);

describe('the bench in its short form', { timeout: 120_000 }, () => {
  let results: readonly RowResult[] = [];
  before(async () => {
    results = await measure({
      rows,
      scenarios,
      repeats: 1,
      bound: { requests },
      cores: { proxy: undefined, load: undefined },
      progress: () => {},
    });
  });

  for (const [index, { name }] of rows.entries()) {
    it(`answers every request through the row "${name}"`, () => {
      const result = results[index];
      assert.ok(result !== undefined);
      for (const scenario of scenarios) {
        const completed: readonly number[] | undefined = result.samples[scenario]?.map((sample) => sample.completed);
        assert.deepEqual(completed, [requests[scenario]], scenario);
      }
      assert.equal(failures(result), 0);
    });
  }

  it('prints every row in the table', () => {
    const table = renderTable(results, bareKoa.name);
    for (const { name } of rows) assert.match(table, new RegExp(`^\\| ${name} +\\|`, 'm'));
  });
});

describe('the bench of checks in its short form', { timeout: 120_000 }, () => {
  it('runs every check that calls nobody, and one in the sandbox', async () => {
    const costs = await checkCosts(2);
    const ids = costs.map(({ id }) => id);
    for (const id of ['default.contains', 'default.regexMatch', 'pii.detect', 'custom.code in the sandbox']) {
      assert.ok(ids.includes(id), id);
    }
    assert.ok(costs.every(({ micros }) => Number.isFinite(micros)));
    assert.equal(renderCosts(costs).split('\n').length, costs.length + 2);
  });
});

describe('the bench of neighbours in its short form', { timeout: 120_000 }, () => {
  for (const [name, costsOf] of Object.entries({ guardrailCosts, allOnCosts, promptCosts })) {
    it(`answers both kinds of requests in turns: ${name}`, async () => {
      const cores = { proxy: undefined, load: undefined };
      const measured = await costsOf({ bound: { requests: 50 }, repeats: 2, cores });
      assert.ok(measured.length > 0);
      for (const costs of measured) {
        assert.equal(costs.failed, 0);
        for (const kind of costs.costs) assert.equal(kind.length, 2);
        assert.match(renderNeighbours(costs), /^ratio of neighbours: .*; failed 0$/m);
      }
    });
  }
});
