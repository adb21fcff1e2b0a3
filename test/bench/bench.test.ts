import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { bareKoa } from './bare-koa.ts';
import { direct } from './direct.ts';
import { gatewayRow, storedGatewayRow } from './gateway.ts';
import { measure, type RowResult } from './measure.ts';
import { nginxRow } from './nginx.ts';
import { failures, renderTable } from './table.ts';
import type { Scenario } from './traffic.ts';

const requests: Record<Scenario, number> = { json: 300, saturated: 5, spaced: 5 };
const scenarios = ['json', 'saturated', 'spaced'] as const;
const rows = [direct, bareKoa, gatewayRow(), storedGatewayRow(), nginxRow()].filter((row) => row !== undefined);

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
