/** Enough of a secret to tell it from others: `sk*****3AX`; of a short one nothing. */
export function mask(secret: string): string {
  return secret.length < 12 ? '*****' : `${secret.slice(0, 2)}*****${secret.slice(-3)}`;
}
