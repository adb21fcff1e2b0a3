import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createLogs } from '../../../core/logs/logs.ts';
import { startMariaDb } from '../../support/mariadb.ts';
import { recordingLog } from '../../support/recording-log.ts';
import { clickHouseSettings } from './click-house.ts';
import { logRow, start } from './rows.ts';
import { freshFile, settingsFor, settled } from './stores.ts';

const breaker = { failureThreshold: 2, backoffMs: 50, timeoutMs: 20_000 };
const queue = { batchMs: 10, closeMs: 100 };
const plain = () => ({ row: logRow(), bodies: undefined });

type Mode = 'takes' | 'fails' | 'is silent';

/** Answers like a ClickHouse that takes every insert, fails, or says nothing. */
async function clickHouseServer() {
  const server = { mode: 'takes' as Mode, inserts: 0, url: '', close: () => {} };
  const reply = (response: ServerResponse, inserts: boolean) => {
    if (server.mode === 'is silent') return;
    if (server.mode === 'fails') return response.writeHead(503).end('Code: 241. DB::Exception: Memory limit exceeded.');
    if (inserts) server.inserts += 1;
    return response.end();
  };
  const http = createServer((request, response) => {
    let text = request.url ?? '';
    request.on('data', (chunk: Buffer) => {
      text += chunk.toString();
    });
    request.on('end', () => reply(response, text.includes('INSERT')));
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  server.url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  server.close = () => {
    http.closeAllConnections();
    http.close();
  };
  return server;
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await sleep(5);
}

describe('logs on ClickHouse over the network', () => {
  it('start without the server, and are written once it answers', async () => {
    const server = await clickHouseServer();
    server.mode = 'fails';
    const { log, logged } = recordingLog();
    const settings = settingsFor({ ...clickHouseSettings, url: server.url }, { breaker, queue });
    const logs = await createLogs(settings, { now: Date.now, log });
    assert.equal(logged[0]?.event, 'log_store_unreachable');
    for (let count = 0; count < 30; count++) logs.sinks.write(plain());
    await until(() => logs.state()[0]?.breaker === 'open');
    assert.equal(logs.state()[0]?.queued, 30);
    await assert.rejects(logs.store.find('org-1', 'any'));
    server.mode = 'takes';
    await settled(logs);
    const [state] = logs.state();
    assert.deepEqual(state, { sink: 'clickhouse', queued: 0, written: 30, dropped: 0, breaker: 'closed' });
    assert.ok(server.inserts >= 1);
    await logs.close();
    server.close();
  });

  it('give up a write that is not answered in time, keep within their bounds, and count what they lose', async () => {
    const server = await clickHouseServer();
    const { log, logged } = recordingLog();
    const settings = settingsFor(
      { ...clickHouseSettings, url: server.url },
      { breaker: { ...breaker, timeoutMs: 3000 }, queue: { ...queue, maxEntries: 500 } },
    );
    const logs = await createLogs(settings, { now: Date.now, log });
    server.mode = 'is silent';
    for (let count = 0; count < 2000; count++) logs.sinks.write(plain());
    assert.equal(logs.state()[0]?.queued, 500);
    assert.equal(logs.state()[0]?.dropped, 1500);
    await until(() => logged.some(({ event }) => event === 'log_write_failed'));
    await logs.close();
    const [state] = logs.state();
    assert.equal((state?.written ?? 0) + (state?.dropped ?? 0), 2000);
    assert.equal(state?.queued, 0);
    server.close();
  });
});

describe('logs on MariaDB', () => {
  it('wait in the queue while the server is frozen, and are all there afterwards, once', async () => {
    const server = await startMariaDb();
    const { port, user, password } = server;
    const store = {
      kind: 'mysql' as const,
      database: await server.createDatabase(),
      writer: { host: '127.0.0.1', port, user, password },
      poolSize: 2,
    };
    const { log } = recordingLog();
    const settings = settingsFor({ kind: 'mysql', store }, { breaker: { ...breaker, timeoutMs: 2000 }, queue });
    const logs = await createLogs(settings, { now: Date.now, log });
    for (let count = 0; count < 300; count++) logs.sinks.write(plain());
    await settled(logs);
    server.freeze();
    for (let count = 0; count < 300; count++) logs.sinks.write(plain());
    await until(() => logs.state()[0]?.breaker === 'open');
    // What was under way may still be applied, and comes again.
    server.thaw();
    await settled(logs);
    const filter = { organisationId: 'org-1', from: start, to: start + 1e9 };
    assert.equal((await logs.store.list(filter, { limit: 1, offset: 0 })).total, 600);
    const { rows } = await logs.store.aggregate({ filter, by: [], measures: ['requests'], limit: 1, offset: 0 });
    assert.equal(rows[0]?.values.requests, 600);
    assert.deepEqual(logs.state()[0], { sink: 'mysql', queued: 0, written: 600, dropped: 0, breaker: 'closed' });
    await logs.close();
    await server.close();
  });
});

describe('the logs', () => {
  it('refuse to start over a file that is no database, or in a folder that cannot be made', async () => {
    const file = freshFile();
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, 'no database at all, but a text that is long enough'.repeat(100));
    for (const path of [file, '/dev/null/logs.db']) {
      const settings = settingsFor({ kind: 'sqlite', file: path });
      await assert.rejects(createLogs(settings, { now: Date.now, log: recordingLog().log }), { code: 'not_ready' });
    }
  });

  it('cut bodies at their bound, between characters, and mark what was cut', async () => {
    const logs = await createLogs(settingsFor({ kind: 'sqlite', file: freshFile() }, { maxBodyBytes: 10, queue }), {
      now: Date.now,
      log: recordingLog().log,
    });
    const bodies = (request: string | Uint8Array, response: string | Uint8Array) => ({
      request: { headers: {}, body: request },
      response: { headers: {}, body: response },
      truncated: false,
    });
    const cases = [
      { given: bodies('0123456789', 'ééééé'), kept: bodies('0123456789', 'ééééé') },
      { given: bodies('0123456789a', 'a'), kept: { ...bodies('0123456789', 'a'), truncated: true } },
      { given: bodies('aéééééé', Buffer.from('ab😀😀😀')), kept: { ...bodies('aéééé', 'ab😀😀'), truncated: true } },
      { given: bodies('x'.repeat(100_000), 'x'), kept: { ...bodies('x'.repeat(10), 'x'), truncated: true } },
    ];
    for (const { given, kept } of cases) {
      const row = logRow();
      logs.sinks.write({ row, bodies: given });
      await settled(logs);
      assert.deepEqual((await logs.store.find('org-1', row.id))?.bodies, kept);
    }
    await logs.close();
  });
});
