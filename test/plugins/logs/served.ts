import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { allScopes, type JsonObject } from 'portcullis/sdk';
import { Portkey } from 'portkey-ai';
import { startControl } from '../../support/control.ts';
import { embeddedSettings } from '../../support/log-settings.ts';
import { startPeer } from '../../support/peer.ts';
import { target } from '../../support/routed.ts';
import { hour } from './world.ts';

/** A gateway as it is, with its own database of logs, an upstream, and a client with a key of a workspace. */
export async function served(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-logs-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const peer = await startPeer(t);
  const control = await startControl(t, {
    env: { DATA_DIR: folder },
    config: { server: { headerVendors: ['gw', 'portkey'] }, logs: embeddedSettings(folder) },
    // Requests are made by the clock of this machine.
    startAt: Date.now(),
  });
  const workspaceId = String((await control.ok('POST', '/v1/workspaces', { body: { name: 'Shared' } })).id);
  const scopes = [...allScopes].filter((scope) => /^(logs|analytics|completions)\./.test(scope));
  const { key } = await control.ok('POST', '/v1/api-keys/workspace/service', {
    body: { name: 'test', workspace_id: workspaceId, scopes },
  });
  const client = new Portkey({ apiKey: String(key), baseURL: `${control.url}/v1`, config: target(peer) });
  const reader = { as: { workspaceId, keyType: 'workspace-service' as const, scopes } };
  const stretch = () => ({
    time_of_generation_min: new Date(control.now() - hour).toISOString(),
    time_of_generation_max: new Date(control.now() + hour).toISOString(),
  });
  return {
    control,
    peer,
    workspaceId,
    key: String(key),
    client,
    stretch,
    /** All requests, newest first, once there are so many. */
    written: async (count: number): Promise<readonly JsonObject[]> => {
      for (;;) {
        const { total, data } = await control.ok('GET', '/v1/logs', reader);
        const ids = (data as JsonObject[]).map(({ id }) => String(id));
        if (Number(total) >= count) return Promise.all(ids.map((id) => control.ok('GET', `/v1/logs/${id}`, reader)));
        await sleep(20);
      }
    },
  };
}
