import type { ValidateFunction } from 'ajv/dist/2020.js';
import { asObject, GatewayError, type Json, type JsonObject } from 'portcullis/sdk';
import { faultSentence, pathText, schemaFaults } from '../config/schema-faults.ts';
import { validatorOf } from '../config/validator.ts';
import { refuseMisspelt } from './misspelt.ts';
import type { FieldSchema, ResourceModel } from './model.ts';
import { readMoment } from './moments.ts';

export type Fields = Readonly<Record<string, FieldSchema>>;

/** Reads bodies and queries against a set of fields; what the set does not name is dropped, and refused where it is misspelt or the set is closed. */
export interface InputReader {
  /** @throws GatewayError `bad_request`, `param` naming the field */
  read(value: JsonObject): JsonObject;
  readonly schema: { readonly properties: Readonly<Record<string, object>> };
}

/** Fields of a body that creates. */
export function createFields({ fields, resource }: ResourceModel): Fields {
  const given = resource.slug?.given === true && fields.slug === undefined ? { slug: slugField } : {};
  return { ...given, ...picked(fields, (schema) => schema['x-read-only'] !== true) };
}

/** Fields of a body that updates: nothing is required, nothing filled in. */
export function updateFields({ fields }: ResourceModel): Fields {
  const changeable = picked(fields, (schema) => schema['x-read-only'] !== true && schema['x-fixed'] !== true);
  return Object.fromEntries(Object.entries(changeable).map(([name, schema]) => [name, withoutRequired(schema)]));
}

/** Null is made up, as if it were left out. */
const slugField = {
  type: ['string', 'null'],
  pattern: '^[a-zA-Z0-9_-]+$',
  minLength: 1,
  maxLength: 255,
} as unknown as FieldSchema;

interface InputOptions {
  /** Whether defaults are filled in. */
  readonly fill: boolean;
  /** Whether members that the set does not name are kept as they come (true), or refused (false). Default: they are dropped. */
  readonly others?: boolean | undefined;
  /** Names that are no misspellings, though the set does not have them: those of what clients read and send back. */
  readonly harmless?: Iterable<string>;
}

export function inputReader(fields: Fields, { fill, others, harmless = [] }: InputOptions): InputReader {
  const names = Object.keys(fields);
  const schema = {
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name, withoutDefault(fields[name] as FieldSchema)])),
    required: names.filter((name) => fields[name]?.['x-required'] === true),
  };
  const shape = { ...schema, additionalProperties: others };
  const harmlessNames = new Set(harmless);
  let compiled: ValidateFunction | undefined;
  return {
    schema,
    read: (value) => {
      compiled ??= validatorOf(schema);
      if (!compiled(value)) refuse(compiled, value);
      refuseMisspelt(value, shape, harmlessNames);
      const read: Record<string, Json | undefined> = others === true ? { ...value } : {};
      for (const name of names) {
        const given = value[name] === undefined && fill ? defaultOf(fields[name]) : value[name];
        if (given !== undefined) read[name] = normalised(given, fields[name] as FieldSchema, name);
      }
      return read as JsonObject;
    },
  };
}

function refuse(validate: ValidateFunction, value: JsonObject): never {
  const [fault] = schemaFaults(validate.errors, value);
  if (fault === undefined) throw new GatewayError('bad_request', 'The request body is not accepted.');
  throw new GatewayError('bad_request', faultSentence(fault, 'The request body'), { param: pathText(fault.path) });
}

function normalised(value: Json, schema: FieldSchema, name: string): Json {
  if (value === null) return null;
  if (schema['x-time'] !== undefined) return readMoment(value, name);
  if (schema['x-flag'] === true) return Number(value);
  const properties = (schema as { properties?: Fields }).properties;
  const object = properties === undefined ? undefined : asObject(value);
  if (object === undefined || properties === undefined) return value;
  return Object.fromEntries(
    Object.entries(object).map(([key, member]) => {
      const inner = properties[key];
      return [key, inner === undefined || member === undefined ? member : normalised(member, inner, `${name}.${key}`)];
    }),
  ) as JsonObject;
}

function defaultOf(schema: FieldSchema | undefined): Json | undefined {
  return schema?.default as Json | undefined;
}

function withoutRequired(schema: FieldSchema): FieldSchema {
  const { 'x-required': _, ...rest } = schema;
  return rest as FieldSchema;
}

function withoutDefault(schema: FieldSchema): object {
  const { default: _, ...rest } = schema;
  return rest;
}

function picked(fields: Fields, keep: (schema: FieldSchema) => boolean): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, schema]) => keep(schema)));
}
