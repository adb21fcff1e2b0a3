import type { Json } from 'portcullis/sdk';
import type { TSchema } from 'typebox';
import { accepted } from './accepted.ts';
import { validatorOf } from './validator.ts';

const booleans: Readonly<Record<string, boolean>> = {
  true: true,
  false: false,
  on: true,
  off: false,
  '1': true,
  '0': false,
};
const decimal = /^[+-]?\d+(\.\d+)?(e[+-]?\d+)?$/i;

/**
 * Reads a text as the schema's type wants it: a number, a boolean, else the text itself.
 * @param numberIn how texts of numbers are read; default: as people write settings, with blanks around them and exponents
 */
export function coerceText(schema: object, text: string, numberIn = decimalNumber): Json {
  const { type, 'x-flag': flag } = schema as { type?: unknown; 'x-flag'?: true };
  const types = Array.isArray(type) ? type : [type];
  if (types.includes('string')) return text;
  if (flag === true || types.includes('boolean')) return booleans[text.trim().toLowerCase()] ?? text;
  if (types.includes('integer') || types.includes('number')) return numberIn(text) ?? text;
  return text;
}

function decimalNumber(text: string): number | undefined {
  const trimmed = text.trim();
  return decimal.test(trimmed) ? Number(trimmed) : undefined;
}

/** Reads a text and checks it. The answer at fault says what is accepted, never what was given. */
export function readText(schema: TSchema, text: string): { readonly value: Json } | { readonly accepted: string } {
  const { type } = schema as { type?: unknown };
  const value = type === 'array' ? listOf(schema, text) : coerceText(schema, text);
  return validatorOf(schema)(value) ? { value } : { accepted: textual(schema) };
}

function listOf(schema: TSchema, text: string): readonly Json[] {
  const { items } = schema as { items?: object };
  const words = text.split(',').map((word) => word.trim());
  return words.filter((word) => word !== '').map((word) => coerceText(items ?? {}, word));
}

function textual(schema: TSchema): string {
  const { type, items } = schema as { type?: unknown; items?: object };
  return type === 'array' ? `a list with commas, each ${accepted(items ?? {})} and none twice` : accepted(schema);
}
