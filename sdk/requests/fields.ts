import type { TSchema } from 'typebox';
import Type from '../type-builders.ts';

/**
 * A keyword of these schemas beside JSON Schema's own: the noun phrase that says what a field takes, for a refusal's
 * sentence. Only where the phrase cannot be derived from the other keywords.
 */
export const acceptsKeyword = 'accepts';

export type Fields = Readonly<Record<string, TSchema>>;

/** An object with these fields; fields that it does not name pass. */
export function object(
  required: Fields,
  optional: Fields = {},
  keywords: Readonly<Record<string, unknown>> = {},
): TSchema {
  const properties: Record<string, TSchema> = { ...required };
  for (const [name, field] of Object.entries(optional)) properties[name] = Type.Optional(field);
  return Type.Object(properties, keywords);
}

/** The same field, which may also be null. */
export function nullable(field: TSchema): TSchema {
  const { type, enum: words } = field as { type?: string | readonly string[]; enum?: readonly unknown[] };
  const types = Array.isArray(type) ? type : [type];
  return Type.Unsafe({ ...field, type: [...types, 'null'], ...(words ? { enum: [...words, null] } : {}) });
}

export function oneOf(...words: readonly string[]): TSchema {
  return Type.Unsafe({ type: 'string', enum: words });
}

/** A string, or an array of `items` within `bounds`. */
export function textOrArray(items: TSchema, keywords: Readonly<Record<string, unknown>> = {}): TSchema {
  return Type.Unsafe({ type: ['string', 'array'], items, ...keywords });
}

/** The keywords that apply `then` where `when` holds, and `otherwise` elsewhere. */
export function choose(when: object, then: object, otherwise?: object) {
  return { if: when, then, ...(otherwise === undefined ? {} : { else: otherwise }) };
}

/** One of the words, or an object. `accepts` names both. */
export function wordOrObject(words: readonly string[], otherwise: TSchema, accepts: string): TSchema {
  const word = { enum: words, accepts };
  return Type.Unsafe({ type: ['string', 'object'], accepts, ...choose({ type: 'string' }, word, otherwise) });
}

export interface Cases {
  readonly [tag: string]: TSchema | undefined;
}

function whenTag(tag: string, value: string, schema: TSchema) {
  return choose({ type: 'object', properties: { [tag]: { const: value } }, required: [tag] }, schema);
}

function branches(tag: string, cases: Cases) {
  const known = Object.entries(cases).filter((entry): entry is [string, TSchema] => entry[1] !== undefined);
  return known.length === 0 ? {} : { allOf: known.map(([value, schema]) => whenTag(tag, value, schema)) };
}

/**
 * An object told apart by one field, which must name a case. A chain of conditions rather than a union: a body costs
 * one comparison a case, and a refusal speaks of the case that was meant.
 */
export function closedCases(tag: string, cases: Cases): TSchema {
  return Type.Object({ [tag]: oneOf(...Object.keys(cases)) }, branches(tag, cases));
}

/** The same, but a value without a case passes: providers add part and tool types all the time. */
export function openCases(tag: string, cases: Cases): TSchema {
  return Type.Object({ [tag]: Type.String() }, branches(tag, cases));
}

export const text = Type.String();
export const flag = Type.Boolean();
export const integer = Type.Integer();
export const anyObject = Type.Object({});

/** A pattern, because a length in characters is counted over the whole of a long text. */
export const filledText = Type.String({ pattern: '^[\\s\\S]', accepts: 'a non-empty string' });

/** Where the config or the provider's defaults may supply it, its presence is checked after they are merged. */
export const model = filledText;

export function numberFrom(minimum: number, maximum: number): TSchema {
  return Type.Number({ minimum, maximum });
}

export function integerFrom(minimum: number, maximum?: number): TSchema {
  return Type.Integer(maximum === undefined ? { minimum } : { minimum, maximum });
}

export function texts(keywords: Readonly<Record<string, unknown>> = {}): TSchema {
  return Type.Array(Type.String(), keywords);
}

/** The letters of function names and schema names, with the length that the format allows. */
export function identifier(maxLength: number): TSchema {
  return Type.String({
    pattern: `^[a-zA-Z0-9_-]{1,${maxLength}}$`,
    accepts: `a string of 1 to ${maxLength} characters from a-z, A-Z, 0-9, _ and -`,
  });
}

/** Up to 16 pairs, keys of at most 64 characters, values of at most 512. */
export const labels = Type.Unsafe({
  type: 'object',
  maxProperties: 16,
  propertyNames: { type: 'string', maxLength: 64 },
  additionalProperties: { type: 'string', maxLength: 512 },
});
