import type { Category } from '../categories.ts';
import { isCardNumber } from './credit-card.ts';
import {
  isAadhaar,
  isBsn,
  isCpf,
  isGermanTaxId,
  isNhsNumber,
  isNir,
  isPersonnummer,
  isPesel,
  isSsn,
} from './identity.ts';

/** A number in one of its forms. */
export interface NumberRule {
  readonly category: Category;
  /** What may stand between the groups, as in `Groups`. */
  readonly separated: ReadonlySet<string>;
  /** The form says too little: only where one of these words stands before it. */
  readonly named?: RegExp;
  valid(digits: string): boolean;
}

interface NumberKind {
  readonly category: Category;
  /** Lengths of the groups; between them one separator of ` -`, all alike, unless `marks` says which. */
  readonly forms: readonly (readonly number[])[];
  readonly marks?: readonly string[];
  readonly named?: RegExp;
  valid(digits: string): boolean;
}

const kinds: readonly NumberKind[] = [
  {
    category: 'CREDIT_CARD',
    forms: [
      [13],
      [14],
      [15],
      [16],
      [17],
      [18],
      [19],
      [4, 4, 4, 4],
      [4, 6, 5],
      [4, 6, 4],
      [4, 4, 4, 4, 3],
      [4, 4, 4, 1],
    ],
    valid: isCardNumber,
  },
  { category: 'SSN', forms: [[3, 2, 4]], valid: isSsn },
  { category: 'SSN', forms: [[9]], named: /\bssn|social.security/i, valid: isSsn },
  { category: 'UK_NHS', forms: [[3, 3, 4]], marks: ['  '], valid: isNhsNumber },
  { category: 'UK_NHS', forms: [[10]], named: /\bnhs/i, valid: isNhsNumber },
  { category: 'DE_TAX_ID', forms: [[11], [2, 3, 3, 3]], valid: isGermanTaxId },
  { category: 'FR_NIR', forms: [[15], [13, 2], [1, 2, 2, 2, 3, 3, 2]], valid: isNir },
  { category: 'NL_BSN', forms: [[4, 2, 3]], marks: ['..', '  '], valid: isBsn },
  { category: 'NL_BSN', forms: [[9]], named: /\bbsn|burgerservice|sofinummer/i, valid: isBsn },
  { category: 'PL_PESEL', forms: [[11]], valid: isPesel },
  { category: 'SE_PERSONNUMMER', forms: [[12], [6, 4], [8, 4]], marks: ['', '-'], valid: isPersonnummer },
  { category: 'SE_PERSONNUMMER', forms: [[10]], named: /person(?:nummer|nr)|\bpnr/i, valid: isPersonnummer },
  { category: 'BR_CPF', forms: [[11], [3, 3, 3, 2]], marks: ['', '..-', '   ', '...'], valid: isCpf },
  { category: 'IN_AADHAAR', forms: [[4, 4, 4]], valid: isAadhaar },
  { category: 'IN_AADHAAR', forms: [[12]], named: /aadh?aar|\buidai|\buid\b/i, valid: isAadhaar },
];

export const mostGroups = 7;
const longestGroup = 19;

const rules = new Map<number, NumberRule[]>();
for (const { forms, marks, ...rule } of kinds) {
  for (const form of forms) {
    const between = form.length - 1;
    const separated = new Set(marks ?? [' '.repeat(between), '-'.repeat(between)]);
    const shape = form.reduce(shapeWith, 0);
    rules.set(shape, [...(rules.get(shape) ?? []), { ...rule, separated }]);
  }
}

/** The lengths of groups as one number, group by group; too long a group leads to a form that there is not. */
export function shapeWith(shape: number, length: number): number {
  return shape * 32 + Math.min(length, longestGroup + 1);
}

export function rulesOf(shape: number): readonly NumberRule[] | undefined {
  return rules.get(shape);
}
