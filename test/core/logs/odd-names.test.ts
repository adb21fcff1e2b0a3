import assert from 'node:assert/strict';
import { it } from 'node:test';
import { hour, logRow, start } from './rows.ts';
import { onEachLogStore } from './stores.ts';

/** Names of metadata are the clients' own; of long ones, a store keeps the beginning. */
const names = [
  ...['a"b', "a'b", 'a\\b', 'a.b', '$', '[0]', '*', 'a b', '?', '{p0:String}', 'ключ', "x') OR 1=1 --"],
  'n'.repeat(200),
];

onEachLogStore((open) => {
  for (const [what, from, to] of [
    ['from rollups', start, start + hour],
    ['from the requests themselves', start + 1, start + hour - 1],
  ] as const) {
    it(`groups by any name of the metadata, and finds by it, ${what}`, async () => {
      const { store, write } = await open();
      const metadata = Object.fromEntries(names.map((name, index) => [name, `value ${index}`]));
      const row = logRow({ createdAt: start + 60_000, metadata });
      await write([
        { row, bodies: undefined },
        { row: logRow({ createdAt: start + 60_000, organisationId: 'org-2', metadata }), bodies: undefined },
      ]);
      const place = { organisationId: 'org-1', from, to };
      const page = { limit: 10, offset: 0 };
      for (const [index, name] of names.entries()) {
        const filter = { ...place, metadata: { [name]: [`value ${index}`] } };
        const found = await store.list(filter, page);
        assert.deepEqual([found.total, found.entries[0]?.row.id], [1, row.id], `listed by ${name}`);
        const { rows } = await store.aggregate({
          filter: place,
          by: [`metadata:${name}`],
          measures: ['requests'],
          ...page,
        });
        assert.deepEqual(rows, [{ keys: [`value ${index}`], values: { requests: 1 } }], `grouped by ${name}`);
      }
    });
  }
});
