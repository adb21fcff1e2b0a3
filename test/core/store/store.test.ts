import assert from 'node:assert/strict';
import { it } from 'node:test';
import { isUnavailable, isUniqueViolation, type Store } from '../../../core/store/store.ts';
import { onEachStore } from '../../support/stores.ts';

async function withTable(store: Store): Promise<Store> {
  await store.db.schema.createTable('things', (table) => {
    table.string('id', 36).notNullable().primary();
    table.string('name', 255).unique();
    table.bigInteger('count');
    table.boolean('flag');
    table.text('document', 'longtext');
  });
  return store;
}

async function countOf(store: Store, id: string): Promise<unknown> {
  return (await store.db('things').where({ id }).first('count')).count;
}

onEachStore(
  (name, open) => {
    const opened = async () => withTable(await open());

    it('gives back what was stored', async () => {
      const { db } = await opened();
      const row = {
        id: 'a',
        name: 'Zoë 🙂',
        count: Number.MAX_SAFE_INTEGER,
        flag: true,
        document: '{"deep":["\\\\", "\'", "\u0000"]}',
      };
      await db('things').insert(row);
      assert.deepEqual(await db('things').where({ id: 'a' }).first(), { ...row, flag: 1 });
      assert.equal(await db('things').where({ id: 'b' }).first(), undefined);
      await db('things').insert({ id: 'empty' });
      assert.deepEqual(await db('things').where({ id: 'empty' }).first(), {
        id: 'empty',
        name: null,
        count: null,
        flag: null,
        document: null,
      });
    });

    it('keeps a document of some megabytes whole', async () => {
      const { db } = await opened();
      const document = JSON.stringify({ text: 'é'.repeat(2_000_000) });
      await db('things').insert({ id: 'a', document });
      assert.equal((await db('things').first('document')).document, document);
    });

    it('compares text byte by byte', async () => {
      const { db } = await opened();
      const names = ['a', 'A', 'a ', 'á', 'Å', 'ss', 'ß'];
      await db('things').insert(names.map((text, index) => ({ id: String(index), name: text })));
      for (const text of names) assert.deepEqual(await db('things').where({ name: text }).pluck('name'), [text]);
      assert.deepEqual(await db('things').where('name', 'like', '%a%').orderBy('id').pluck('name'), ['a', 'a ']);
      assert.deepEqual(await db('things').orderBy('name').pluck('name'), ['A', 'a', 'a ', 'ss', 'Å', 'ß', 'á']);
    });

    it('adds columns later that compare in the same way', async () => {
      const { db } = await opened();
      await db.schema.alterTable('things', (table) => table.string('extra', 50));
      await db('things').insert({ id: 'a', extra: 'X' });
      assert.equal(await db('things').where({ extra: 'x' }).first(), undefined);
      assert.equal((await db('things').where({ extra: 'X' }).first()).id, 'a');
    });

    it('counts and sums as numbers', async () => {
      const { db } = await opened();
      await db('things').insert([
        { id: 'a', count: 2 },
        { id: 'b', count: 3 },
      ]);
      assert.deepEqual(await db('things').sum({ total: 'count' }).count({ rows: '*' }).first(), { total: 5, rows: 2 });
      assert.deepEqual(await db('things').avg({ mean: 'count' }).first(), { mean: 2.5 });
    });

    it('counts the rows that an update found, changed or not', async () => {
      const { db } = await opened();
      await db('things').insert({ id: 'a', count: 1 });
      assert.equal(await db('things').where({ id: 'a' }).update({ count: 1 }), 1);
      assert.equal(await db('things').where({ id: 'b' }).update({ count: 1 }), 0);
      assert.equal(await db('things').delete(), 1);
    });

    it('inserts or merges', async () => {
      const { db } = await opened();
      for (const count of [1, 2]) await db('things').insert({ id: 'a', count }).onConflict('id').merge();
      await db('things').insert({ id: 'a', count: 3 }).onConflict('id').ignore();
      assert.deepEqual(await db('things').select('id', 'count'), [{ id: 'a', count: 2 }]);
    });

    it('tells a unique violation from other failures, without the value', async () => {
      const { db } = await opened();
      await db('things').insert({ id: 'a', name: 'private value' });
      for (const row of [
        { id: 'b', name: 'private value' },
        { id: 'a', name: 'other private value' },
      ]) {
        const error = await db('things')
          .insert(row)
          .then(
            () => assert.fail(),
            (reason: Error) => reason,
          );
        assert.ok(isUniqueViolation(error));
        assert.ok(!isUnavailable(error));
        assert.doesNotMatch(JSON.stringify(error) + error.message + error.stack, /private value/);
      }
      const error = await db('nowhere')
        .insert({ id: 'private value' })
        .then(
          () => assert.fail(),
          (reason: Error) => reason,
        );
      assert.ok(!isUniqueViolation(error) && !isUnavailable(error));
      assert.doesNotMatch(JSON.stringify(error) + error.message + error.stack, /private value/);
    });

    it('refuses values that the databases would store differently, without showing them', async () => {
      const { db } = await opened();
      const refused: readonly [unknown, RegExp][] = [
        [new Date(77), /Date/],
        [Number.NaN, /finite/],
        [2 ** 53, /2\^53/],
        [['private'], /list/],
        [Symbol('private'), /symbol/],
      ];
      for (const [value, expected] of refused) {
        await assert.rejects(
          async () => db.raw('select ? as value', [value as string]),
          (error: Error) => expected.test(error.message) && !error.message.includes('private'),
        );
      }
      assert.equal(
        await db('things')
          .where('id', '=', db.raw('?', ["' or '1'='1"]))
          .first(),
        undefined,
      );
    });

    it('undoes all of a transaction that throws, and tells the error itself', async () => {
      const store = await opened();
      const thrown = new Error('enough');
      await assert.rejects(
        store.transaction(async (trx) => {
          await trx('things').insert({ id: 'a' });
          throw thrown;
        }),
        (error) => error === thrown,
      );
      assert.deepEqual(await store.db('things'), []);
    });

    it('undoes only the inner part when a savepoint fails', async () => {
      const store = await opened();
      await store.transaction(async (trx) => {
        await trx('things').insert({ id: 'a', name: 'taken' });
        await assert.rejects(
          trx.transaction(async (inner) => {
            await inner('things').insert({ id: 'b' });
            await inner('things').insert({ id: 'c', name: 'taken' });
          }),
          isUniqueViolation,
        );
        await trx.transaction((inner) => inner('things').insert({ id: 'd' }));
      });
      assert.deepEqual(await store.db('things').orderBy('id').pluck('id'), ['a', 'd']);
    });

    it('goes on in a transaction after a unique violation', async () => {
      const store = await opened();
      await store.transaction(async (trx) => {
        await trx('things').insert({ id: 'a' });
        await assert.rejects(async () => trx('things').insert({ id: 'a' }), isUniqueViolation);
        await trx('things').insert({ id: 'b' });
      });
      assert.deepEqual(await store.db('things').orderBy('id').pluck('id'), ['a', 'b']);
    });

    it('loses no update of transactions that read and then write', async () => {
      const store = await opened();
      await store.db('things').insert({ id: 'a', count: 0 });
      const add = () =>
        store.transaction(async (trx) => {
          const { count } = await trx('things').where({ id: 'a' }).first('count');
          await trx('things')
            .where({ id: 'a' })
            .update({ count: count + 1 });
        });
      await Promise.all(
        Array.from({ length: 6 }, async () => {
          for (let round = 0; round < 10; round++) await add();
        }),
      );
      assert.equal(await countOf(store, 'a'), 60);
    });

    it('lets one of two rivals for the last free place have it', async () => {
      const store = await opened();
      const take = (id: string) =>
        store.transaction(async (trx) => {
          const row = await trx('things').count({ taken: '*' }).first();
          if (Number(row?.taken) >= 3) return false;
          await trx('things').insert({ id });
          return true;
        });
      const taken = await Promise.all(['a', 'b', 'c', 'd', 'e', 'f'].map(take));
      assert.equal(taken.filter(Boolean).length, 3);
      assert.deepEqual(await store.db('things').count({ rows: '*' }).first(), { rows: 3 });
    });

    it('runs crossing transactions again until both are done', async () => {
      const store = await opened();
      await store.db('things').insert(['a', 'b'].map((id) => ({ id, count: 0 })));
      const both = (first: string, second: string) =>
        store.transaction(async (trx) => {
          await trx('things').where({ id: first }).increment('count', 1);
          await trx('things').where({ id: second }).increment('count', 1);
        });
      await Promise.all(Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? both('a', 'b') : both('b', 'a'))));
      assert.deepEqual([await countOf(store, 'a'), await countOf(store, 'b')], [20, 20]);
    });

    it('takes forUpdate, also where rows are never locked one by one', async () => {
      const store = await opened();
      await store.db('things').insert({ id: 'a', count: 1 });
      await store.transaction(async (trx) => {
        assert.equal((await trx('things').where({ id: 'a' }).forUpdate().first('count')).count, 1);
      });
    });

    it('shows readers what is committed, and nothing else', async () => {
      const store = await opened();
      await store.db('things').insert({ id: 'a', count: 1 });
      assert.equal((await store.reader('things').first('count')).count, 1);
      if (store.reader === store.db) return;
      await store.transaction(async (trx) => {
        await trx('things').update({ count: 2 });
        assert.equal((await store.reader('things').first('count')).count, 1);
      });
      assert.equal((await store.reader('things').first('count')).count, 2);
      await assert.rejects(async () => store.reader('things').delete(), /read-?only/i);
    });

    it('answers, and after it is closed no more', async () => {
      const store = await open();
      await store.ping();
      await store.close();
      await assert.rejects(store.ping(), isUnavailable);
      await assert.rejects(
        store.transaction(async (trx) => trx('things')),
        isUnavailable,
      );
      await store.close();
    });

    it(`says which dialect it speaks: ${name}`, async () => {
      assert.equal((await open()).dialect, name === 'MariaDB' ? 'mysql' : 'sqlite');
    });
  },
  { file: true },
);
