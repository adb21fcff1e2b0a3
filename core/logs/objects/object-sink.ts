import { entriesOf, type PackedBatch } from '../packed-batch.ts';
import type { LogsSettings } from '../settings.ts';
import type { Refused } from '../sink.ts';
import { objectStore } from './object-store.ts';

const atOnce = 16;

export interface ObjectSink {
  write(batch: PackedBatch): Promise<Refused>;
  close(): Promise<void>;
}

/** Writes bodies to the object store of the settings, some at once; the first that fails is told when the others are done. */
export function openObjectSink({ objects, breaker }: LogsSettings): ObjectSink {
  if (objects === undefined) throw new Error('There is no object store.');
  const store = objectStore(objects, breaker.timeoutMs);
  return {
    write: async (batch) => {
      const waiting = [...entriesOf(batch)];
      const failures: unknown[] = [];
      const work = async () => {
        for (let entry = waiting.shift(); entry !== undefined && failures.length === 0; entry = waiting.shift()) {
          if (entry.bodies !== undefined) await store.put(entry.row, entry.bodies);
        }
      };
      const workers = Array.from({ length: atOnce }, () => work().catch((error: unknown) => failures.push(error)));
      await Promise.all(workers);
      if (failures.length > 0) throw failures[0];
      return { count: 0 };
    },
    close: () => store.close(),
  };
}
