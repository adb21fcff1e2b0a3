import { digitAt, passesLuhn, passesMod1110, passesVerhoeff, weighted } from './checksums.ts';

/** Ranges that were never given out, and two numbers that advertising has spoilt. */
export function isSsn(digits: string): boolean {
  const area = digits.slice(0, 3);
  if (area === '000' || area === '666' || area.startsWith('9')) return false;
  if (digits.slice(3, 5) === '00' || digits.slice(5) === '0000') return false;
  return digits !== '078051120' && digits !== '219099999';
}

export function isNhsNumber(digits: string): boolean {
  const check = 11 - (weighted(digits, [10, 9, 8, 7, 6, 5, 4, 3, 2]) % 11);
  return check !== 10 && check % 11 === digitAt(digits, 9) && !isRepeated(digits);
}

/** Among the first ten digits, exactly one stands twice or three times, and no other more than once. */
export function isGermanTaxId(digits: string): boolean {
  if (digits.startsWith('0')) return false;
  const counts = new Map<string, number>();
  for (const digit of digits.slice(0, 10)) counts.set(digit, (counts.get(digit) ?? 0) + 1);
  const several = [...counts.values()].filter((count) => count > 1);
  return several.length === 1 && (several[0] ?? 0) < 4 && passesMod1110(digits);
}

/** Sex, year, month, place, order, and, where it is there, the key. Corsica's letters are read in words. */
export function isNir(digits: string): boolean {
  const month = Number(digits.slice(3, 5));
  const monthIsKnown = (month >= 1 && month <= 12) || (month >= 20 && month <= 42) || month >= 50;
  if (!/^[123478]/.test(digits) || !monthIsKnown) return false;
  return digits.length === 15 && 97 - (Number(digits.slice(0, 13)) % 97) === Number(digits.slice(13));
}

export function isBsn(digits: string): boolean {
  return weighted(digits, [9, 8, 7, 6, 5, 4, 3, 2, -1]) % 11 === 0 && !isRepeated(digits);
}

/** The century stands in the month: 1900 as it is, 2000 plus 20, 2100 plus 40, 2200 plus 60, 1800 plus 80. */
export function isPesel(digits: string): boolean {
  const month = Number(digits.slice(2, 4));
  if (!isDay(month % 20, Number(digits.slice(4, 6)))) return false;
  return weighted(digits, [1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1]) % 10 === 0;
}

/** Ten digits, or twelve with the century. Coordination numbers have 60 added to the day. */
export function isPersonnummer(digits: string): boolean {
  const ten = digits.slice(-10);
  if (digits.length === 12 && !/^(?:18|19|20)/.test(digits)) return false;
  const day = Number(ten.slice(4, 6));
  return isDay(Number(ten.slice(2, 4)), day > 60 ? day - 60 : day) && passesLuhn(ten);
}

export function isCpf(digits: string): boolean {
  const first = (weighted(digits, [10, 9, 8, 7, 6, 5, 4, 3, 2]) * 10) % 11;
  const second = (weighted(digits, [11, 10, 9, 8, 7, 6, 5, 4, 3, 2]) * 10) % 11;
  return first % 10 === digitAt(digits, 9) && second % 10 === digitAt(digits, 10) && !isRepeated(digits);
}

export function isAadhaar(digits: string): boolean {
  return /^[2-9]/.test(digits) && passesVerhoeff(digits) && !isRepeated(digits);
}

function isDay(month: number, day: number): boolean {
  return month >= 1 && month <= 12 && day >= 1 && day <= 31;
}

/** One digit all along passes many checksums and is nobody's number. */
function isRepeated(digits: string): boolean {
  return digits === digits.charAt(0).repeat(digits.length);
}
