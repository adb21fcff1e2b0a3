import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { createLogs } from '../../../core/logs/logs.ts';
import { recordingLog } from '../../support/recording-log.ts';
import { hour, logRow, start } from './rows.ts';
import { freshFile, settingsFor, settled } from './stores.ts';

describe('a process killed while it writes', () => {
  it('leaves a database that can be read, whose rollups agree with its rows', async () => {
    const file = freshFile();
    let told = 0;
    for (const least of [400, 1000, 2000]) {
      const child = fork(join(import.meta.dirname, 'write-until-killed.ts'), [file]);
      const gone = once(child, 'exit');
      let written = 0;
      child.on('message', (count: number) => {
        written = count;
        if (count >= least) child.kill('SIGKILL');
      });
      assert.equal((await gone)[1], 'SIGKILL');
      told += written;
    }
    const logs = await createLogs(settingsFor({ kind: 'sqlite', file }), { now: Date.now, log: recordingLog().log });
    try {
      const filter = { organisationId: 'org-1', from: start, to: start + 3 * hour };
      const { total } = await logs.store.list(filter, { limit: 1, offset: 0 });
      assert.ok(total >= told, `${total} rows of ${told} that were told to be written`);
      for (const by of ['status', 'user', 'metadata:team'] as const) {
        const { rows } = await logs.store.aggregate({
          filter,
          by: [by],
          measures: ['requests'],
          limit: 100,
          offset: 0,
        });
        assert.equal(
          rows.reduce((sum, { values }) => sum + (values.requests ?? 0), 0),
          total,
          by,
        );
      }
      logs.sinks.write({ row: logRow(), bodies: undefined });
      await settled(logs);
      assert.equal(logs.state()[0]?.written, 1);
    } finally {
      await logs.close();
    }
  });
});
