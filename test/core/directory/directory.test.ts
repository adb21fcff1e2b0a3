import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { digestOf } from './fake-source.ts';
import { openFake, refusalOf, workspace } from './support.ts';

const path = ['org-1', 'main'] as const;

describe('what a directory knows', () => {
  it('is loaded once for a thousand who ask at the same time', async () => {
    const { directory, source } = await openFake();
    source.put('workspace', path, workspace('org-1'));
    const entries = await Promise.all(Array.from({ length: 1000 }, () => directory.get('workspace', ...path)));
    assert.equal(source.loads, 1);
    assert.equal(new Set(entries).size, 1);
    assert.deepEqual(entries[0], workspace('org-1'));
  });

  it('is given at once and as the same object from then on, frozen to its depth', async () => {
    const { directory, source } = await openFake();
    source.put('workspace', path, workspace('org-1'));
    const first = await directory.get('workspace', ...path);
    const second = directory.get('workspace', ...path);
    assert.ok(first !== undefined && second === first);
    assert.ok(Object.isFrozen(first) && Object.isFrozen(first.security.deep));
  });

  it('stays the same object over reloads that bring nothing new', async () => {
    const { directory, source } = await openFake();
    source.put('workspace', path, workspace('org-1'));
    const first = await directory.get('workspace', ...path);
    directory.notify('org-1');
    assert.equal(await directory.get('workspace', ...path), first);
    assert.equal(source.loads, 2);
    source.put('workspace', path, workspace('org-1', { name: 'New' }));
    directory.notify('org-1');
    assert.equal((await directory.get('workspace', ...path))?.name, 'New');
  });

  it('does not change with what the loader keeps', async () => {
    const { directory, source } = await openFake();
    const shared = workspace('org-1');
    source.load = async () => ({ entry: shared });
    const entry = await directory.get('workspace', ...path);
    shared.name = 'Changed';
    assert.equal(entry?.name, 'Main');
  });

  it('includes what is missing', async () => {
    const { directory, source } = await openFake();
    assert.equal(await directory.get('config', 'org-1', 'ws-1', 'none'), undefined);
    assert.equal(directory.get('config', 'org-1', 'ws-1', 'none'), undefined);
    assert.equal(source.loads, 1);
  });

  it('keeps paths apart whose parts run together', async () => {
    const { directory, source } = await openFake();
    source.put('config', ['org-1', 'a', 'b\0c'], { organisationId: 'org-1', id: 'wrong' });
    source.put('config', ['org-1', 'a', 'bc'], { organisationId: 'org-1', id: 'right' });
    assert.equal(await directory.get('config', 'org-1', 'a', 'b\0c'), undefined);
    assert.equal((await directory.get('config', 'org-1', 'a', 'bc'))?.id, 'right');
  });

  const implausible: readonly (readonly [string, string, readonly string[]])[] = [
    ['a key that is no digest', 'key', ['sk-plain']],
    ['a digest in capitals', 'session', ['A'.repeat(64)]],
    ['an empty part', 'config', ['org-1', '', 'x']],
    ['a part that is too long', 'config', ['org-1', 'ws', 'x'.repeat(256)]],
    ['half a character', 'config', ['org-1', 'ws', '\ud800']],
  ];
  for (const [what, kind, parts] of implausible) {
    it(`never asks for ${what}`, async () => {
      const { directory, source } = await openFake();
      assert.equal(directory.get(kind as 'config', ...parts), undefined);
      assert.deepEqual([source.loads, directory.status.misses], [0, 0]);
    });
  }

  it('refuses a path with too few parts, which is a mistake of a plugin', async () => {
    const { directory } = await openFake();
    assert.throws(() => directory.get('config', 'org-1', 'main'), { code: 'internal', message: /3 parts/ });
  });

  it('never gives a record of another organisation than the path names', async () => {
    const { directory, source, logged } = await openFake();
    source.put('workspace', path, workspace('org-2'));
    const refusal = await refusalOf(() => directory.get('workspace', ...path));
    assert.equal(refusal.code, 'internal');
    assert.equal(logged.filter(({ event }) => event === 'directory_load_failed').length, 1);
  });
});

