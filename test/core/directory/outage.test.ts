import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, it } from 'node:test';
import { GatewayError } from 'portcullis/sdk';
import { createDirectory } from '../../../core/directory/directory.ts';
import { nameOf } from '../../../core/directory/paths.ts';
import { recordingLog } from '../../support/recording-log.ts';
import { noUnhandledRejections } from '../../support/rejections.ts';
import { digestOf, fakeSource } from './fake-source.ts';
import { openFake, refusalOf, until, workspace } from './support.ts';

noUnhandledRejections();

const path = ['org-1', 'main'] as const;
const patient = { loadMs: 30 } as const;

async function withOneRecord(options = {}) {
  const opened = await openFake({ ...patient, ...options });
  opened.source.put('workspace', path, workspace('org-1'));
  await opened.directory.refresh();
  const known = await opened.directory.get('workspace', ...path);
  return { ...opened, known };
}

for (const mood of ['away', 'frozen'] as const) {
  describe(`while the source is ${mood}`, () => {
    it('the last good copies serve, and the log says so once', async () => {
      const { directory, source, logged, known } = await withOneRecord();
      source.mood = mood;
      for (let round = 0; round < 20; round++) {
        directory.notify('org-1');
        assert.equal(await directory.get('workspace', ...path), known);
      }
      await until(() => directory.status.away);
      const asked = source.loads;
      for (let round = 0; round < 1000; round++) {
        const entry = directory.get('workspace', ...path);
        assert.ok(entry === known, 'at once');
      }
      assert.equal(source.loads, asked, 'requests do not ask again');
      assert.equal(logged.filter(({ event }) => event === 'directory_away').length, 1);
    });

    it('what was never loaded is refused with a time to come back, however many ask', async () => {
      const { directory, source } = await withOneRecord({ maxLoads: 4 });
      source.mood = mood;
      const asked = Array.from({ length: 2000 }, (_, index) => refusalOf(() => directory.get('key', digestOf(index))));
      for (const { code, status, headers } of await Promise.all(asked)) {
        assert.deepEqual([code, status, headers], ['not_ready', 503, { 'retry-after': '1' }]);
      }
      await until(() => directory.status.away);
      assert.throws(() => directory.get('key', digestOf(3000)), { code: 'not_ready' });
      assert.ok(source.peak <= 4);
      assert.equal(directory.status.waiting, 0);
    });

    it('a load that nobody waits for any more ends nothing when it fails', async () => {
      const { directory, source } = await withOneRecord();
      source.mood = mood;
      void directory.get('key', digestOf(1));
      await until(() => directory.status.away);
    });

    it('a miss that may not be true any more is not told as one', async () => {
      const { directory, source } = await withOneRecord();
      assert.equal(await directory.get('key', digestOf(1)), undefined);
      source.mood = mood;
      assert.equal(directory.get('key', digestOf(1)), undefined, 'nothing says that it is not');
      directory.notify('org-2');
      assert.equal((await refusalOf(() => directory.get('key', digestOf(1)))).code, 'not_ready');
    });

    it('it comes back by itself, and what changed meanwhile is seen', async () => {
      const { directory, source, logged } = await withOneRecord();
      source.mood = mood;
      directory.notify('org-1');
      await directory.get('workspace', ...path);
      await until(() => directory.status.away);
      source.put('workspace', path, workspace('org-1', { name: 'Meanwhile' }));
      source.mood = 'well';
      await until(() => !directory.status.away);
      assert.equal((await directory.get('workspace', ...path))?.name, 'Meanwhile');
      assert.equal(logged.filter(({ event }) => event === 'directory_back').length, 1);
      assert.equal(await directory.get('key', digestOf(1)), undefined);
    });
  });
}

