import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { GatewayError } from 'portcullis/sdk';
import { readEnvironment } from '../../../core/config/env.ts';
import { keyMaterialOf, parseKey } from '../../../core/secrets/key-material.ts';

const parent = mkdtempSync(join(tmpdir(), 'portcullis-keys-'));
after(() => rmSync(parent, { recursive: true, force: true }));
let folders = 0;
const folderOf = () => join(parent, String(++folders));

const of = (source: Record<string, string>) => keyMaterialOf(readEnvironment(source));
const [one, two] = [Buffer.alloc(32, 0xfb), Buffer.alloc(32, 2)];
const server = { DB_HOST: 'db.example', DB_USER: 'gw' };

describe('the encryption key', () => {
  for (const form of ['base64', 'base64url', 'hex'] as const) {
    it(`is read as ${form}`, () => {
      assert.deepEqual(of({ ...server, PORTCULLIS_ENCRYPTION_KEY: one.toString(form) }).key, one);
    });
  }

  it('has one before it until the rotation has run', () => {
    const source = {
      PORTCULLIS_ENCRYPTION_KEY: one.toString('hex'),
      PORTCULLIS_ENCRYPTION_KEY_PREVIOUS: two.toString('hex'),
    };
    assert.deepEqual(of({ ...server, ...source }).previous, [two]);
  });

  for (const text of ['short-secret', one.subarray(1).toString('base64'), `${one.toString('hex')}00`, 'z'.repeat(64)]) {
    it(`is refused with ${text.length} characters that are none, without being shown`, () => {
      const refused = (error: unknown) =>
        GatewayError.is(error) && /base64 or as 64 hexadecimal/.test(error.message) && !error.message.includes(text);
      assert.throws(() => of({ PORTCULLIS_ENCRYPTION_KEY: text }), refused);
      assert.throws(() => parseKey(text, 'The key'), refused);
    });
  }

  it('is needed beside a database server', () => {
    assert.throws(() => of(server), /DB_HOST is set, so PORTCULLIS_ENCRYPTION_KEY must be set/);
  });

  it('is made for the embedded database, for its owner alone, and stays', () => {
    const DATA_DIR = folderOf();
    const { key, file } = of({ DATA_DIR });
    assert.equal(file, join(DATA_DIR, 'encryption.key'));
    assert.equal(statSync(join(DATA_DIR, 'encryption.key')).mode & 0o777, 0o600);
    assert.equal(statSync(DATA_DIR).mode & 0o777, 0o700);
    assert.deepEqual(of({ DATA_DIR }).key, key);
    assert.deepEqual(parseKey(readFileSync(join(DATA_DIR, 'encryption.key'), 'utf8'), 'the file'), key);
  });

  it('is refused in a file that others can read, with the cure', () => {
    const DATA_DIR = folderOf();
    of({ DATA_DIR });
    chmodSync(join(DATA_DIR, 'encryption.key'), 0o640);
    assert.throws(() => of({ DATA_DIR }), /others than its owner may read it.*chmod 600/);
  });

  it('is refused in a file that holds something else', () => {
    const DATA_DIR = folderOf();
    of({ DATA_DIR });
    writeFileSync(join(DATA_DIR, 'encryption.key'), 'nothing');
    assert.throws(() => of({ DATA_DIR }), /encryption\.key must be 32 random bytes/);
  });

  it('of the environment beats the file, which may hold the one before', () => {
    const DATA_DIR = folderOf();
    const { key } = of({ DATA_DIR });
    const material = of({ DATA_DIR, PORTCULLIS_ENCRYPTION_KEY: one.toString('hex') });
    assert.deepEqual([material.key, material.previous, material.file], [one, [key], undefined]);
    const empty = folderOf();
    of({ DATA_DIR: empty, PORTCULLIS_ENCRYPTION_KEY: one.toString('hex') });
    assert.ok(!existsSync(empty), 'no file is made that nobody uses');
  });
});
