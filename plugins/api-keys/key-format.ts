import { GatewayError } from 'portcullis/sdk';

const randomLength = 32;
const checksumLength = 8;
const mostPrefix = 32;

/** Letters and digits, behind a prefix of the operator's choice that keys of earlier days may have had. */
const shape = new RegExp(`^[A-Za-z0-9_-]{0,${mostPrefix}}[A-Za-z0-9]{${randomLength + checksumLength}}$`);

/** @throws GatewayError `invalid_config` for a prefix that no key can have */
export function checkedPrefix(prefix: string | undefined): string {
  if (prefix === undefined) return '';
  // Tokens of sessions and of first sign-ins have prefixes of their own.
  if (/^[A-Za-z0-9_-]{0,32}$/.test(prefix) && !/^(ses|bst|rst)_/.test(prefix)) return prefix;
  throw new GatewayError(
    'invalid_config',
    'API_KEY_PREFIX is not accepted: give at most 32 letters, digits, _ and - that new keys begin with, other than ses_, bst_ and rst_.',
    { param: 'API_KEY_PREFIX' },
  );
}

/** @param randomText gives letters and digits of cryptographic quality */
export function newSecret(
  prefix: string,
  randomText: (length: number) => string,
  checksum: (text: string) => string,
): string {
  const text = prefix + randomText(randomLength);
  return text + checksum(text);
}

/** `z1*****3AX`: enough for people to tell keys apart, and of no use for anything else. */
export function maskedSecret(secret: string): string {
  return `${secret.slice(0, 2)}*****${secret.slice(-3)}`;
}

/** Whether a key could look like this: most of what is sent does not, and costs nothing more. */
export function hasShape(text: string): boolean {
  return shape.test(text);
}

/**
 * Whether this deployment has issued the text, now or ever; undefined when that cannot be known yet. A text that is
 * not of this deployment is never looked up, so a flood of them reaches neither the store nor the memory.
 */
export function isIssued(text: string, checksum: (text: string) => string | undefined): boolean | undefined {
  if (!hasShape(text)) return false;
  const fits = checksum(text.slice(0, -checksumLength));
  return fits === undefined ? undefined : text.endsWith(fits);
}
