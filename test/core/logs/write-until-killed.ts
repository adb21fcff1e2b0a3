import { packBatch } from '../../../core/logs/batch-writer.ts';
import { sqlEngine } from '../../../core/logs/sql/engine.ts';
import { openSqlite } from '../../../core/logs/sql/sqlite.ts';
import { bodiesOf, hour, logRow, start } from './rows.ts';

/**
 * Writes requests to the file of its argument, and tells its parent how many were written, until it is killed. Rollups
 * follow every few batches, so that it is killed in the middle of them as well.
 */
const engine = await sqlEngine(openSqlite(process.argv[2] ?? '', false), { bodies: 'row', settleRows: 250 }, false);
for (let written = 0; ; ) {
  const entries = Array.from({ length: 100 }, () => {
    const index = written++;
    return {
      row: logRow({
        id: `${process.pid}-${index}`,
        createdAt: start + ((index * 997) % (3 * hour)),
        metadata: { team: `team-${index % 7}` },
        user: `user-${index % 50}`,
      }),
      bodies: bodiesOf(`question ${index}`, `answer ${index}`),
    };
  });
  await engine.write(packBatch(entries));
  process.send?.(written);
  await new Promise((resolve) => setImmediate(resolve));
}
