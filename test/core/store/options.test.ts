import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { GatewayError } from 'portcullis/sdk';
import { readEnvironment } from '../../../core/config/env.ts';
import { openStore, storeOptionsOf } from '../../../core/store/store.ts';
import { recordingLog } from '../../support/recording-log.ts';

const folder = mkdtempSync(join(tmpdir(), 'portcullis-options-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const of = (source: Record<string, string>) => storeOptionsOf(readEnvironment(source));
const pem = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----';

describe('the database that the environment names', () => {
  it('is a file in the data folder where there is no server', () => {
    assert.deepEqual(of({}), { kind: 'sqlite', file: join('data', 'portcullis.db') });
    assert.deepEqual(of({ DATA_DIR: '/srv/portcullis' }), { kind: 'sqlite', file: '/srv/portcullis/portcullis.db' });
  });

  it('is made with a folder that only its owner enters', async () => {
    const options = of({ DATA_DIR: join(folder, 'deep', 'data') });
    const store = await openStore(options, recordingLog().log);
    await store.close();
    assert.equal(statSync(join(folder, 'deep', 'data')).mode & 0o777, 0o700);
  });

  it('is a server where there is one', () => {
    assert.deepEqual(of({ DB_HOST: 'db.example', DB_USER: 'gw', DB_PASS: 'secret' }), {
      kind: 'mysql',
      database: 'portcullis',
      writer: { host: 'db.example', port: 3306, user: 'gw', password: 'secret' },
      poolSize: 12,
      queryTimeoutMs: 5000,
    });
  });

  it('has a replica that takes from the server what is not given', () => {
    const server = {
      DB_HOST: 'a',
      DB_PORT: '3307',
      DB_USER: 'gw',
      DB_PASS: 'one',
      DB_SSL: 'REQUIRED',
      DB_NAME: 'gate',
    };
    const tls = { mode: 'REQUIRED' };
    const writer = { host: 'a', port: 3307, user: 'gw', password: 'one', tls };
    assert.deepEqual(of({ ...server, DB_READER_HOST: 'b', DB_READER_PASS: 'two', DB_POOL_SIZE: '4' }), {
      kind: 'mysql',
      database: 'gate',
      writer,
      reader: { ...writer, host: 'b', password: 'two' },
      poolSize: 4,
      queryTimeoutMs: 5000,
    });
  });

  it('takes certificates as text or as a path', () => {
    writeFileSync(join(folder, 'ca.pem'), pem);
    const server = { DB_HOST: 'a', DB_USER: 'gw', DB_SSL: 'VERIFY_CA' };
    for (const given of [pem, pem.replaceAll('\n', '\\n'), join(folder, 'ca.pem')]) {
      const options = of({ ...server, DB_SSL_CA: given });
      assert.deepEqual(options.kind === 'mysql' && options.writer.tls, { mode: 'VERIFY_CA', ca: pem });
    }
  });

  const refused: readonly [string, Record<string, string>, RegExp][] = [
    ['a server without a user', { DB_HOST: 'a' }, /DB_USER must be set/],
    [
      'a certificate without its key',
      { DB_HOST: 'a', DB_USER: 'b', DB_SSL: 'REQUIRED', DB_SSL_CERT: pem },
      /go together/,
    ],
    [
      'a certificate that is not there',
      { DB_HOST: 'a', DB_USER: 'b', DB_SSL: 'VERIFY_CA', DB_SSL_CA: '/nowhere.pem' },
      /DB_SSL_CA must be .*ENOENT/,
    ],
    [
      'a TLS mode that does not exist',
      { DB_HOST: 'a', DB_USER: 'b', DB_SSL: 'MAYBE' },
      /DB_SSL must be DISABLED, REQUIRED, VERIFY_CA or VERIFY_IDENTITY/,
    ],
    ['a pool of one', { DB_POOL_SIZE: '1' }, /DB_POOL_SIZE must be an integer from 2/],
  ];
  for (const [what, source, expected] of refused) {
    it(`refuses ${what}`, () => {
      assert.throws(
        () => of(source),
        (error) => GatewayError.is(error) && error.code === 'invalid_config' && expected.test(error.message),
      );
    });
  }
});
