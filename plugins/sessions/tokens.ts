const prefixes = { session: 'ses_', bootstrap: 'bst_', reset: 'rst_' } as const;
export type TokenKind = keyof typeof prefixes;

const randomLength = 32;
const checksumLength = 8;
const shape = new RegExp(`^[A-Za-z0-9]{${randomLength + checksumLength}}$`);

export function hasPrefix(kind: TokenKind, text: string): boolean {
  return text.startsWith(prefixes[kind]);
}

/** @param randomText gives letters and digits of cryptographic quality */
export function newToken(
  kind: TokenKind,
  randomText: (length: number) => string,
  checksum: (text: string) => string,
): string {
  const text = prefixes[kind] + randomText(randomLength);
  return text + checksum(text);
}

/** Whether this deployment has issued it, now or ever, without asking the store; undefined: that cannot be known yet. */
export function isIssued(
  kind: TokenKind,
  text: string,
  checksum: (text: string) => string | undefined,
): boolean | undefined {
  if (!hasPrefix(kind, text) || !shape.test(text.slice(prefixes[kind].length))) return false;
  const fits = checksum(text.slice(0, -checksumLength));
  return fits === undefined ? undefined : text.endsWith(fits);
}
