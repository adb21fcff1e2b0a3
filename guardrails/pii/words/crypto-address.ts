import { createHash } from 'node:crypto';
import type { Report } from '../categories.ts';

const base58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const bech32 = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l';

/** Ethereum by its form, Bitcoin by its checksum. */
export function findCryptoAddress(text: string, start: number, end: number, report: Report): void {
  if (end - start < 26) return;
  const word = text.slice(start, end);
  if (isEthereum(word) || isSegwit(word) || isBase58(word)) report('CRYPTO_ADDRESS', start, end);
}

function isEthereum(word: string): boolean {
  return word.length === 42 && /^0x[0-9a-fA-F]{40}$/.test(word);
}

/** BIP 173 and BIP 350: the remainder is 1 for version 0, and 0x2bc830a3 for later ones. */
function isSegwit(word: string): boolean {
  if (word.length > 74 || !/^(?:bc1[0-9a-z]+|BC1[0-9A-Z]+)$/.test(word)) return false;
  const values = Array.from(word.slice(3).toLowerCase(), (letter) => bech32.indexOf(letter));
  if (values.includes(-1)) return false;
  const rest = polymod([3, 3, 0, 2, 3, ...values]);
  return rest === (values[0] === 0 ? 1 : 0x2bc830a3);
}

const generators = [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3];

function polymod(values: readonly number[]): number {
  return values.reduce((check, value) => {
    const top = check >>> 25;
    const next = ((check & 0x1ffffff) << 5) ^ value;
    return generators.reduce((sum, generator, bit) => ((top >>> bit) & 1 ? sum ^ generator : sum), next);
  }, 1);
}

/** 25 bytes, the last four of which are the start of a double SHA-256 of the others. */
function isBase58(word: string): boolean {
  if (word.length > 35 || !/^[13][1-9A-HJ-NP-Za-km-z]+$/.test(word)) return false;
  let number = 0n;
  for (const letter of word) number = number * 58n + BigInt(base58.indexOf(letter));
  const hex = number.toString(16);
  if (hex.length > 50) return false;
  const bytes = Buffer.from(hex.padStart(50, '0'), 'hex');
  return sha256(sha256(bytes.subarray(0, 21)))
    .subarray(0, 4)
    .equals(bytes.subarray(21));
}

function sha256(bytes: Uint8Array): Buffer {
  return createHash('sha256').update(bytes).digest();
}
