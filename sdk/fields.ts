import type { TOptional, TSchema } from 'typebox';
import type { Json, JsonObject } from './json.ts';
import Type from './type-builders.ts';

/** How a field behaves, beside its type: read by what derives routes, storage and documents from a resource. */
export interface FieldRules {
  /** Given by the gateway alone. */
  readonly 'x-read-only'?: true;
  /** Stays as it was made: an update that would change it is refused. */
  readonly 'x-fixed'?: true;
  /** The resource whose record it names: the id is stored, and its slug is taken too. */
  readonly 'x-reference'?: string;
  /** Taken from bodies, and neither stored nor shown under this name. */
  readonly 'x-input'?: true;
  /** Must be given on create. */
  readonly 'x-required'?: true;
  /** Epoch milliseconds inside; on the wire as the operator has set, or ISO 8601 always. */
  readonly 'x-time'?: 'setting' | 'iso';
  /** Kept encrypted, never shown. */
  readonly 'x-secret'?: true;
  /** Shown where one record is asked for, not in lists. */
  readonly 'x-detail'?: true;
  /** Of a query: several values, with commas between them. */
  readonly 'x-several'?: true;
}

type With<S extends TSchema> = S & FieldRules;

function marked<S extends TSchema>(schema: S, rules: FieldRules): With<S> {
  return { ...schema, ...rules };
}

/** Must be given on create. */
export const required = <S extends TSchema>(schema: S): With<S> => marked(schema, { 'x-required': true });
/** May be given on create, never changed: an update that would is refused. */
export const fixed = <S extends TSchema>(schema: S): With<S> => marked(schema, { 'x-fixed': true });
/** Names a record of the resource by its id, which is stored, or its slug. */
export const reference = <S extends TSchema>(resource: string, schema: S): With<S> =>
  marked(schema, { 'x-reference': resource });
/** Given by the gateway alone. */
export const readOnly = <S extends TSchema>(schema: S): With<S> => marked(schema, { 'x-read-only': true });
/** Taken from bodies for hooks to read; neither stored nor shown under this name. */
export const input = <S extends TSchema>(schema: S): With<S> => marked(schema, { 'x-input': true });
/** A parameter of a query that takes several values with commas between them, or comes once for each. */
export const several = <S extends TSchema>(schema: S): With<S> => marked(schema, { 'x-several': true });
/** Shown where one record is asked for, not in lists. */
export const detail = <S extends TSchema>(schema: S): With<S> => marked(schema, { 'x-detail': true });

export interface TextOptions {
  /** Default 0. */
  readonly min?: number;
  /** Default 255. */
  readonly max?: number;
  readonly pattern?: string;
  readonly description?: string;
  readonly format?: string;
  /** The noun phrase of a refusal, where the keywords cannot say it. */
  readonly accepts?: string;
}

/** Schemas of the values that resources are made of. */
export const field = {
  text: ({ min = 0, max = 255, ...rest }: TextOptions = {}) => Type.String({ minLength: min, maxLength: max, ...rest }),
  /** A name of people's choosing: 1 to 255 characters. */
  name: () => Type.String({ minLength: 1, maxLength: 255, pattern: '\\S' }),
  id: () => Type.String({ minLength: 1, maxLength: 255 }),
  slug: () =>
    Type.String({ minLength: 1, maxLength: 255, pattern: '^[a-zA-Z0-9_-]+$', accepts: 'letters, digits, _ and -' }),
  email: () =>
    Type.String({ minLength: 3, maxLength: 254, pattern: '^[^\\s@]+@[^\\s@]+$', accepts: 'an e-mail address' }),
  integer: (minimum: number, maximum = Number.MAX_SAFE_INTEGER) => Type.Integer({ minimum, maximum }),
  /** 0 or 1 on the wire; true and false are taken too. */
  flag: () => Type.Unsafe<0 | 1>({ enum: [0, 1, true, false], 'x-flag': true }),
  boolean: () => Type.Boolean(),
  oneOf: <const V extends readonly string[]>(values: V) =>
    Type.Unsafe<V[number]>({ type: 'string', enum: [...values] }),
  /** A moment: Unix seconds or ISO 8601 on the wire, epoch milliseconds inside. */
  time: (wire: 'setting' | 'iso' = 'setting') => Type.Unsafe<number>({ type: ['integer', 'string'], 'x-time': wire }),
  /** A map of strings to strings of at most `max` characters. */
  strings: (max = 1024) =>
    Type.Unsafe<Readonly<Record<string, string>>>({
      type: 'object',
      additionalProperties: { type: 'string', maxLength: max },
    }),
  object: (properties: JsonObject = {}) => Type.Unsafe<JsonObject>({ type: 'object', ...properties }),
  list: <S extends TSchema>(items: S, options: { minItems?: number; maxItems?: number } = {}) =>
    Type.Array(items, options),
  json: () => Type.Unsafe<Json>({}),
  secret: (max = 65_536) => Type.Unsafe<string>({ type: 'string', minLength: 1, maxLength: max, 'x-secret': true }),
};

/** Null is accepted too: it clears the field. */
export function nullable<S extends TSchema>(schema: S) {
  const { type, enum: values } = schema as { type?: string | readonly string[]; enum?: readonly unknown[] };
  const types = type === undefined ? undefined : [...(Array.isArray(type) ? type : [type]), 'null'];
  return Type.Unsafe<import('typebox').Static<S> | null>({
    ...schema,
    ...(types === undefined ? {} : { type: types }),
    ...(values === undefined ? {} : { enum: [...values, null] }),
  });
}

export type { TOptional };
