import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { JsonObject } from 'portcullis/sdk';
import { startControl } from '../../support/control.ts';
import { embeddedSettings } from '../../support/log-settings.ts';

for (const [what, length] of [
  ['many at once', 2],
  ['long ones', 4000],
] as const) {
  it(`logs that clients send are all kept, ${what} too: they wait for room in the queue`, async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'portcullis-logs-'));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    const settings = embeddedSettings(folder);
    const queue = { batchMs: 20, maxEntries: 800, maxBytes: 3 * 1024 * 1024 };
    const control = await startControl(t, {
      env: { DATA_DIR: folder },
      config: { logs: { ...settings, queue } },
      startAt: Date.now(),
    });
    const { id } = await control.ok('POST', '/v1/workspaces', { body: { name: 'Shared' } });
    const log = { request: { url: '/v1/chat/completions', body: {} }, response: { body: 'x'.repeat(length) } };
    const body = Array.from({ length: 1000 }, () => log) as unknown as JsonObject;
    await control.ok('POST', `/v1/logs?workspace_id=${id}`, { body });
    const total = async () => Number((await control.ok('GET', '/v1/logs?page_size=1')).total);
    for (let tries = 0; (await total()) < 1000 && tries < 200; tries += 1) await sleep(20);
    assert.equal(await total(), 1000);
  });
}
