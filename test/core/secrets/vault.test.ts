import assert from 'node:assert/strict';
import { createHmac, hash } from 'node:crypto';
import { it } from 'node:test';
import { GatewayError } from 'portcullis/sdk';
import { checksumWith } from '../../../core/secrets/checksum.ts';
import type { KeyMaterial } from '../../../core/secrets/key-material.ts';
import { wrapAnew } from '../../../core/secrets/key-ring.ts';
import { coreMigrations, openVault, type VaultOptions } from '../../../core/secrets/vault.ts';
import { migrate } from '../../../core/store/migrate.ts';
import type { Store } from '../../../core/store/store.ts';
import { recordingLog } from '../../support/recording-log.ts';
import { onEachStore } from '../../support/stores.ts';

const materialOf = (byte: number, ...previous: number[]): KeyMaterial => ({
  key: Buffer.alloc(32, byte),
  previous: previous.map((other) => Buffer.alloc(32, other)),
  source: 'the key of a test',
});
const misfit = (error: unknown) =>
  GatewayError.is(error) &&
  error.code === 'invalid_config' &&
  /PORTCULLIS_ENCRYPTION_KEY does not fit this database/.test(error.message);
const sealedBadly = (error: unknown) =>
  GatewayError.is(error) &&
  error.code === 'internal' &&
  !/hello|v1\./.test(error.message) &&
  /things\//.test(error.message);

