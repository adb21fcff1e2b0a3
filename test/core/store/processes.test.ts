import assert from 'node:assert/strict';
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { it } from 'node:test';
import { openVault } from '../../../core/secrets/vault.ts';
import type { StoreOptions } from '../../../core/store/store.ts';
import { recordingLog } from '../../support/recording-log.ts';
import { onEachStore } from '../../support/stores.ts';

interface Report {
  readonly migrated: readonly string[];
  readonly sealed: string;
  readonly checksumKey: string;
}

const script = join(import.meta.dirname, 'start-together.ts');

function start(options: StoreOptions, mode: 'start' | 'hang'): ChildProcess {
  return fork(script, [JSON.stringify([options, mode])], { execArgv: [] });
}

async function reportOf(child: ChildProcess): Promise<Report> {
  const told = await Promise.race([once(child, 'message'), once(child, 'exit')]);
  assert.equal(typeof told[0], 'object', 'the process ended without a report');
  return told[0] as Report;
}

onEachStore(
  (_name, open, fresh) => {
    it('serves processes that start at once: one schema, one set of keys, no lost update', async () => {
      const options = await fresh();
      const reports = await Promise.all(Array.from({ length: 4 }, () => reportOf(start(options, 'start'))));
      assert.deepEqual(reports.flatMap(({ migrated }) => migrated).toSorted(), [
        'core/001_encryption_keys',
        'test/001_counter',
      ]);
      assert.equal(new Set(reports.map(({ checksumKey }) => checksumKey)).size, 1);
      const store = await open(options);
      assert.equal((await store.db('counter').first('count')).count, 80);
      const material = { key: Buffer.alloc(32, 7), previous: [], source: 'a test' };
      const vault = await openVault(store, material, recordingLog().log);
      for (const { sealed } of reports) assert.equal(vault.unseal(sealed, 'x/1'), 'hello');
      vault.close();
    });

    it('lets another process migrate when the one that began is killed', async () => {
      const options = await fresh();
      const crashing = start(options, 'hang');
      await once(crashing, 'message');
      crashing.kill('SIGKILL');
      await once(crashing, 'exit');
      if (options.kind === 'mysql') {
        // What a change of the schema did before the crash stays there; the operator clears it away.
        const store = await open(options);
        await store.db.schema.dropTable('counter');
      }
      const { migrated } = await reportOf(start(options, 'start'));
      assert.deepEqual(migrated, ['test/001_counter']);
    });
  },
  { memory: false, file: true },
);