describe('a change', () => {
  it('makes what is known of the organisation stale at once, and nothing else', async () => {
    const { directory, source } = await openFake();
    for (const organisation of ['org-1', 'org-2']) {
      source.put('workspace', [organisation, 'main'], workspace(organisation));
      await directory.get('workspace', organisation, 'main');
    }
    source.remove('workspace', path, 'org-1');
    directory.notify('org-1');
    assert.equal(await directory.get('workspace', ...path), undefined);
    assert.equal((directory.get('workspace', 'org-2', 'main') as { id: string }).id, 'ws-1');
    assert.equal(source.loads, 3);
  });

  it('of any organisation makes missing keys be looked for again; other misses go with their own', async () => {
    const { directory, source } = await openFake();
    const key = digestOf(1);
    await directory.get('key', key);
    await directory.get('config', 'org-1', 'ws-1', 'new');
    source.put('key', [key], { organisationId: 'org-2', id: 'key-1' });
    directory.notify('org-2');
    assert.equal((await directory.get('key', key))?.id, 'key-1');
    assert.equal(directory.get('config', 'org-1', 'ws-1', 'new'), undefined);
    source.put('config', ['org-1', 'ws-1', 'new'], { organisationId: 'org-1', id: 'config-1' });
    directory.notify('org-1');
    assert.equal((await directory.get('config', 'org-1', 'ws-1', 'new'))?.id, 'config-1');
  });

  it('is seen by another directory with its next question', async () => {
    const { directory, source } = await openFake();
    const { directory: other } = await openFake({ now: () => 0 });
    const key = digestOf(2);
    source.put('key', [key], { organisationId: 'org-1', id: 'key-1' });
    await directory.refresh();
    assert.ok(await directory.get('key', key));
    source.remove('key', [key], 'org-1');
    other.notify('org-1');
    assert.ok(directory.get('key', key), 'nothing has told it yet');
    await directory.refresh();
    assert.equal(await directory.get('key', key), undefined);
  });

  it('that is told twice does not load twice', async () => {
    const { directory, source } = await openFake();
    source.put('workspace', path, workspace('org-1'));
    await directory.refresh();
    await directory.get('workspace', ...path);
    await directory.refresh();
    await directory.refresh();
    assert.ok(!(directory.get('workspace', ...path) instanceof Promise));
    assert.equal(source.loads, 1);
  });

  it('during a load is not lost: who asks after it gets what is true after it', async () => {
    const { directory, source } = await openFake();
    source.put('workspace', path, workspace('org-1'));
    const read = Promise.withResolvers<void>();
    const go = Promise.withResolvers<void>();
    source.afterwards = () => {
      source.afterwards = async () => {};
      read.resolve();
      return go.promise;
    };
    const before = directory.get('workspace', ...path);
    await read.promise;
    source.put('workspace', path, workspace('org-1', { name: 'After' }));
    directory.notify('org-1');
    const after = directory.get('workspace', ...path);
    go.resolve();
    assert.equal((await before)?.name, 'Main');
    assert.equal((await after)?.name, 'After');
    assert.equal((await directory.get('workspace', ...path))?.name, 'After');
  });

  it('behind the back of everybody is found once a record is old, and nobody waits for it', async () => {
    let now = 0;
    const { directory, source } = await openFake({ now: () => now, maxAgeMs: 1000 });
    source.put('workspace', path, workspace('org-1'));
    await directory.refresh();
    const first = await directory.get('workspace', ...path);
    source.put('workspace', path, workspace('org-1', { name: 'Quiet' }));
    source.versions = async () => ({ versions: [{ organisationId: 'org-1', version: 1 }], cursor: 9, all: false });
    now = 1001;
    await directory.refresh();
    assert.equal(directory.get('workspace', ...path), first);
    await new Promise(setImmediate);
    await new Promise(setImmediate);
    assert.equal((directory.get('workspace', ...path) as { name: string }).name, 'Quiet');
  });

  const wholes = [
    ['of more than is listed', { versions: [], cursor: 1_000_000, all: true }],
    ['that puts everything back to an earlier time', { versions: [], cursor: -1_000_000, all: false }],
  ] as const;
  for (const [what, reply] of wholes) {
    it(`${what} makes everything stale`, async () => {
      const { directory, source } = await openFake();
      source.put('workspace', path, workspace('org-1'));
      await directory.get('workspace', ...path);
      source.versions = async () => reply;
      await directory.refresh();
      await directory.get('workspace', ...path);
      assert.equal(source.loads, 2);
    });
  }
});

describe('the bounds of a directory', () => {
  it('hold under a flood of missing keys', async () => {
    const { directory, source } = await openFake({ maxMisses: 500, maxLoads: 8, maxWaiting: 100_000, loadMs: 60_000 });
    source.put('workspace', path, workspace('org-1'));
    const known = await directory.get('workspace', ...path);
    const found = await Promise.all(
      Array.from({ length: 20_000 }, (_, index) => directory.get('key', digestOf(index))),
    );
    assert.ok(found.every((entry) => entry === undefined));
    assert.equal(source.peak, 8);
    const { records, misses, organisations, loading, waiting } = directory.status;
    assert.deepEqual([records, misses, organisations, loading, waiting], [1, 500, 1, 0, 0]);
    assert.equal(directory.get('workspace', ...path), known, 'a flood of misses pushes no record out');
  });

  it('turn away at once what there is no room for', async () => {
    const { directory, source } = await openFake({ maxLoads: 2, maxWaiting: 3 });
    source.during = () => new Promise((resolve) => setTimeout(resolve, 20));
    const asked = Array.from({ length: 10 }, (_, index) => directory.get('key', digestOf(index)));
    const outcomes = await Promise.allSettled(asked);
    const refused = outcomes.filter(({ status }) => status === 'rejected');
    assert.equal(refused.length, 5);
    for (const { reason } of refused as PromiseRejectedResult[]) assert.equal(reason.code, 'not_ready');
    assert.equal(directory.status.away, false, 'too many questions are no outage');
  });

  it('hold for records, by number and by size, and for what is kept of their organisations', async () => {
    const { directory, source } = await openFake({ maxEntries: 10, maxBytes: 4000 });
    for (let index = 0; index < 50; index++) {
      source.put('workspace', [`org-${index}`, 'main'], workspace(`org-${index}`));
      await directory.get('workspace', `org-${index}`, 'main');
    }
    assert.deepEqual([directory.status.records, directory.status.organisations], [10, 10]);
    source.put('workspace', path, workspace('org-1', { name: 'x'.repeat(5000) }));
    assert.equal((await directory.get('workspace', ...path))?.name.length, 5000);
    assert.equal(directory.status.records, 10, 'what is larger than all room is given, not kept');
    source.put('workspace', path, workspace('org-1', { name: 'x'.repeat(3600) }));
    await directory.get('workspace', ...path);
    assert.ok(directory.status.records < 10);
    assert.equal(directory.status.organisations, directory.status.records);
  });

  it('can be read', async () => {
    const { directory } = await openFake({ maxMisses: 7 });
    assert.equal(directory.bounds.maxMisses, 7);
    assert.equal(directory.bounds.maxLoads, 32);
  });
});
