import type { Report } from '../categories.ts';
import { isCodiceFiscale } from './codice-fiscale.ts';
import { isCorsicanNir } from './corsican-nir.ts';
import { findCryptoAddress } from './crypto-address.ts';
import { findNifLetter, isNif } from './es-nif.ts';
import { ibanEnd } from './iban.ts';
import { isNino } from './uk-nino.ts';

const longest = 80;

/**
 * A word of letters and digits.
 * @returns up to where it, and what goes on behind a space, has been read
 */
export function findInWord(text: string, start: number, end: number, report: Report): number {
  const iban = ibanEnd(text, start);
  if (iban !== undefined) {
    report('IBAN', start, iban);
    return iban;
  }
  if (end - start > longest) return end;
  const word = text.slice(start, end).toUpperCase();
  if (word.length === 9 && isNif(word)) report('ES_NIF', start, end);
  else if (word.length === 9 && isNino(word)) report('UK_NINO', start, end);
  else if (word.length === 8) findNifLetter(text, start, end, report);
  else if (word.length === 16 && isCodiceFiscale(word)) report('IT_CODICE_FISCALE', start, end);
  else if (word.length === 15 && isCorsicanNir(word)) report('FR_NIR', start, end);
  else findCryptoAddress(text, start, end, report);
  return end;
}
