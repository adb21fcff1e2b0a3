import { createHmac } from 'node:crypto';

const letters = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const half = 4;
const combinations = letters.length ** half;

/**
 * Makes the checksum of what this deployment issues: 8 letters and digits. Pure, so that a process without the database
 * can verify as well. Compare in any way: who can guess 47 bits still knows no key.
 * @param key as `Vault.checksumKey` gives it
 */
export function checksumWith(key: string): (text: string) => string {
  const bytes = Buffer.from(key, 'base64url');
  return (text) => {
    const mac = createHmac('sha256', bytes).update(text, 'utf8').digest();
    return word(mac.readUIntBE(0, 6)) + word(mac.readUIntBE(6, 6));
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
