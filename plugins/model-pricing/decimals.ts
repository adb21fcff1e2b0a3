/** A number as it is written: `units` tenths, hundredths ... by `places`; places below zero are tens, hundreds ... */
export interface Decimal {
  readonly units: bigint;
  readonly places: number;
}

export const one: Decimal = { units: 1n, places: 0 };

/** The decimal that a file wrote: the shortest text that reads as this number. @param value at least 0, finite */
export function decimalOf(value: number): Decimal {
  const [digits = '0', exponent = '0'] = String(value).split('e');
  const [whole = '0', fraction = ''] = digits.split('.');
  return { units: BigInt(whole + fraction), places: fraction.length - Number(exponent) };
}

export function product(a: Decimal, b: Decimal): Decimal {
  return { units: a.units * b.units, places: a.places + b.places };
}

/** The same in units of `places`, which must be at least the decimal's own. */
export function unitsAt({ units, places: own }: Decimal, places: number): bigint {
  return units * 10n ** BigInt(places - own);
}
