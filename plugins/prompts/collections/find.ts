import { GatewayError, type Operation, type Scope } from 'portcullis/sdk';
import { defaultCollection } from './default-collection.ts';
import type { CollectionRecord } from './table.ts';

/**
 * The collection that something is put into; undefined: the workspace's default one. Inside a transaction it stays until
 * the end of it.
 * @throws GatewayError `bad_request`, param `collection_id`, unless it is a live one of the workspace
 */
export async function collectionFor(
  operation: Operation,
  { organisationId, workspaceId }: Scope,
  idOrSlug: string | undefined,
): Promise<CollectionRecord> {
  if (workspaceId === undefined) throw new TypeError('a collection belongs to a workspace');
  const scope = { organisationId, workspaceId };
  return idOrSlug === undefined
    ? defaultCollection(operation, scope)
    : liveCollection(operation, scope, idOrSlug, 'collection_id');
}

/** @throws GatewayError `bad_request` naming `param` */
export async function liveCollection(
  operation: Operation,
  scope: Scope,
  idOrSlug: string,
  param: string,
): Promise<CollectionRecord> {
  const found = await operation.records<CollectionRecord>('collections').find(scope, idOrSlug);
  // Whoever removes it meanwhile waits for this transaction, and then counts what has been put into it.
  const held =
    found === undefined
      ? undefined
      : await operation.db('collections').where({ id: found.id, status: 'active' }).forShare().first('id');
  if (found !== undefined && held !== undefined) return found;
  throw new GatewayError(
    'bad_request',
    `${param} is "${idOrSlug.slice(0, 100)}", which is no collection of this workspace; the id or slug of one is accepted.`,
    { param },
  );
}
