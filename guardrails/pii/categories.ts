/**
 * What is looked for. Where two findings cover the same place, the one that stands first here names it.
 */
export const categories = [
  'URL_CREDENTIALS',
  'SECRET',
  'EMAIL_ADDRESS',
  'IBAN',
  'CREDIT_CARD',
  'CRYPTO_ADDRESS',
  'SSN',
  'UK_NHS',
  'UK_NINO',
  'DE_TAX_ID',
  'FR_NIR',
  'ES_NIF',
  'IT_CODICE_FISCALE',
  'NL_BSN',
  'PL_PESEL',
  'SE_PERSONNUMMER',
  'BR_CPF',
  'IN_AADHAAR',
  'IP_ADDRESS',
  'PHONE_NUMBER',
] as const;

export type Category = (typeof categories)[number];

/** One finding; positions count UTF-16 units. */
export interface Found {
  readonly category: Category;
  readonly start: number;
  readonly end: number;
}

/** Takes what a detector finds, and says whether anybody asked for the category. */
export type Report = (category: Category, start: number, end: number) => boolean;
