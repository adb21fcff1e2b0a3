import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { describe, it } from 'node:test';
import { checkedPrefix, isIssued, maskedSecret, newSecret } from '../../../plugins/api-keys/key-format.ts';

const checksum = (text: string) => hash('sha256', `pepper${text}`, 'hex').slice(0, 8);
const randomText = (length: number) => 'Ab3'.repeat(length).slice(0, length);

describe('the form of a key', () => {
  it('is the prefix, 32 random characters and a checksum over both', () => {
    const secret = newSecret('pc_', randomText, checksum);
    assert.equal(secret.length, 3 + 32 + 8);
    assert.ok(secret.startsWith('pc_Ab3'));
    assert.equal(isIssued(secret, checksum), true);
    assert.equal(isIssued(newSecret('', randomText, checksum), checksum), true);
  });

  it('shows as its first two and last three characters', () =>
    assert.equal(maskedSecret('z1abcdefgh3AX'), 'z1*****3AX'));

  const foreign: readonly [string, (secret: string) => string][] = [
    ['one character is another', (secret) => `${secret.slice(0, 9)}x${secret.slice(10)}`],
    ['the prefix is another', (secret) => `pk_${secret.slice(3)}`],
    ['the checksum is another', (secret) => `${secret.slice(0, -1)}!`.replace('!', secret.endsWith('0') ? '1' : '0')],
    ['something follows', (secret) => `${secret}a`],
    ['it is cut', (secret) => secret.slice(0, -1)],
    ['it has a space', (secret) => ` ${secret}`],
    ['it is empty', () => ''],
    ['it is a megabyte long', (secret) => secret.repeat(25_000)],
    [
      'it is a token of three parts',
      () => 'eyJhbGciOi.eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4.SflKxwRJSMeKKF2QT4fw',
    ],
  ];
  for (const [why, change] of foreign) {
    it(`tells a text that was not issued: ${why}`, () => {
      assert.equal(isIssued(change(newSecret('pc_', randomText, checksum)), checksum), false);
    });
  }

  it('cannot be told before the key of the checksum is known, but for what has not even the shape', () => {
    assert.equal(
      isIssued('a'.repeat(40), () => undefined),
      undefined,
    );
    assert.equal(
      isIssued('sk-short', () => undefined),
      false,
    );
  });

  it('takes a prefix of letters, digits, _ and -, and no other', () => {
    assert.equal(checkedPrefix(undefined), '');
    assert.equal(checkedPrefix('acme-live_'), 'acme-live_');
    for (const prefix of ['a b', 'ä', 'x'.repeat(33), 'a.b']) {
      assert.throws(() => checkedPrefix(prefix), { code: 'invalid_config', param: 'API_KEY_PREFIX' });
    }
  });
});
