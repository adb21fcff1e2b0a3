import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { asArray, asObject, type JsonObject } from 'portcullis/sdk';
import { batchTable, pieceTable } from '../../core/batches/tables.ts';
import type { StoreOptions } from '../../core/store/store.ts';
import { limitedWorld, type World } from '../plugins/limits/world.ts';
import { type ControlOptions, startControl, type TestControl, testKeyMaterial } from '../support/control.ts';
import type { Act, PeerRequest } from '../support/peer.ts';
import { noUnhandledRejections } from '../support/rejections.ts';
import { onEachStore } from '../support/stores.ts';
import { fileOf, line, linesIn, says } from './batches-world.ts';

noUnhandledRejections();

const hurried = (ms: number, signal?: AbortSignal) =>
  delay(Math.min(ms, 2), undefined, signal === undefined ? {} : { signal });

const lines = (count: number) =>
  fileOf(Array.from({ length: count }, (_, index) => line(`${index}`, says('Hello.', { model: '@prod/gpt-4o-mini' }))));

async function world(
  t: TestContext,
  store: StoreOptions,
  content: string,
  chat: (request: PeerRequest) => Act = () => ({}),
  options: ControlOptions = {},
) {
  const made = await limitedWorld(t, { store, overrides: { sleep: hurried }, ...options });
  made.peer.always((request) =>
    request.url.includes('/files/')
      ? { body: content, headers: { 'content-type': 'application/jsonl' } }
      : chat(request),
  );
  return made;
}

const create = ({ control }: Pick<World, 'control'>, key: string) =>
  control.ok('POST', '/v1/batches', {
    key,
    headers: { 'x-gw-virtual-key': 'prod' },
    body: { input_file_id: 'file-in', endpoint: '/v1/chat/completions', completion_window: 'immediate' },
  });

async function ended(control: Pick<TestControl, 'ok'>, key: string, id: unknown): Promise<JsonObject> {
  for (let tries = 0; tries < 1000; tries += 1) {
    const batch = await control.ok('GET', `/v1/batches/${String(id)}`, { key });
    if (['completed', 'failed', 'expired', 'cancelled'].includes(String(batch.status))) return batch;
    await delay(20);
  }
  return assert.fail(`${String(id)} was never over`);
}

const rows = async ({ gateway }: TestControl, table: string): Promise<number> => {
  const all: readonly unknown[] = (await gateway.control?.store.db(table)) ?? [];
  return all.length;
};

