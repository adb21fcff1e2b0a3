import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { runCommand } from '../../../core/cli/command.ts';
import { readEnvironment } from '../../../core/config/env.ts';
import { keyMaterialOf, prepareNextKey } from '../../../core/secrets/key-material.ts';
import { wrapAnew } from '../../../core/secrets/key-ring.ts';
import { openVault } from '../../../core/secrets/vault.ts';
import { takeLock } from '../../../core/store/migration-lock.ts';
import { openStore, type Store, storeOptionsOf } from '../../../core/store/store.ts';
import { mariaDbMissing } from '../../support/mariadb.ts';
import { recordingLog } from '../../support/recording-log.ts';
import { freshOnMariaDb } from '../../support/stores.ts';

type Variables = Readonly<Record<string, string>>;

const parent = mkdtempSync(join(tmpdir(), 'portcullis-commands-'));
after(() => rmSync(parent, { recursive: true, force: true }));
const { log } = recordingLog();

const home = process.cwd();
// Where no operator's file is.
before(() => process.chdir(parent));
after(() => process.chdir(home));

/** Runs a command line with these variables in the environment. */
async function command(variables: Variables, ...argv: readonly string[]) {
  const kept = process.env;
  process.env = { ...kept, ...variables };
  const printed: string[] = [];
  const complained: string[] = [];
  try {
    const out = { print: (text: string) => printed.push(text), complain: (text: string) => complained.push(text) };
    const code = await runCommand(argv, out);
    return { code, printed: printed.join('\n'), complained: complained.join('\n') };
  } finally {
    process.env = kept;
  }
}

let folders = 0;
const embedded = async (): Promise<Variables> => ({ DATA_DIR: join(parent, String(++folders)) });
const server = async (): Promise<Variables> => {
  const { database, writer } = await freshOnMariaDb();
  const DB_PORT = String(writer.port);
  const place = { DB_HOST: writer.host, DB_PORT, DB_NAME: database, DB_USER: writer.user, DB_PASS: writer.password };
  return { ...place, PORTCULLIS_ENCRYPTION_KEY: Buffer.alloc(32, 1).toString('base64') };
};

