import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { LogSinks, LogStore } from 'portcullis/sdk';
import { memoryLogs } from './memory-logs.ts';
import { hour, logWorld } from './world.ts';

/** An export of three requests that has succeeded, and how this process gives it out. */
async function exported(t: TestContext, logs: LogStore & LogSinks = memoryLogs()) {
  const world = await logWorld(t, { logs });
  const { control, key, seed, folder } = world;
  const ok = (method: 'GET' | 'POST', path: string, body?: Parameters<typeof control.ok>[2]) =>
    control.ok(method, `/v1/logs/exports${path}`, { as: key, ...body });
  for (const model of ['one', 'two', 'three']) seed({ model });
  const body = { filters: {}, requested_data: ['id', 'ai_model', 'cost', 'created_at'] };
  const { id } = await ok('POST', '', { body });
  await ok('POST', `/${id}/start`);
  while ((await ok('GET', `/${id}`)).status === 'in_progress') await sleep(5);
  return {
    ...world,
    fetched: async () => {
      const url = new URL(String((await ok('GET', `/${id}/download`)).signed_url));
      const reply = await fetch(control.url + url.pathname + url.search);
      return { status: reply.status, type: reply.headers.get('content-type'), text: await reply.text() };
    },
    /** As it is for every process but the one that has written it. */
    removeFile: () => rmSync(join(folder, 'exports'), { recursive: true }),
  };
}

/** A store out of which retention takes all. */
function prunedLogs() {
  const logs = memoryLogs();
  let isPruned = false;
  return {
    prune: () => {
      isPruned = true;
    },
    logs: {
      ...logs,
      list: async (...[filter, page]: Parameters<LogStore['list']>) =>
        isPruned ? { total: 0, entries: [] } : logs.list(filter, page),
    },
  };
}

describe('an export whose file stands with another process', () => {
  it('is made of the same requests again, later ones left out', async (t) => {
    const { control, seed, fetched, removeFile } = await exported(t);
    const first = await fetched();
    assert.deepEqual([first.status, first.text.trim().split('\n').length], [200, 3]);
    removeFile();
    control.advance(hour);
    seed({ createdAt: control.now() });
    assert.deepEqual(await fetched(), first);
  });

  it('is gone with the first of its requests that is, and after a week', async (t) => {
    const { logs, prune } = prunedLogs();
    const { fetched, removeFile } = await exported(t, logs);
    prune();
    assert.equal((await fetched()).status, 200, 'its own file is');
    removeFile();
    assert.equal((await fetched()).status, 404);
    const old = await exported(t);
    old.removeFile();
    old.control.advance(8 * 24 * hour);
    assert.equal((await old.fetched()).status, 404);
  });
});
