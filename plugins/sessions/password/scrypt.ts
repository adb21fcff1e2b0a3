import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';
import { boundedQueue } from 'portcullis/sdk';

const cost = 15;
const blockSize = 8;
const keyLength = 32;
/** Each run takes 32 MiB. */
const mostRunning = 2;
const mostWaiting = 32;

export interface Passwords {
  /** What is stored of a password. */
  hash(password: string): Promise<string>;
  /** Whether the password is the one that was stored. Nothing stored takes as long, and fits none. */
  fits(password: string, stored: string | undefined): Promise<boolean>;
}

/** Both calls throw GatewayError `throttled` when too many wait already: log-ins must not take the memory of everything else. */
export function passwords(): Passwords {
  const turn = boundedQueue({
    running: mostRunning,
    waiting: mostWaiting,
    full: 'Too many people log in at this moment. Try again in a few seconds.',
    retryAfter: 3,
  });
  const nobody = stored(randomBytes(16), randomBytes(keyLength));
  return {
    hash: (password) =>
      turn(async () => {
        const salt = randomBytes(16);
        return stored(salt, await derive(password, salt, cost));
      }),
    fits: (password, given) =>
      turn(async () => {
        const [, exponent, , , salt = '', key = ''] = (given ?? nobody).split('$');
        const expected = Buffer.from(key, 'base64url');
        const derived = await derive(password, Buffer.from(salt, 'base64url'), Number(exponent));
        return timingSafeEqual(derived, expected) && given !== undefined;
      }),
  };
}

function stored(salt: Buffer, key: Buffer): string {
  return ['scrypt', cost, blockSize, 1, salt.toString('base64url'), key.toString('base64url')].join('$');
}

/** Keyboards write the same letters in several ways. */
function derive(password: string, salt: Buffer, exponent: number): Promise<Buffer> {
  const N = 2 ** exponent;
  const options: ScryptOptions = { N, r: blockSize, p: 1, maxmem: 256 * N * blockSize };
  return new Promise((resolve, reject) => {
    scrypt(password.normalize('NFKC'), salt, keyLength, options, (error, key) =>
      error === null ? resolve(key) : reject(error),
    );
  });
}
