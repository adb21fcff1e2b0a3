import type { FieldRules, Resource, StoredRecord } from 'portcullis/sdk';
import { GatewayError } from 'portcullis/sdk';
import type { TSchema } from 'typebox';

export type FieldSchema = TSchema &
  FieldRules & {
    readonly type?: string | readonly string[];
    readonly enum?: readonly unknown[];
    readonly 'x-flag'?: true;
    readonly default?: unknown;
  };

/** The columns that every resource's table has; the rest is promoted, in the document, or sealed. */
export const baseFields = [
  'id',
  'organisation_id',
  'workspace_id',
  'slug',
  'status',
  'created_at',
  'last_updated_at',
  'created_by',
] as const satisfies readonly (keyof StoredRecord)[];

/** A resource, with what is asked of its fields at every call worked out once. */
export interface ResourceModel {
  readonly resource: Resource;
  readonly name: string;
  /** What messages call one record. */
  readonly noun: string;
  readonly fields: Readonly<Record<string, FieldSchema>>;
  readonly columns: ReadonlySet<string>;
  readonly secretNames: readonly string[];
  readonly timeNames: readonly string[];
  readonly searchColumns: readonly string[];
  /** Everything that a list may be filtered and ordered by. */
  readonly queryable: ReadonlySet<string>;
}

/** @throws GatewayError `invalid_config` when the declaration contradicts itself */
export function modelOf(resource: Resource): ResourceModel {
  const fields = resource.fields as Readonly<Record<string, FieldSchema>>;
  const columns = new Set(resource.columns ?? []);
  const refuse = (why: string): never => {
    throw new GatewayError('invalid_config', `The resource ${resource.name} ${why}.`);
  };
  if (!/^[a-z][a-z0-9_]*$/.test(resource.name)) refuse('must be named in snake case');
  for (const column of columns) {
    const schema = fields[column];
    if (schema === undefined) refuse(`has the column ${column}, which is none of its fields`);
    else if (schema['x-secret'] === true) refuse(`has the column ${column}, which is secret: it would stand in clear`);
  }
  for (const name of baseFields) {
    if (fields[name] !== undefined && name !== 'slug' && name !== 'status')
      refuse(`declares the field ${name}, which every record has`);
  }
  const search = resource.search ?? (columns.has('name') ? ['name'] : []);
  for (const name of search) if (!columns.has(name)) refuse(`searches ${name}, which is no column`);
  const named = (test: (schema: FieldSchema) => boolean) =>
    Object.keys(fields).filter((name) => test(fields[name] as FieldSchema));
  return {
    resource,
    name: resource.name,
    noun: resource.noun ?? resource.object.replaceAll(/[-_]/g, ' '),
    fields,
    columns,
    secretNames: named((schema) => schema['x-secret'] === true),
    timeNames: named((schema) => schema['x-time'] !== undefined),
    searchColumns: search,
    queryable: new Set([...baseFields, ...columns]),
  };
}
