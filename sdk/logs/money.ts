const nanoPerCent = 10_000_000;

/** Billionths of a US dollar -> US cents, what the API shows. */
export function centsOf(nanoUsd: number | null | undefined): number {
  return (nanoUsd ?? 0) / nanoPerCent;
}

export function nanoOfCents(cents: number): number {
  return Math.round(cents * nanoPerCent);
}
