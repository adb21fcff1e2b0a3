import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CompactSign, importJWK } from 'jose';
import { signatureOf, verifyFiles } from '../../../core/packages/signature.ts';
import { keyRingOf, newPrivateKey, publicKeyIn, publicPart } from '../../../core/packages/signing-keys.ts';
import { refusalOf } from '../loader/unit-folders.ts';
import { filesOf, manifestText, signed } from './plugin-files.ts';

const key = await newPrivateKey();
const ring = await keyRingOf([publicPart(key)], 'keys');

describe('a signature', () => {
  it('holds for the files that were signed, and names its key', async () => {
    const { files } = await signed(filesOf(), key);
    assert.deepEqual(await verifyFiles(files, ring), {
      signedBy: key.kid,
      refusal: undefined,
      altered: [],
      missing: [],
      added: [],
    });
  });

  it('is the same for the same files, in whatever order', async () => {
    const files = filesOf({ 'a.ts': '' });
    const again = await signed(new Map([...files].reverse()), key);
    assert.deepEqual((await signed(files, key)).files.get('plugin.sig'), again.files.get('plugin.sig'));
  });

  it('tells what was altered, what is missing and what was added', async () => {
    const { files } = await signed(filesOf({ 'a.ts': 'a', 'b.ts': 'b' }), key);
    files.set('index.ts', Buffer.from('export default 2;\n'));
    files.delete('b.ts');
    files.set('.hidden', Buffer.from(''));
    const { altered, missing, added } = await verifyFiles(files, ring);
    assert.deepEqual({ altered, missing, added }, { altered: ['index.ts'], missing: ['b.ts'], added: ['.hidden'] });
  });

  it('does not move to another version by a manifest that says so', async () => {
    const { files } = await signed(filesOf(), key);
    files.set('plugin.json', Buffer.from(manifestText({ version: '2.0.0' })));
    assert.deepEqual((await verifyFiles(files, ring)).altered, ['plugin.json']);
  });

  it('of another name or version does not count, though the files are the same', async () => {
    const files = filesOf();
    const other = await signatureOf({ name: 'acme', version: '9.0.0' }, files, key);
    files.set('plugin.sig', Buffer.from(other));
    assert.equal((await verifyFiles(files, ring)).refusal, 'is for acme 9.0.0');
  });

  it('by another key does not count, nor one that only says the id of a key', async () => {
    const other = await newPrivateKey();
    const byOther = await signed(filesOf(), other);
    assert.match((await verifyFiles(byOther.files, ring)).refusal ?? '', new RegExp(`by the key ${other.kid}, which`));
    const pretending = await resigned({ alg: 'EdDSA', typ: 'portcullis-plugin', kid: key.kid }, other);
    assert.equal((await verifyFiles(pretending, ring)).refusal, `was not made by the key ${key.kid}`);
  });

  /** The files with a signature whose header is chosen freely. */
  async function resigned(header: { alg: string; [name: string]: unknown }, by = key, payload = '{}') {
    const jws = await new CompactSign(Buffer.from(payload))
      .setProtectedHeader(header)
      .sign(await importJWK({ ...by }, 'EdDSA'));
    return filesOf({ 'plugin.sig': jws });
  }

  it('of something else does not count', async () => {
    const { kid } = key;
    const cases: readonly [{ alg: string; [name: string]: unknown }, RegExp][] = [
      [{ alg: 'EdDSA', kid }, /must be of alg EdDSA and typ portcullis-plugin/],
      [{ alg: 'EdDSA', kid, typ: 'JWT' }, /must be of alg/],
      [{ alg: 'EdDSA', typ: 'portcullis-plugin' }, /a key without a thumbprint/],
      [{ alg: 'EdDSA', typ: 'portcullis-plugin', kid: 'my\u001b[2Kkey' }, /a key without a thumbprint/],
      [{ alg: 'EdDSA', kid, typ: 'portcullis-plugin' }, /does not say which files/],
    ];
    for (const [header, message] of cases)
      assert.match((await verifyFiles(await resigned(header), ring)).refusal ?? '', message);
  });

  it('that is none does not count', async () => {
    const unprotected = `${Buffer.from('{"alg":"none","typ":"portcullis-plugin"}').toString('base64url')}.e30.`;
    for (const [text, message] of [
      ['', /is no signature/],
      ['a.b.c', /is no signature/],
      [unprotected, /must be of alg EdDSA/],
    ] as const)
      assert.match((await verifyFiles(filesOf({ 'plugin.sig': text }), ring)).refusal ?? '', message);
    assert.equal((await verifyFiles(filesOf(), ring)).refusal, 'is missing');
  });

  it('is not made with halves of two keys', async () => {
    const { d } = await newPrivateKey();
    const { message } = await refusalOf(() =>
      signatureOf({ name: 'acme', version: '1.0.0' }, filesOf(), { ...key, d }),
    );
    assert.match(message, /private key/);
    assert.ok(!message.includes(d));
  });
});

describe('a signing key', () => {
  it('is known by its thumbprint', async () => {
    // RFC 8037, appendix A.3.
    const x = '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo';
    assert.deepEqual(
      [...(await keyRingOf([{ kty: 'OKP', crv: 'Ed25519', x }], 'keys')).keys()],
      ['kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k'],
    );
  });

  it('may bear its thumbprint as id, and no other', async () => {
    const error = await refusalOf(() => keyRingOf([{ ...publicPart(key), kid: 'mine' }], 'plugins.signing_keys'));
    assert.equal(error.param, 'plugins.signing_keys[0].kid');
    assert.match(error.message, new RegExp(`thumbprint of its key, ${key.kid}`));
  });

  it('is public where something is verified', async () => {
    const { message } = await refusalOf(() => publicKeyIn(key, 'key.json'));
    assert.match(message, /key\.json holds a private key/);
    assert.ok(!message.includes(key.d));
  });

  for (const value of [undefined, 'text', { kty: 'EC' }, { kty: 'OKP', crv: 'Ed25519', x: 'short' }]) {
    it(`is refused when it is ${JSON.stringify(value)}`, async () => {
      assert.match(
        (await refusalOf(() => publicKeyIn(value, 'key.json'))).message,
        /key\.json must hold an Ed25519 key/,
      );
    });
  }
});
