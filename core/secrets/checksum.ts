import { hash } from 'node:crypto';

const letters = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const half = 4;
const combinations = letters.length ** half;

/**
 * Makes the checksum of what this deployment issues: 8 letters and digits. Pure, so that a process without the database
 * can verify as well. Compare in any way: who can guess 47 bits still knows no key.
 * @param key as `Vault.checksumKey` gives it
 */
export function checksumWith(key: string): (text: string) => string {
  const hmac = hmacSha256(Buffer.from(key, 'base64url'));
  return (text) => {
    const mac = hmac(text);
    return word(mac.readUIntBE(0, 6)) + word(mac.readUIntBE(6, 6));
  };
}

const blockBytes = 64;

/** HMAC (RFC 2104) of two one-shot hashes: every caller's key is checked, and Node's own object for it costs ten times as much. */
function hmacSha256(key: Buffer): (text: string) => Buffer {
  const block = Buffer.alloc(blockBytes);
  (key.length > blockBytes ? hash('sha256', key, 'buffer') : key).copy(block);
  const inner = block.map((byte) => byte ^ 0x36);
  const outer = block.map((byte) => byte ^ 0x5c);
  return (text) => {
    const digest = hash('sha256', Buffer.concat([inner, Buffer.from(text, 'utf8')]), 'buffer');
    return hash('sha256', Buffer.concat([outer, digest]), 'buffer');
  };
}

function word(number: number): string {
  let rest = number % combinations;
  let text = '';
  for (let place = 0; place < half; place++) {
    text += letters.charAt(rest % letters.length);
    rest = Math.floor(rest / letters.length);
  }
  return text;
}
