import { isDigit, isWord } from '../characters.ts';

/** Lengths by country, from the registry of ISO 13616. */
const lengths = new Map(
  (
    'AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 DK18 DO28 EE20 EG29 ' +
    'ES24 FI18 FK18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HN28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 ' +
    'LB28 LC32 LI21 LT20 LU20 LV21 LY25 MC27 MD24 ME22 MK19 MN20 MR27 MT31 MU30 NI28 NL18 NO15 OM23 PK24 PL28 PS29 ' +
    'PT25 QA29 RO24 RS22 RU33 SA24 SC31 SD18 SE24 SI19 SK24 SM27 SO23 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20 YE30'
  )
    .split(' ')
    .map((entry) => [entry.slice(0, 2), Number(entry.slice(2))] as const),
);

/** Where an account number ends that begins with this word: in one piece, or in groups of four. */
export function ibanEnd(text: string, start: number): number | undefined {
  if (!isDigit(text.charCodeAt(start + 2)) || !isDigit(text.charCodeAt(start + 3))) return undefined;
  const length = lengths.get(text.slice(start, start + 2).toUpperCase());
  if (length === undefined) return undefined;
  let compact = '';
  let at = start;
  while (compact.length < length) {
    const code = text.charCodeAt(at);
    if (isWord(code)) compact += text.charAt(at);
    else if (compact.length % 4 !== 0 || !(code === 32 || code === 45 || code === 0xa0 || code === 0x202f))
      return undefined;
    else if (!isWord(text.charCodeAt(at + 1))) return undefined;
    at += 1;
  }
  return !isWord(text.charCodeAt(at)) && passesMod97(compact.toUpperCase()) ? at : undefined;
}

/** ISO 7064, MOD 97-10: the first four behind the rest, letters as 10 to 35. */
function passesMod97(compact: string): boolean {
  let rest = 0;
  for (const letter of compact.slice(4) + compact.slice(0, 4)) {
    const value = Number.parseInt(letter, 36);
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97;
  }
  return rest === 1;
}
