/** The value of the digit at a place. */
export function digitAt(digits: string, at: number): number {
  return digits.charCodeAt(at) - 48;
}

/** The sum of digits times weights, from the first digit on. */
export function weighted(digits: string, weights: readonly number[]): number {
  return weights.reduce((sum, weight, at) => sum + weight * digitAt(digits, at), 0);
}

/** ISO/IEC 7812-1, annex B. */
export function passesLuhn(digits: string): boolean {
  let sum = 0;
  for (let at = digits.length - 1, double = false; at >= 0; at -= 1, double = !double) {
    const digit = digitAt(digits, at);
    sum += double ? (digit > 4 ? digit * 2 - 9 : digit * 2) : digit;
  }
  return sum % 10 === 0;
}

/** The dihedral group of order 10, by its multiplication: rotations 0 to 4, reflections 5 to 9. */
function product(a: number, b: number): number {
  if (a < 5) return b < 5 ? (a + b) % 5 : 5 + ((a + b) % 5);
  return b < 5 ? 5 + ((a - b) % 5) : (a - b + 5) % 5;
}

const permutation = [1, 5, 7, 6, 2, 8, 3, 0, 9, 4];

/** Verhoeff's checksum, the check digit last. */
export function passesVerhoeff(digits: string): boolean {
  let check = 0;
  for (let place = 0; place < digits.length; place += 1) {
    let digit = digitAt(digits, digits.length - 1 - place);
    for (let turn = 0; turn < place % 8; turn += 1) digit = permutation[digit] ?? 0;
    check = product(check, digit);
  }
  return check === 0;
}

/** ISO 7064, MOD 11,10, the check digit last. */
export function passesMod1110(digits: string): boolean {
  let product = 10;
  for (let at = 0; at < digits.length - 1; at += 1) {
    const sum = (digitAt(digits, at) + product) % 10;
    product = ((sum === 0 ? 10 : sum) * 2) % 11;
  }
  return (11 - product) % 10 === digitAt(digits, digits.length - 1);
}
