import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rename, rm, symlink, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { watchOperatorFile } from '../../../core/config/watch.ts';

describe("watching the operator's file", () => {
  let folder = '';
  let path = '';
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'portcullis-watch-'));
    path = join(folder, 'portcullis.yaml');
    await writeFile(path, 'one');
  });
  afterEach(() => rm(folder, { recursive: true }));

  /** Runs `change` with a watcher on and gives how often it called, once it has called `expected` times or is overdue. */
  async function calls(expected: number, change: () => Promise<void>): Promise<number> {
    let count = 0;
    const watcher = watchOperatorFile(path, () => {
      count += 1;
    });
    try {
      await delay(100);
      await change();
      for (let waited = 0; waited < 5000 && count < expected; waited += 20) await delay(20);
      // Long enough for a call too many to show itself.
      await delay(400);
    } finally {
      watcher.close();
    }
    return count;
  }

  it('tells of a file that is written in place, once', async () => {
    assert.equal(await calls(1, () => writeFile(path, 'two')), 1);
  });

  it('tells of a file that an editor put in its place', async () => {
    assert.equal(
      await calls(1, async () => {
        await writeFile(join(folder, '.new'), 'two');
        await rename(join(folder, '.new'), path);
      }),
      1,
    );
  });

  it('tells of a symlink swap as Kubernetes makes it', async () => {
    await unlink(path);
    for (const version of ['v1', 'v2']) {
      await mkdir(join(folder, version));
      await writeFile(join(folder, version, 'portcullis.yaml'), version);
    }
    await symlink('v1', join(folder, '..data'));
    await symlink(join('..data', 'portcullis.yaml'), path);
    const swap = async () => {
      await symlink('v2', join(folder, '..data_tmp'));
      await rename(join(folder, '..data_tmp'), join(folder, '..data'));
    };
    assert.equal(await calls(1, swap), 1);
  });

  it('says nothing of the same content, of other files or of a missing file', async () => {
    assert.equal(
      await calls(0, async () => {
        await writeFile(path, 'one');
        await writeFile(join(folder, 'other.yaml'), 'x');
        await unlink(path);
      }),
      0,
    );
  });

  it('says nothing once it is closed', async () => {
    let count = 0;
    watchOperatorFile(path, () => {
      count += 1;
    }).close();
    await writeFile(path, 'two');
    await delay(400);
    assert.equal(count, 0);
  });
});
