import { isNir } from '../numbers/identity.ts';

/** A French number of someone born in Corsica: the place is 2A or 2B, which count as 19 and 18. */
export function isCorsicanNir(word: string): boolean {
  if (!/^[0-9]{5}2[AB][0-9]{8}$/.test(word)) return false;
  return isNir(word.replace('2A', '19').replace('2B', '18'));
}
