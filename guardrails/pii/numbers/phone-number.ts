import { digitsOf, type Groups } from './groups.ts';

/** E.164: a country code and a number have at most 15 digits. */
const mostDigits = 15;
const named =
  /(?:phone|mobile|cell|tel|telefon|handy|fax|whatsapp|call|dial|reach|text|sms|电话|電話|手机|携帯)(?: (?:number|no|nr|me|us|him|her|them|is|at|on|under))*[\s.:#=("'+]{0,4}$/i;

/**
 * The last group of a telephone number that begins with this one: international behind `+` or `00`, national behind `0`,
 * North American, or after a word that announces one.
 */
export function phoneEnd(groups: Groups, first: number): number | undefined {
  const { text, starts } = groups;
  const start = starts[first] ?? 0;
  const before = text.charAt(start - 1);
  if (before === '+') return internationalEnd(groups, first, 0);
  const head = text.slice(start, start + 3);
  if (/^00[1-9]/.test(head)) return internationalEnd(groups, first, 2);
  const national = /^0[1-9]/.test(head) ? nationalEnd(groups, first) : northAmericanEnd(groups, first);
  if (national !== undefined) return national;
  // A word stands before the chain or nowhere: inside of it there are only digits.
  const announced = first === 0 && named.test(text.slice(Math.max(0, start - 40), start));
  return announced ? endWithin(groups, first, 7, mostDigits) : undefined;
}

function internationalEnd(groups: Groups, first: number, skipped: number): number | undefined {
  const code = groups.text.charAt((groups.starts[first] ?? 0) + skipped);
  if (code === '0') return undefined;
  if (code === '1') return endWithin(groups, first, 11 + skipped, 11 + skipped);
  return endWithin(groups, first, 8 + skipped, mostDigits + skipped);
}

/** In several groups, or it could be any number; the separators behind the area are alike. */
function nationalEnd(groups: Groups, first: number): number | undefined {
  const { starts, ends, separators } = groups;
  const area = (ends[first] ?? 0) - (starts[first] ?? 0);
  if (area < 2 || area > 5) return undefined;
  let last = first + 1;
  while (last < starts.length - 1 && separators.charAt(last) === separators.charAt(first + 1)) last += 1;
  for (; last > first; last -= 1) {
    const digits = digitsIn(groups, first, last);
    if (digits >= 9 && digits <= 11) return last;
  }
  return undefined;
}

function northAmericanEnd(groups: Groups, first: number): number | undefined {
  const { starts, ends, separators } = groups;
  const length = (group: number) => (ends[group] ?? 0) - (starts[group] ?? 0);
  const area = length(first) === 1 && groups.text.charAt(starts[first] ?? 0) === '1' ? first + 1 : first;
  const last = area + 2;
  if (last >= starts.length || length(area) !== 3 || length(area + 1) !== 3 || length(last) !== 4) return undefined;
  const between = separators.slice(area, last);
  if (!/^(?:\(-|\( |\(\.|--|\.\.| {2}| -)$/.test(between)) return undefined;
  return /^[2-9]\d\d[2-9]/.test(digitsOf(groups, area, last)) ? last : undefined;
}

/** The last group with which there are so many digits; undefined when there are too few. */
function endWithin(groups: Groups, first: number, least: number, most: number): number | undefined {
  let digits = 0;
  let end: number | undefined;
  for (let group = first; group < groups.starts.length; group += 1) {
    digits += (groups.ends[group] ?? 0) - (groups.starts[group] ?? 0);
    if (digits > most) break;
    if (digits >= least) end = group;
  }
  return end;
}

function digitsIn(groups: Groups, first: number, last: number): number {
  let digits = 0;
  for (let group = first; group <= last; group += 1) digits += (groups.ends[group] ?? 0) - (groups.starts[group] ?? 0);
  return digits;
}