describe('a load that fails', () => {
  const name = nameOf('workspace', path);

  it('leaves the last good copy, and is tried again behind it', async () => {
    const { directory, source, known, logged } = await withOneRecord({ retryMs: 20 });
    source.fault = { name, error: new TypeError('a loader is at fault') };
    directory.notify('org-1');
    assert.equal(await directory.get('workspace', ...path), known);
    const asked = source.loads;
    assert.equal(directory.get('workspace', ...path), known);
    assert.equal(source.loads, asked, 'not by the next request');
    source.fault = undefined;
    source.put('workspace', path, workspace('org-1', { name: 'Mended' }));
    await until(() => (directory.get('workspace', ...path) as { name: string }).name === 'Mended');
    assert.equal(directory.status.away, false);
    assert.deepEqual(
      logged.map(({ event, fields }) => [event, fields.error]),
      [['directory_load_failed', 'TypeError']],
    );
  });

  it('is told to who asks for what was never loaded, without asking for each of them', async () => {
    const { directory, source } = await openFake({ retryMs: 20 });
    source.put('workspace', path, workspace('org-1'));
    source.fault = { name, error: new TypeError('secret') };
    const told = await refusalOf(() => directory.get('workspace', ...path));
    assert.deepEqual([told.code, /secret/.test(String(told))], ['internal', false]);
    assert.throws(() => directory.get('workspace', ...path), { code: 'internal' });
    assert.equal(source.loads, 1);
    source.fault = undefined;
    await until(() => {
      try {
        return directory.get('workspace', ...path) !== undefined;
      } catch {
        return false;
      }
    });
    assert.equal((await directory.get('workspace', ...path))?.name, 'Main');
  });

  it('with an error of its own keeps that error', async () => {
    const { directory, source } = await openFake();
    source.fault = { name, error: new GatewayError('secret_unavailable', 'No secret.') };
    assert.equal((await refusalOf(() => directory.get('workspace', ...path))).code, 'secret_unavailable');
  });

  it('because it takes too long says nothing about the others, as long as the source answers at all', async () => {
    const { directory, source } = await withOneRecord();
    source.loadMood = 'frozen';
    for (let index = 0; index < 5; index++) {
      assert.equal((await refusalOf(() => directory.get('key', digestOf(index)))).code, 'not_ready');
      await directory.refresh();
    }
    source.loadMood = undefined;
    assert.equal(directory.status.away, false);
    assert.equal(await directory.get('key', digestOf(1)), undefined);
  });
});

describe('a process that is busy for longer than a load may take', () => {
  /** An answer that has been sent at once, and is read when this process comes to it. */
  async function answer(): Promise<void> {
    const { port1, port2 } = new MessageChannel();
    port2.postMessage('here');
    await once(port1, 'message');
    port1.close();
  }

  it('takes the answers that have come in the meantime', async () => {
    const { directory, source } = await withOneRecord({ loadMs: 100 });
    source.put('workspace', path, workspace('org-1', { name: 'Changed' }));
    const { versions } = source;
    const begun = Promise.withResolvers<void>();
    source.versions = async (...asked) => {
      await answer();
      return versions(...asked);
    };
    source.during = () => {
      begun.resolve();
      return answer();
    };
    await new Promise(setImmediate);
    const asking = directory.refresh();
    const loading = directory.get('key', digestOf(1));
    await begun.promise;
    const end = performance.now() + 300;
    while (performance.now() < end);
    assert.equal(await loading, undefined);
    await asking;
    assert.equal((await directory.get('workspace', ...path))?.name, 'Changed');
  });
});

describe('a closed directory', () => {
  it('leaves no timer, gives what it knows, and lets nobody wait', async (t) => {
    const loadMs = 60_000;
    const set = t.mock.method(globalThis, 'setTimeout');
    const cleared = t.mock.method(globalThis, 'clearTimeout');
    const running = () => {
      const ended = new Set<unknown>(cleared.mock.calls.map(({ arguments: [timer] }) => timer));
      // The directories of other tests may set timers meanwhile.
      const own = set.mock.calls.filter(({ arguments: [, ms] }) => ms === loadMs);
      return own.filter(({ result }) => !ended.has(result)).length;
    };
    const source = fakeSource();
    const directory = createDirectory(source, { log: recordingLog().log, now: () => 0, loadMs });
    await directory.refresh();
    source.put('workspace', path, workspace('org-1'));
    const known = await directory.get('workspace', ...path);
    source.mood = 'frozen';
    const waiting = refusalOf(() => directory.get('key', digestOf(1)));
    await new Promise(setImmediate);
    assert.ok(running() > 0);
    await directory.close();
    assert.equal((await waiting).code, 'not_ready');
    assert.equal((await refusalOf(() => directory.get('key', digestOf(2)))).code, 'not_ready');
    assert.equal(directory.get('workspace', ...path), known);
    assert.equal(running(), 0);
    assert.equal(source.closed, true);
  });
});
