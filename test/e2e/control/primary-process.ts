import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';

/** Direct children of a process. */
export function childrenOf(pid: number): readonly number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number);
}

/** The gateway that the running test has started. */
export function primary(): number {
  const pid = childrenOf(process.pid).findLast((child) =>
    readFileSync(`/proc/${child}/cmdline`, 'utf8').endsWith('core/main.ts\0'),
  );
  assert.ok(pid !== undefined, 'no gateway runs');
  return pid;
}
