import { randomFillSync } from 'node:crypto';

const idBytes = 16;
const randomness = Buffer.alloc(idBytes * 256);
let used = randomness.length;

/**
 * A UUID of version 7 (RFC 9562): ids that are made later are greater, to the millisecond, so that the indexes of tables grow at
 * their end. Randomness is fetched for many at once.
 */
export function newId(): string {
  if (used === randomness.length) {
    randomFillSync(randomness);
    used = 0;
  }
  const start = used;
  used += idBytes;
  randomness.writeUIntBE(Date.now(), start, 6);
  randomness[start + 6] = 0x70 | ((randomness[start + 6] ?? 0) & 0x0f);
  randomness[start + 8] = 0x80 | ((randomness[start + 8] ?? 0) & 0x3f);
  const hex = randomness.toString('hex', start, used);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
