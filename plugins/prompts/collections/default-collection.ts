import { GatewayError, type Operation } from 'portcullis/sdk';
import type { CollectionRecord } from './table.ts';

/** The collection of a workspace that takes what names none. It is made when it is first asked for, by whomever. */
export async function defaultCollection(
  operation: Operation,
  scope: { readonly organisationId: string; readonly workspaceId: string },
): Promise<CollectionRecord> {
  const collections = operation.records<CollectionRecord>('collections');
  const known = async () =>
    (await collections.list(scope, { where: { default_of: scope.workspaceId }, pageSize: 1 })).records[0];
  const found = await known();
  if (found !== undefined) return found;
  try {
    return await collections.create(scope, {
      name: 'Default',
      parent_collection_id: null,
      depth: 1,
      default_of: scope.workspaceId,
    });
  } catch (error) {
    // Somebody else has made it in between.
    const made = GatewayError.is(error) && error.code === 'conflict' ? await known() : undefined;
    if (made === undefined) throw error;
    return made;
  }
}