async function onStore<T>(variables: Variables, work: (store: Store) => Promise<T>): Promise<T> {
  const store = await openStore(storeOptionsOf(readEnvironment(variables)), log);
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

async function seal(variables: Variables, plain: string): Promise<string> {
  return onStore(variables, async (store) => {
    const vault = await openVault(store, keyMaterialOf(readEnvironment(variables)), log);
    vault.close();
    return vault.seal(plain, 'things/1');
  });
}

async function unseal(variables: Variables, sealed: string): Promise<string> {
  return onStore(variables, async (store) => {
    const vault = await openVault(store, keyMaterialOf(readEnvironment(variables)), log);
    vault.close();
    return vault.unseal(sealed, 'things/1');
  });
}

for (const [name, missing, fresh] of [
  ['the embedded database', undefined, embedded],
  ['MariaDB', mariaDbMissing, server],
] as const) {
  describe(`commands on ${name}`, { skip: missing ?? false }, () => {
    it('say what is to be migrated, migrate it, and have nothing left to do', async () => {
      const variables = await fresh();
      const before = await command(variables, 'migrate', '--status');
      assert.equal(before.code, 1, before.complained);
      assert.match(before.printed, /^pending {2}core\/001_encryption_keys/m);
      const done = await command(variables, 'migrate');
      assert.deepEqual([done.code, done.complained], [0, '']);
      assert.match(done.printed, /migrated core\/001_encryption_keys/);
      const after = await command(variables, 'migrate', '--status');
      assert.equal(after.code, 0);
      assert.match(after.printed, /^applied {2}core\/001_encryption_keys/m);
      assert.match((await command(variables, 'migrate')).printed, /up to date/);
    });

    it('free a lock that was left behind', async () => {
      const variables = await fresh();
      await onStore(variables, (store) => takeLock(store, log, { beatMs: 60_000, staleMs: 60_000, waitMs: 10 }));
      const { code, printed } = await command(variables, 'migrate', '--unlock');
      assert.equal(code, 0);
      assert.match(printed, new RegExp(`lock of process ${process.pid} on .* is free`));
      assert.match((await command(variables, 'migrate', '--unlock')).printed, /no lock/);
    });

    it('seal every stored secret with a new data key', async () => {
      const variables = await fresh();
      await command(variables, 'migrate');
      const sealed = await seal(variables, 'hello');
      await onStore(variables, async (store) => {
        await store.db.schema.createTable('things', (table) => {
          table.string('id', 36).primary();
          table.text('sealed', 'longtext');
        });
        await store.db('things').insert({ id: '1', sealed });
      });
      const { code, printed, complained } = await command(variables, 'encryption', 'rotate-data', '--now');
      assert.equal(code, 0, complained);
      assert.match(printed, /1 stored secrets/);
      const fresher = await onStore(variables, async (store) => (await store.db('things').first('sealed')).sealed);
      assert.notEqual(fresher.split('.')[1], sealed.split('.')[1]);
      assert.equal(await unseal(variables, fresher), 'hello');
    });

    it('ask for the migration before keys are rotated', async () => {
      const variables = await fresh();
      for (const action of ['rotate-key', 'rotate-data']) {
        const { code, complained } = await command(variables, 'encryption', action);
        assert.equal(code, 2);
        assert.match(complained, /portcullis migrate/);
      }
    });
  });
}

describe('portcullis encryption rotate-key', () => {
  it('puts a new key file in the place of the old one', async () => {
    const variables = await embedded();
    await command(variables, 'migrate');
    const sealed = await seal(variables, 'hello');
    const file = join(variables.DATA_DIR ?? '', 'encryption.key');
    const before = readFileSync(file, 'utf8');
    const { code, complained } = await command(variables, 'encryption', 'rotate-key');
    assert.deepEqual([code, complained], [0, '']);
    assert.notEqual(readFileSync(file, 'utf8'), before);
    assert.equal(statSync(file).mode & 0o777, 0o600);
    assert.ok(!existsSync(`${file}.next`));
    assert.equal(await unseal(variables, sealed), 'hello');
  });

  for (const [when, crash] of [
    ['before the database knows the new key', async () => {}],
    [
      'before the new key file is in its place',
      (variables: Variables, next: Buffer) =>
        onStore(variables, async (store) => {
          const material = keyMaterialOf(readEnvironment(variables));
          await wrapAnew(store, { ...material, key: next, previous: [material.key] });
        }),
    ],
  ] as const) {
    it(`serves on and can be run again when it is broken off ${when}`, async () => {
      const variables = await embedded();
      await command(variables, 'migrate');
      const sealed = await seal(variables, 'hello');
      const file = join(variables.DATA_DIR ?? '', 'encryption.key');
      const next = prepareNextKey(file);
      await crash(variables, next);
      assert.equal(await unseal(variables, sealed), 'hello');
      assert.equal((await command(variables, 'encryption', 'rotate-key')).code, 0);
      assert.ok(!existsSync(`${file}.next`));
      assert.equal(readFileSync(file, 'utf8').trim(), next.toString('base64'));
      assert.equal(await unseal(variables, sealed), 'hello');
    });
  }

  it('takes over from the variable of the key before', async () => {
    const variables = { ...(await embedded()), PORTCULLIS_ENCRYPTION_KEY: Buffer.alloc(32, 1).toString('hex') };
    await command(variables, 'migrate');
    const sealed = await seal(variables, 'hello');
    const next = { ...variables, PORTCULLIS_ENCRYPTION_KEY: Buffer.alloc(32, 2).toString('hex') };
    const refused = await command(next, 'encryption', 'rotate-key');
    assert.equal(refused.code, 2);
    assert.match(refused.complained, /does not fit this database/);
    const both = { ...next, PORTCULLIS_ENCRYPTION_KEY_PREVIOUS: variables.PORTCULLIS_ENCRYPTION_KEY };
    assert.match((await command(both, 'encryption', 'rotate-key')).printed, /3 keys are encrypted/);
    assert.match((await command(both, 'encryption', 'rotate-key')).printed, /already/);
    assert.equal(await unseal(next, sealed), 'hello');
    await assert.rejects(unseal(variables, sealed), /does not fit/);
  });

  it('says so when the key file is lost, and does not take a new one for it', async () => {
    const variables = await embedded();
    await command(variables, 'migrate');
    const sealed = await seal(variables, 'hello');
    const file = join(variables.DATA_DIR ?? '', 'encryption.key');
    renameSync(file, `${file}.lost`);
    await assert.rejects(unseal(variables, sealed), /does not fit this database/);
    renameSync(`${file}.lost`, file);
    assert.equal(await unseal(variables, sealed), 'hello');
  });

  const wrong: readonly (readonly string[])[] = [
    ['encryption'],
    ['encryption', 'rotate'],
    ['encryption', 'constructor'],
    ['encryption', 'rotate-key', 'twice'],
    ['migrate', 'everything'],
    ['migrate', '--status', '--unlock'],
  ];
  for (const argv of wrong) {
    it(`answers "${argv.join(' ')}" with how it is used`, async () => {
      const { code, complained } = await command(await embedded(), ...argv);
      assert.equal(code, 2);
      assert.match(complained, /^Use: portcullis (migrate|encryption)/);
    });
  }
});