onEachStore(
  (_name, _open, fresh) => {
    it('keeps batches and their files, for their workspace alone', async (t) => {
      const made = await world(t, await fresh(), lines(3));
      const { control } = made;
      const { key } = await made.key();
      const { id } = await create(made, key);
      const batch = await ended(control, key, id);
      assert.deepEqual([batch.status, batch.request_counts], ['completed', { total: 3, completed: 3, failed: 0 }]);
      const content = await control.call('GET', `/v1/files/${String(batch.output_file_id)}/content`, { key });
      assert.equal(linesIn(content.text).length, 3);
      const other = await control.ok('POST', '/v1/workspaces', { body: { name: 'Other' } });
      const { key: foreign } = await control.ok('POST', '/v1/api-keys/workspace/service', {
        body: { name: 'other', workspace_id: String(other.id), scopes: ['completions.write'] },
      });
      const asks: readonly (readonly [string, string])[] = [
        ['GET', `/v1/batches/${String(id)}`],
        ['GET', `/v1/batches/${String(id)}/output`],
        ['POST', `/v1/batches/${String(id)}/cancel`],
        ['GET', `/v1/files/${String(batch.output_file_id)}`],
        ['GET', `/v1/files/${String(batch.output_file_id)}/content`],
        ['DELETE', `/v1/files/${String(batch.output_file_id)}`],
      ];
      for (const [method, path] of asks)
        assert.equal((await control.call(method, path, { key: String(foreign) })).status, 404, `${method} ${path}`);
      assert.deepEqual((await control.ok('GET', '/v1/batches', { key: String(foreign) })).data, []);
      const { key: reader } = await control.ok('POST', '/v1/api-keys/workspace/service', {
        body: { name: 'reader', workspace_id: made.workspaceId, scopes: ['logs.view'] },
      });
      const refused = await control.call('POST', '/v1/batches', { key: String(reader), body: {} });
      assert.equal(refused.status, 403);
      const listed = await control.ok('GET', '/v1/batches', { key });
      assert.deepEqual(
        asArray(listed.data).map((item) => asObject(item)?.id),
        [id],
      );
      assert.equal(
        (await control.call('GET', `/v1/batches/${String(id)}`, { headers: {}, key: 'pk-unknown' })).status,
        401,
      );
    });

    it('refuses the lines that a limit has no room for, and completes', async (t) => {
      const made = await world(t, await fresh(), lines(20));
      const { key } = await made.key({ usage_limits: [{ type: 'requests', credit_limit: 11 }] });
      const { id } = await create(made, key);
      const batch = await ended(made.control, key, id);
      assert.equal(batch.status, 'completed');
      // The first of them has read the file.
      assert.deepEqual(batch.request_counts, { total: 20, completed: 10, failed: 10 });
      const content = await made.control.call('GET', `/v1/files/${String(batch.error_file_id)}/content`, { key });
      for (const { response } of linesIn(content.text)) assert.equal(asObject(response)?.status_code, 412);
    });

    it('ends with its key: what comes behind the revocation is refused', async (t) => {
      let asked = 0;
      const gone = Promise.withResolvers<void>();
      const made = await world(t, await fresh(), lines(60), () => {
        asked += 1;
        return asked > 25 ? { before: gone.promise } : {};
      });
      const { id: keyId, key } = await made.key();
      const { key: other } = await made.key();
      const { id } = await create(made, key);
      while (asked < 50) await delay(5);
      await made.control.ok('DELETE', `/v1/api-keys/${keyId}`);
      gone.resolve();
      const batch = await ended(made.control, other, id);
      assert.deepEqual(batch.request_counts, { total: 60, completed: 50, failed: 10 });
      const content = await made.control.call('GET', `/v1/files/${String(batch.error_file_id)}/content`, {
        key: other,
      });
      for (const { response } of linesIn(content.text)) assert.equal(asObject(response)?.status_code, 401);
    });

    it('fails where its process has died, and what was finished can be read elsewhere', async (t) => {
      let asked = 0;
      const store = await fresh();
      const keyMaterial = testKeyMaterial();
      const made = await world(
        t,
        store,
        lines(30),
        () => {
          asked += 1;
          return asked > 5 ? { before: 'never' } : {};
        },
        { keyMaterial },
      );
      const { key } = await made.key();
      const { id } = await create(made, key);
      const second = await startControl(t, { store, keyMaterial });
      for (let tries = 0; ; tries += 1) {
        const seen = await second.ok('GET', `/v1/batches/${String(id)}`, { key });
        assert.ok(seen.status === 'validating' || seen.status === 'in_progress', String(seen.status));
        if (asObject(seen.request_counts)?.completed === 5) break;
        assert.ok(tries < 500);
        await delay(20);
      }
      // A process that dies says nothing any more; this one says what it has lost.
      const db = second.gateway.control?.store.db;
      assert.ok(db !== undefined);
      await db(batchTable).update({ holder: 'of-a-dead-process' });
      await delay(1_500);
      // Its clock began later than that of the first.
      second.advance(600_000);
      const batch = await second.ok('GET', `/v1/batches/${String(id)}`, { key });
      assert.equal(batch.status, 'failed');
      const [fault] = asArray(asObject(batch.errors)?.data).map(asObject);
      assert.equal(fault?.code, 'process_died');
      const content = await second.call('GET', `/v1/batches/${String(id)}/output`, { key });
      assert.equal(linesIn(content.text).length, 5);
    });

    it('is cancelled from another process', async (t) => {
      const store = await fresh();
      const keyMaterial = testKeyMaterial();
      let asked = 0;
      const held = Promise.withResolvers<void>();
      const made = await world(
        t,
        store,
        lines(100),
        () => {
          asked += 1;
          return asked > 10 ? { before: held.promise } : {};
        },
        { keyMaterial },
      );
      const { key } = await made.key();
      const { id } = await create(made, key);
      while (asked < 30) await delay(5);
      const second = await startControl(t, { store, keyMaterial });
      const cancelled = await second.ok('POST', `/v1/batches/${String(id)}/cancel`, { key });
      assert.equal(cancelled.status, 'cancelling');
      await delay(1_500);
      held.resolve();
      const batch = await ended(second, key, id);
      assert.equal(batch.status, 'cancelled');
      assert.ok(Number(asObject(batch.request_counts)?.completed) < 60);
    });

    it('is forgotten after a month', async (t) => {
      const made = await world(t, await fresh(), lines(2));
      const { key } = await made.key();
      await ended(made.control, key, (await create(made, key)).id);
      await made.control.runJob('core.old-batches');
      assert.deepEqual([await rows(made.control, batchTable), await rows(made.control, pieceTable)], [1, 1]);
      made.control.advance(31 * 86_400_000);
      await made.control.runJob('core.old-batches');
      assert.deepEqual([await rows(made.control, batchTable), await rows(made.control, pieceTable)], [0, 0]);
    });
  },
  { file: true, memory: false },
);
