import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { allScopes, asObject, asObjects } from 'portcullis/sdk';
import { until } from '../../../e2e/control/processes.ts';
import { embeddedSettings } from '../../../support/log-settings.ts';
import { noUnhandledRejections } from '../../../support/rejections.ts';
import { both, eventsOf, resultsOf, startPlayground } from './world.ts';

noUnhandledRejections();

describe('each run of a playground', () => {
  it('counts against the limits of its key', async (t) => {
    const { play, ask, shop, peer } = await startPlayground(t);
    const made = await ask('POST', '/v1/api-keys/workspace/service', {
      name: 'Limited',
      workspace_id: shop.workspaceId,
      scopes: ['completions.write'],
      rate_limits: [{ type: 'requests', unit: 'rph', value: 3 }],
    });
    const model = { model: '@prov-shop/gpt-4o' };
    const first = resultsOf(await play({ models: [model, model] }, String(made.key)));
    const second = resultsOf(await play({ models: [model, model] }, String(made.key)));
    assert.deepEqual(
      first.map(({ status }) => status),
      [200, 200],
    );
    assert.deepEqual(second.map(({ status }) => status).toSorted(), [200, 429]);
    assert.equal(peer.requests.length, 3);
  });

  it('has a row of its own in the log', async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'portcullis-playground-'));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    const { play, open, other, c, shop } = await startPlayground(t, {
      env: { DATA_DIR: folder },
      config: { logs: embeddedSettings(folder) },
      // Requests are made by the clock of this machine.
      startAt: Date.now(),
    });
    other.always({ status: 502, body: { error: { message: 'away' } } });
    const whole = resultsOf(await play()).map(({ request_id }) => request_id);
    const streamed = eventsOf(await (await open({})).text())
      .filter(({ event }) => event === 'result')
      .map(({ data }) => data.request_id);
    const told = [...whole, ...streamed].toSorted();
    const as = { workspaceId: shop.workspaceId, keyType: 'workspace-service' as const, scopes: [...allScopes] };
    const rows = await until('four rows', 20_000, async () => {
      const { data } = await c.ok('GET', '/v1/logs', { as });
      return asObjects(data).length < 4 ? undefined : asObjects(data);
    });
    assert.equal(both.length * 2, rows.length);
    assert.deepEqual(rows.map(({ id }) => id).toSorted(), told);
    assert.deepEqual(
      rows.map(({ metrics }) => asObject(metrics)?.response_status_code).toSorted(),
      [200, 200, 502, 502],
    );
  });
});
