import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import { createLogs, type Logs } from '../../../core/logs/logs.ts';
import { objectPath } from '../../../core/logs/objects/paths.ts';
import type { LogsSettings } from '../../../core/logs/settings.ts';
import { isUnavailable } from '../../../core/store/failures.ts';
import { freePort } from '../../support/guarded-server.ts';
import { recordingLog } from '../../support/recording-log.ts';
import { type S3, startS3 } from '../../support/s3.ts';
import { bodiesOf, hour, logRow, start } from './rows.ts';
import { freshFile, settingsFor, settled } from './stores.ts';

const credentials = {
  accessKey: 'AKIDEXAMPLE',
  secretKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
  region: 'eu-west-1',
};

describe('bodies in an object store', () => {
  let s3: S3;
  before(async () => {
    s3 = await startS3(credentials);
  });
  after(() => s3.close());
  beforeEach(() => {
    s3.failing = undefined;
    s3.objects.clear();
  });

  const opened: Logs[] = [];
  after(() => Promise.all(opened.map((logs) => logs.close())));
  async function open(file: string, given: Partial<NonNullable<LogsSettings['objects']>> = {}, breaker = {}) {
    const objects = {
      ...credentials,
      bucket: 'logs',
      basePath: 'gateway/eu',
      endpoint: s3.endpoint,
      pathFormat: 'v1' as const,
      ...given,
    };
    const settings = settingsFor(
      { kind: 'sqlite', file },
      {
        objects,
        queue: { batchMs: 10, closeMs: 50 },
        breaker: { failureThreshold: 2, backoffMs: 20, timeoutMs: 10_000, ...breaker },
      },
    );
    const { log, logged } = recordingLog();
    const logs = await createLogs(settings, { now: Date.now, log });
    opened.push(logs);
    return { logs, logged };
  }

  it('are written as gzip’d JSON under signed requests, and read back; requests without bodies make no object', async () => {
    const { logs } = await open(freshFile());
    const entry = { row: logRow({ organisationId: 'org ü/1' }), bodies: bodiesOf('{"q":"é"}', 'answer') };
    logs.sinks.write(entry);
    logs.sinks.write({ row: logRow(), bodies: undefined });
    await settled(logs);
    const [[key, bytes] = ['', Buffer.alloc(0)], ...others] = s3.objects;
    assert.equal(key, `logs/gateway/eu/org~20~C3~BC~2F1/${entry.row.id}.json`);
    assert.deepEqual(JSON.parse(gunzipSync(bytes).toString()), entry.bodies);
    assert.deepEqual(others, []);
    assert.deepEqual(await logs.store.find('org ü/1', entry.row.id), entry);
    assert.deepEqual(
      logs.state().map(({ sink, written, dropped }) => ({ sink, written, dropped })),
      [
        { sink: 'sqlite', written: 2, dropped: 0 },
        { sink: 's3', written: 1, dropped: 0 },
      ],
    );
  });

  it('stay readable where they were written when the form of the paths changes', async () => {
    const file = freshFile();
    const { logs: before } = await open(file, { pathFormat: 'v1' });
    const flat = { row: logRow({ createdAt: start }), bodies: bodiesOf('a', 'b') };
    before.sinks.write(flat);
    await settled(before);
    const { logs } = await open(file, { pathFormat: 'v2' });
    const timed = { row: logRow({ createdAt: start + hour }), bodies: bodiesOf('c', 'd') };
    logs.sinks.write(timed);
    await settled(logs);
    assert.deepEqual(
      [...s3.objects.keys()],
      [`logs/gateway/eu/org-1/${flat.row.id}.json`, `logs/gateway/eu/org-1/2026/01/05/11/${timed.row.id}.json`],
    );
    const filter = { organisationId: 'org-1', from: start, to: start + 2 * hour };
    const { entries } = await logs.store.list(filter, { limit: 9, offset: 0, bodies: true });
    assert.deepEqual(entries, [timed, flat]);
  });

  it('are absent, and nothing else is, where the object is gone', async () => {
    const { logs } = await open(freshFile());
    const row = logRow();
    logs.sinks.write({ row, bodies: bodiesOf('a', 'b') });
    await settled(logs);
    s3.objects.clear();
    assert.deepEqual(await logs.store.find('org-1', row.id), { row, bodies: undefined });
  });

  it('are absent as well where the object holds none, which the operator is told', async () => {
    const { logs, logged } = await open(freshFile());
    const row = logRow();
    logs.sinks.write({ row, bodies: bodiesOf('a', 'b') });
    await settled(logs);
    const [[key, whole] = ['', Buffer.alloc(0)]] = s3.objects;
    const half = { request: { headers: {}, body: 'a' }, truncated: false };
    const damaged = [whole.subarray(0, whole.length - 9), '', '{}', gzipSync('{"a'), gzipSync('null'), gzipSync('[]')];
    for (const bytes of [...damaged, gzipSync(JSON.stringify(half))]) {
      s3.objects.set(key, Buffer.from(bytes));
      assert.deepEqual(await logs.store.find('org-1', row.id), { row, bodies: undefined }, String(bytes));
      const { entries } = await logs.store.list(
        { organisationId: 'org-1', from: row.createdAt, to: row.createdAt + 1 },
        { limit: 1, offset: 0, bodies: true },
      );
      assert.deepEqual(entries, [{ row, bodies: undefined }]);
    }
    const told = logged.filter(({ event }) => event === 'log_bodies_damaged');
    assert.deepEqual([told.length, told[0]?.fields.id], [14, row.id]);
  });

  it('cannot be read while the store is away, which is told from a fault of the gateway', async () => {
    const { logs } = await open(freshFile(), {}, { timeoutMs: 500 });
    const { logs: nowhere } = await open(freshFile(), { endpoint: `http://127.0.0.1:${await freePort()}` });
    const row = logRow();
    for (const { sinks } of [logs, nowhere]) sinks.write({ row, bodies: bodiesOf('a', 'b') });
    await settled(logs);
    const readFrom = ({ store }: Logs) => store.find('org-1', row.id);
    for (const failing of [503, 'silence'] as const) {
      s3.failing = failing;
      await assert.rejects(readFrom(logs), isUnavailable, String(failing));
    }
    while (nowhere.state()[0]?.queued !== 0) await new Promise((resolve) => setTimeout(resolve, 5));
    await assert.rejects(readFrom(nowhere), isUnavailable);
    s3.failing = 403;
    await assert.rejects(readFrom(logs), (error) => !isUnavailable(error));
  });

  it('are kept back while the store fails, without holding up the rows, and written once it is back', async () => {
    const { logs, logged } = await open(freshFile());
    s3.failing = 503;
    const entry = { row: logRow(), bodies: bodiesOf('a', 'b') };
    logs.sinks.write(entry);
    while (!logged.some(({ fields }) => fields.to === 'probing'))
      await new Promise((resolve) => setTimeout(resolve, 5));
    assert.equal(logs.state()[0]?.written, 1);
    assert.equal(logs.state()[1]?.queued, 1);
    s3.failing = undefined;
    await settled(logs);
    assert.deepEqual(await logs.store.find('org-1', entry.row.id), entry);
    assert.equal(logged.at(-1)?.fields.to, 'closed');
  });

  it('are dropped and counted when the credentials are wrong and the gateway ends', async () => {
    const { logs } = await open(freshFile(), { secretKey: 'another' });
    logs.sinks.write({ row: logRow(), bodies: bodiesOf('a', 'b') });
    while (!s3.statuses.includes(403)) await new Promise((resolve) => setTimeout(resolve, 5));
    await logs.close();
    assert.deepEqual(logs.state()[1], {
      sink: 's3',
      queued: 0,
      written: 0,
      dropped: 1,
      breaker: logs.state()[1]?.breaker,
    });
    assert.equal(s3.objects.size, 0);
  });

  it('give up on a store that never answers within the time of a call', async () => {
    const { logs, logged } = await open(freshFile(), {}, { timeoutMs: 3000 });
    s3.failing = 'silence';
    logs.sinks.write({ row: logRow(), bodies: bodiesOf('a', 'b') });
    while (!logged.some(({ event }) => event === 'log_write_failed'))
      await new Promise((resolve) => setTimeout(resolve, 5));
    assert.equal(logs.state()[1]?.queued, 1);
  });
});

it('the path of an object names the hour of the request in its second form, in UTC', () => {
  const row = { organisationId: 'org-1', id: 'a/b', createdAt: Date.UTC(2026, 11, 31, 23, 59) };
  assert.equal(objectPath(row, 'v1', ''), 'org-1/a~2Fb.json');
  assert.equal(objectPath(row, 'v2', 'base'), 'base/org-1/2026/12/31/23/a~2Fb.json');
});
