import { createLogs } from '../../../core/logs/logs.ts';
import { recordingLog } from '../../support/recording-log.ts';
import { hour, logRow, start } from './rows.ts';
import { settingsFor } from './stores.ts';

/** Writes requests to the file of its argument, and tells its parent how many were written, until it is killed. */
const settings = settingsFor(
  { kind: 'sqlite', file: process.argv[2] ?? '' },
  { queue: { batchEntries: 200, batchMs: 5 } },
);
const logs = await createLogs(settings, { now: Date.now, log: recordingLog().log });
for (let index = 0; ; index++) {
  const metadata = { team: `team-${index % 7}` };
  logs.sinks.write({
    row: logRow({
      id: `${process.pid}-${index}`,
      createdAt: start + ((index * 997) % (3 * hour)),
      metadata,
      user: `user-${index % 50}`,
    }),
    bodies: undefined,
  });
  if (index % 100 === 0) {
    process.send?.(logs.state()[0]?.written ?? 0);
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}
