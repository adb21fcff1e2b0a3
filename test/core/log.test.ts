import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, it } from 'node:test';

const log = join(import.meta.dirname, '..', '..', 'core', 'log.ts');

/** What a process that logs and then ends in some way has written. */
function written(end: string): readonly unknown[] {
  const program = `
    import { createLog } from ${JSON.stringify(log)};
    const log = createLog('info');
    log.info('first', { name: 'Zoë' });
    log.warn('second');
    ${end}`;
  const { stdout } = spawnSync(process.execPath, ['--input-type=module-typescript', '-e', program], {
    encoding: 'utf8',
  });
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const { msg, name } = JSON.parse(line) as { readonly msg: string; readonly name?: string };
      return name === undefined ? msg : `${msg} ${name}`;
    });
}

describe('the log of the gateway', () => {
  const endings = {
    'ends by itself': '',
    'is ended in the turn of its last line': 'process.exit(3);',
    'throws in the turn of its last line': "throw new Error('by design');",
    'is ended after it was flushed': 'log.flush(); process.exit(0);',
    'is ended in a later turn': 'setImmediate(() => setImmediate(() => process.exit(0)));',
  };
  for (const [name, end] of Object.entries(endings)) {
    it(`has each line once, in order, when the process ${name}`, () => {
      assert.deepEqual(written(end), ['first Zoë', 'second']);
    });
  }
});
