import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { checksumWith } from '../../../core/secrets/checksum.ts';

const checksum = checksumWith(Buffer.alloc(32, 9).toString('base64url'));

describe('a checksum', () => {
  it('is the same for the same text and key, for good: what was issued has to stay valid', () => {
    assert.equal(checksum('pc-example'), checksumWith(Buffer.alloc(32, 9).toString('base64url'))('pc-example'));
    assert.equal(checksum('pc-example'), 'XTjAguSZ');
  });

  it('is 8 letters and digits that use the whole alphabet', () => {
    const made = Array.from({ length: 2000 }, (_, index) => checksum(String(index)));
    for (const text of made) assert.match(text, /^[0-9A-Za-z]{8}$/);
    assert.equal(new Set(made).size, made.length);
    for (let place = 0; place < 8; place++) assert.equal(new Set(made.map((text) => text[place])).size, 62);
  });
});
