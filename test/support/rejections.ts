import assert from 'node:assert/strict';
import { after } from 'node:test';

/** Fails the file when any promise of it was rejected without anybody looking. Call it at the top of a file. */
export function noUnhandledRejections(): void {
  const seen: unknown[] = [];
  process.on('unhandledRejection', (reason) => seen.push(reason));
  after(() => assert.deepEqual(seen, []));
}