onEachStore((_name, open) => {
  const { log } = recordingLog();

  async function migrated(): Promise<Store> {
    const store = await open();
    await migrate(store, [coreMigrations], log);
    return store;
  }
  const vaultOn = (store: Store, material = materialOf(1), options: VaultOptions = {}) =>
    openVault(store, material, log, options);

  it('gives back what it sealed, for the same place alone', async () => {
    const vault = await vaultOn(await migrated());
    for (const plain of ['hello', '', 'é🙂\u0000', 'x'.repeat(100_000)]) {
      const sealed = vault.seal(plain, 'things/1');
      assert.equal(vault.unseal(sealed, 'things/1'), plain);
      assert.throws(() => vault.unseal(sealed, 'things/2'), sealedBadly);
      assert.notEqual(vault.seal(plain, 'things/1'), sealed);
    }
  });

  it('opens nothing that was changed, and shows nothing of it', async () => {
    const vault = await vaultOn(await migrated());
    const sealed = vault.seal('hello', 'things/1');
    const [version, id, text = ''] = sealed.split('.');
    const flipped = `${text.slice(0, 20)}${text[20] === 'A' ? 'B' : 'A'}${text.slice(21)}`;
    const changed = [
      `${version}.${id}.${flipped}`,
      `${version}.${id}.${text.slice(0, -4)}`,
      `${version}.other.${text}`,
      `v2.${id}.${text}`,
      `${sealed}.more`,
      `${version}.${id}.`,
      'hello',
      '',
    ];
    for (const given of changed) assert.throws(() => vault.unseal(given, 'things/1'), sealedBadly, given);
  });

  it('opens with the same keys after a restart', async () => {
    const store = await migrated();
    const before = await vaultOn(store);
    const after = await vaultOn(store);
    assert.equal(after.unseal(before.seal('hello', 'things/1'), 'things/1'), 'hello');
    assert.equal(after.digest('secret'), before.digest('secret'));
    assert.equal(after.checksumKey(), before.checksumKey());
  });

  it('keeps no key and no secret in clear', async () => {
    const store = await migrated();
    const vault = await vaultOn(store);
    const stored = JSON.stringify(await store.db('encryption_keys'));
    const derived = Buffer.from(vault.checksumKey(), 'base64url');
    for (const form of ['base64url', 'hex', 'base64'] as const) assert.ok(!stored.includes(derived.toString(form)));
    assert.ok(!vault.seal('hello', 'things/1').includes(Buffer.from('hello').toString('base64url')));
  });

  it('makes digests that only this database makes', async () => {
    const [one, other] = [await vaultOn(await migrated()), await vaultOn(await migrated())];
    const sha256 = hash('sha256', 'secret', 'hex');
    assert.match(one.digest('secret'), /^[0-9a-f]{64}$/);
    assert.equal(one.digest('secret'), one.pepper(sha256));
    assert.notEqual(one.digest('secret'), sha256);
    assert.notEqual(one.digest('secret'), other.digest('secret'));
    assert.throws(() => one.pepper('secret'), TypeError);
    assert.throws(() => one.pepper(sha256.toUpperCase()), TypeError);
  });

  it('makes checksums that another process can verify', async () => {
    const [one, other] = [await vaultOn(await migrated()), await vaultOn(await migrated())];
    const elsewhere = checksumWith(one.checksumKey());
    for (const text of ['', 'pc-abc', 'é']) {
      assert.match(one.checksum(text), /^[0-9A-Za-z]{8}$/);
      assert.equal(elsewhere(text), one.checksum(text));
      assert.notEqual(other.checksum(text), one.checksum(text));
    }
    const direct = createHmac('sha256', Buffer.from(one.checksumKey(), 'base64url')).update('secret').digest('hex');
    assert.notEqual(one.digest('secret'), direct);
  });

  it('makes one set of keys when it is opened several times at once', async () => {
    const store = await migrated();
    const vaults = await Promise.all([1, 2, 3, 4].map(() => vaultOn(store)));
    assert.equal(new Set(vaults.map((vault) => vault.checksumKey())).size, 1);
    assert.equal((await store.db('encryption_keys')).length, 3);
  });

  it("refuses another operator's key, and writes nothing then", async () => {
    const store = await migrated();
    const vault = await vaultOn(store);
    const rows = await store.db('encryption_keys').orderBy('id');
    await assert.rejects(vaultOn(store, materialOf(2)), misfit);
    await assert.rejects(wrapAnew(store, materialOf(2)), misfit);
    assert.deepEqual(await store.db('encryption_keys').orderBy('id'), rows);
    vault.close();
  });

  it("changes the operator's key without touching what is sealed", async () => {
    const store = await migrated();
    const sealed = (await vaultOn(store)).seal('hello', 'things/1');
    // Until the rotation has run, the key before is tried as well.
    assert.equal((await vaultOn(store, materialOf(2, 1))).unseal(sealed, 'things/1'), 'hello');
    assert.equal(await wrapAnew(store, materialOf(2, 1)), 3);
    assert.equal(await wrapAnew(store, materialOf(2, 1)), 0);
    assert.equal((await vaultOn(store, materialOf(2))).unseal(sealed, 'things/1'), 'hello');
    await assert.rejects(vaultOn(store, materialOf(1)), misfit);
  });

  it('seals with the new data key after a rotation, and still opens the old', async () => {
    const store = await migrated();
    const vault = await vaultOn(store);
    const old = vault.seal('hello', 'things/1');
    await vault.rotateDataKey();
    const fresh = vault.seal('hello', 'things/1');
    assert.notEqual(fresh.split('.')[1], old.split('.')[1]);
    assert.deepEqual([vault.isCurrent(old), vault.isCurrent(fresh)], [false, true]);
    for (const sealed of [old, fresh]) assert.equal(vault.unseal(sealed, 'things/1'), 'hello');
  });

  it('lets other processes learn of a data key before it is used', async () => {
    const store = await migrated();
    let now = Date.now();
    const clock = { now: () => now };
    const [one, other] = [await vaultOn(store, materialOf(1), clock), await vaultOn(store, materialOf(1), clock)];
    const before = one.seal('hello', 'things/1');
    await one.rotateDataKey(now + 1000);
    assert.ok(one.isCurrent(before), 'not used yet');
    await other.refresh();
    now += 1000;
    const after = one.seal('hello', 'things/1');
    assert.ok(!one.isCurrent(before));
    assert.equal(other.unseal(after, 'things/1'), 'hello');
    assert.ok(other.isCurrent(after));
  });

  it('learns of new data keys by itself', async () => {
    const store = await migrated();
    const [one, other] = [await vaultOn(store), await vaultOn(store, materialOf(1), { refreshMs: 20 })];
    await one.rotateDataKey();
    const sealed = one.seal('hello', 'things/1');
    for (const end = performance.now() + 5000; !other.isCurrent(sealed) && performance.now() < end; ) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    assert.equal(other.unseal(sealed, 'things/1'), 'hello');
    other.close();
  });

  it('keeps its keys when it cannot read new ones', async () => {
    const store = await migrated();
    const vault = await vaultOn(store);
    const sealed = vault.seal('hello', 'things/1');
    await wrapAnew(store, materialOf(2, 1));
    await vault.refresh();
    assert.equal(vault.unseal(sealed, 'things/1'), 'hello');
    await (await vaultOn(store, materialOf(2))).rotateDataKey();
    await assert.rejects(vault.refresh(), misfit);
    assert.equal(vault.unseal(sealed, 'things/1'), 'hello');
  });
});
