import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { describe, it } from 'node:test';
import type { FileKey } from 'portcullis/sdk';
import { createTestHost } from 'portcullis/sdk/testing';
import staticKeys from '../../plugins/static-keys/index.ts';
import { exchangeOf } from '../support/exchange.ts';

const key: FileKey = { name: 'web', sha256: hash('sha256', 'pc_good', 'hex'), config: 'main', metadata: { team: 'a' } };

async function identifier(keys: readonly FileKey[]) {
  const hooks = await staticKeys.setup({}, createTestHost({ file: { keys } }));
  return { hooks, identify: (headers: Record<string, string>) => hooks.identify?.(exchangeOf({ headers })) };
}

describe('static keys', () => {
  const accepted: readonly [string, Record<string, string>, string | undefined][] = [
    ['its own header', { 'x-gw-api-key': 'pc_good' }, undefined],
    ['a Bearer token', { authorization: 'Bearer pc_good' }, 'authorization'],
    ['a bearer token in lower case', { authorization: 'bearer  pc_good' }, 'authorization'],
    ['x-api-key', { 'x-api-key': 'pc_good' }, 'x-api-key'],
    ['api-key', { 'api-key': 'pc_good' }, 'api-key'],
    ['x-goog-api-key', { 'x-goog-api-key': 'pc_good' }, 'x-goog-api-key'],
    [
      'x-api-key beside a provider key in Authorization',
      { authorization: 'Bearer sk-1', 'x-api-key': 'pc_good' },
      'x-api-key',
    ],
    ['its own header beside a provider key', { authorization: 'Bearer sk-1', 'x-gw-api-key': 'pc_good' }, undefined],
  ];
  for (const [where, headers, consumed] of accepted) {
    it(`knows a key in ${where}, and says which header it was`, async () => {
      const { identify } = await identifier([key]);
      const principal = await identify(headers);
      assert.deepEqual(principal, {
        id: 'key:web',
        kind: 'key',
        name: 'web',
        metadata: { team: 'a' },
        config: 'main',
        ...(consumed === undefined ? {} : { consumed }),
      });
    });
  }

  const refused: readonly [string, Record<string, string>][] = [
    ['an unknown key in its own header', { 'x-gw-api-key': 'pc_bad' }],
    ['an unknown key, even beside a good Bearer token', { 'x-gw-api-key': 'pc_bad', authorization: 'Bearer pc_good' }],
    ['an unknown Bearer token', { authorization: 'Bearer pc_bad' }],
    ['an empty key', { 'x-gw-api-key': '' }],
    ['the hash in place of the key', { authorization: `Bearer ${key.sha256}` }],
    ['a malformed key', { 'x-api-key': '\u00ff'.repeat(5000) }],
    ['the word for a gateway without keys', { authorization: 'Bearer portcullis' }],
  ];
  for (const [what, headers] of refused) {
    it(`refuses ${what}`, async () => {
      const { identify } = await identifier([key]);
      assert.throws(() => identify(headers), {
        code: 'unauthenticated',
        message: 'The API key is unknown or revoked.',
      });
    });
  }

  it('leaves a request without any credential to the next plugin', async () => {
    const { identify } = await identifier([key]);
    assert.equal(identify({}), undefined);
  });

  it('hands out the same principal for the same key, so that what hangs on it can be remembered', async () => {
    const { identify } = await identifier([key]);
    assert.equal(identify({ authorization: 'Bearer pc_good' }), identify({ authorization: 'Bearer pc_good' }));
  });

  it('accepts a hash written in capitals', async () => {
    const { identify } = await identifier([{ ...key, sha256: key.sha256.toUpperCase() }]);
    assert.equal((await identify({ 'x-gw-api-key': 'pc_good' }))?.id, 'key:web');
  });

  it('tells two keys apart', async () => {
    const other: FileKey = { name: 'batch', sha256: hash('sha256', 'pc_other', 'hex') };
    const { identify } = await identifier([key, other]);
    assert.deepEqual(await identify({ 'x-gw-api-key': 'pc_other' }), { id: 'key:batch', kind: 'key', name: 'batch' });
  });

  it('says that anyone may call only while there is no key', async () => {
    assert.equal((await identifier([])).hooks.open, true);
    assert.notEqual((await identifier([key])).hooks.open, true);
  });

  it('takes a provider key for what it is while there is no gateway key', async () => {
    const { identify } = await identifier([]);
    assert.deepEqual(await identify({ authorization: 'Bearer sk-1' }), { id: 'anonymous', kind: 'anonymous' });
  });

  it('does not take the placeholder that SDKs are given for a provider key', async () => {
    const { identify } = await identifier([]);
    assert.deepEqual(await identify({ authorization: 'Bearer portcullis' }), {
      id: 'anonymous',
      kind: 'anonymous',
      consumed: 'authorization',
    });
  });
});
