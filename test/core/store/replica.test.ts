import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { GatewayError } from 'portcullis/sdk';
import { type Endpoint, openStore, type Store, type StoreOptions } from '../../../core/store/store.ts';
import { type MariaDb, mariaDbMissing, startMariaDb } from '../../support/mariadb.ts';
import { recordingLog } from '../../support/recording-log.ts';
import { freshOnMariaDb } from '../../support/stores.ts';

describe('a store with a replica', { skip: mariaDbMissing ?? false }, () => {
  it('reads through connections that write nothing', async () => {
    const options = await freshOnMariaDb();
    const reader = { ...options.writer };
    const store = await openStore({ ...options, reader }, recordingLog().log);
    await store.db.schema.createTable('things', (table) => table.string('id', 36).primary());
    await store.db('things').insert({ id: 'a' });
    assert.deepEqual(await store.reader('things').pluck('id'), ['a']);
    await assert.rejects(async () => store.reader('things').delete(), /read.?only/i);
    await store.close();
  });

  it('is opened without it, and says so in the log', async () => {
    const options = await freshOnMariaDb();
    const { log, logged } = recordingLog();
    const store = await openStore({ ...options, reader: { ...options.writer, port: 1 } }, log);
    await store.ping();
    assert.equal(logged.filter(({ event }) => event === 'store_replica_unreachable').length, 1);
    await store.close();
  });
});

describe('TLS to the database', { skip: mariaDbMissing ?? false }, () => {
  let folder = '';
  let server: MariaDb;
  let options: StoreOptions & { readonly kind: 'mysql' };

  function certificate(name: string, subject: string, issuer?: string): void {
    const at = (file: string) => join(folder, file);
    const request = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', `/CN=${subject}`];
    const signed = issuer === undefined ? [] : ['-CA', at(`${issuer}.pem`), '-CAkey', at(`${issuer}.key`)];
    const names =
      issuer === undefined
        ? []
        : ['-addext', `subjectAltName=DNS:${subject}`, '-addext', 'basicConstraints=critical,CA:FALSE'];
    execFileSync(
      'openssl',
      [...request, ...signed, ...names, '-keyout', at(`${name}.key`), '-out', at(`${name}.pem`)],
      { stdio: 'ignore' },
    );
  }
  const pem = (name: string) => readFileSync(join(folder, `${name}.pem`), 'utf8');

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'portcullis-tls-'));
    certificate('ca', 'An authority');
    certificate('other', 'Another authority');
    certificate('server', 'localhost', 'ca');
    server = await startMariaDb({
      options: [
        `--ssl-cert=${join(folder, 'server.pem')}`,
        `--ssl-key=${join(folder, 'server.key')}`,
        '--require-secure-transport=1',
      ],
    });
    options = await freshOnMariaDb(server);
  });
  after(async () => {
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  });

  async function cipherOf(endpoint: Partial<Endpoint>): Promise<string> {
    const store: Store = await openStore(
      { ...options, writer: { ...options.writer, ...endpoint } },
      recordingLog().log,
    );
    const [rows] = await store.db.raw("show session status like 'Ssl_cipher'");
    await store.close();
    return rows[0].Value;
  }
  const refused = (error: unknown) => GatewayError.is(error) && error.code === 'not_ready';

  it('is used in each mode that accepts the certificate', async () => {
    assert.match(await cipherOf({ tls: { mode: 'REQUIRED' } }), /^(TLS|ECDHE)/);
    assert.match(await cipherOf({ tls: { mode: 'VERIFY_CA', ca: pem('ca') } }), /^(TLS|ECDHE)/);
    assert.match(
      await cipherOf({ host: 'localhost', tls: { mode: 'VERIFY_IDENTITY', ca: pem('ca') } }),
      /^(TLS|ECDHE)/,
    );
  });

  it('is refused with the certificate of an authority that is not trusted', async () => {
    for (const mode of ['VERIFY_CA', 'VERIFY_IDENTITY'] as const) {
      await assert.rejects(cipherOf({ host: 'localhost', tls: { mode, ca: pem('other') } }), refused);
      await assert.rejects(cipherOf({ host: 'localhost', tls: { mode } }), refused);
    }
  });

  it('is refused for another host name where that is checked', async () => {
    certificate('elsewhere', 'db.example', 'ca');
    const other = await startMariaDb({
      options: [`--ssl-cert=${join(folder, 'elsewhere.pem')}`, `--ssl-key=${join(folder, 'elsewhere.key')}`],
    });
    const { port } = other;
    await other.createDatabase();
    const endpoint = { ...options.writer, host: 'localhost', port };
    const tls = { ca: pem('ca') };
    await assert.rejects(cipherOf({ ...endpoint, tls: { ...tls, mode: 'VERIFY_IDENTITY' } }), refused);
    assert.match(await cipherOf({ ...endpoint, tls: { ...tls, mode: 'VERIFY_CA' } }), /^(TLS|ECDHE)/);
    await other.close();
  });

  it('is refused for an address where the name is to be checked', async () => {
    await assert.rejects(cipherOf({ host: '127.0.0.1', tls: { mode: 'VERIFY_IDENTITY', ca: pem('ca') } }), /host name/);
  });

  it('is demanded by the server of this test', async () => {
    await assert.rejects(cipherOf({}), refused);
  });
});
