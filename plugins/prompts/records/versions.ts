import { type Db, GatewayError, type Operation } from 'portcullis/sdk';
import type { VariableComponents } from '../template/components.ts';
import { type Kind, type VersionedRecord, type VersionRow, versionTables } from './table.ts';

type Owner = Pick<VersionedRecord, 'id' | 'organisation_id'>;

/** What is kept of a version as one text. */
export interface VersionDocument {
  readonly variable_components: VariableComponents;
  readonly [member: string]: unknown;
}

/** What a version says, without when and by whom. */
export interface VersionText {
  readonly description: string | null;
  readonly string: string;
  readonly document: VersionDocument;
}

export function textOf({ description, string, document }: VersionRow): VersionText {
  return { description, string, document: JSON.parse(document) as VersionDocument };
}

/** What the template of a version names, as it was worked out when it was saved. */
export function componentsOf(row: VersionRow): VariableComponents {
  return textOf(row).document.variable_components;
}

/** @param actorId who made it: work in a transaction of its own acts as the gateway */
export async function appendVersion(
  { db, now, newId }: Operation,
  kind: Kind,
  { id, organisation_id }: Owner,
  number: number,
  { description, string, document }: VersionText,
  actorId: string,
): Promise<VersionRow> {
  const row: VersionRow = {
    id: newId(),
    organisation_id,
    record_id: id,
    number,
    created_at: now,
    created_by: actorId === '' ? null : actorId,
    description,
    string,
    document: JSON.stringify(document),
  };
  await db(versionTables[kind]).insert(row);
  return row;
}

export async function versionOf(db: Db, kind: Kind, owner: Owner, number: number): Promise<VersionRow | undefined> {
  return rowsOf(db, kind, owner).andWhere('number', number).first();
}

/** The version that a record itself names: it is there. */
export async function knownVersion(db: Db, kind: Kind, owner: Owner, number: number): Promise<VersionRow> {
  const row = await versionOf(db, kind, owner, number);
  if (row !== undefined) return row;
  throw new GatewayError('internal', `Version ${number} of ${kind}/${owner.id} is missing.`);
}

export async function versionById(db: Db, kind: Kind, owner: Owner, id: string): Promise<VersionRow> {
  const row: VersionRow | undefined = await rowsOf(db, kind, owner).andWhere('id', id).first();
  if (row !== undefined) return row;
  throw new GatewayError('not_found', `There is no version with the id "${id.slice(0, 100)}".`, {
    param: 'versionId',
  });
}

/** Newest first. */
export async function versionsOf(
  db: Db,
  kind: Kind,
  owner: Owner,
  { page, pageSize }: { readonly page: number; readonly pageSize: number },
): Promise<readonly VersionRow[]> {
  return rowsOf(db, kind, owner)
    .orderBy('number', 'desc')
    .limit(pageSize)
    .offset(page * pageSize);
}

/**
 * The record, locked until the transaction ends: whoever gives out version numbers, or says which one serves, comes
 * through here first, before it has read anything else of it.
 * @throws GatewayError `not_found` when it has been archived meanwhile
 */
export async function lockedRecord<R extends VersionedRecord>(
  operation: Operation,
  kind: Kind,
  { id, organisation_id }: Owner,
): Promise<R> {
  const row = await operation.db(kind).where({ id, organisation_id }).forUpdate().first('status');
  if (row === undefined || row.status !== 'active')
    throw new GatewayError('not_found', 'It has been removed meanwhile.', { param: 'id' });
  return operation.records<R>(kind).get({ organisationId: organisation_id }, id);
}

function rowsOf(db: Db, kind: Kind, { id, organisation_id }: Owner) {
  return db<VersionRow>(versionTables[kind]).where({ record_id: id, organisation_id });
}
