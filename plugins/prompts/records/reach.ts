import { GatewayError, type Operation } from 'portcullis/sdk';
import { findInReach } from '../sharing/reach.ts';
import type { Kind, VersionedRecord } from './table.ts';

/** As sentences call them. */
export const nouns = { prompts: 'prompt', prompt_partials: 'partial' } as const satisfies Readonly<
  Record<Kind, string>
>;

/**
 * The live one that the path names, of the workspace or shared with it.
 * @throws GatewayError `not_found`
 */
export async function readable<R extends VersionedRecord>(operation: Operation, kind: Kind): Promise<R> {
  const { id = '' } = operation.params;
  const found = await findInReach<R>(operation, kind, operation.scope, id);
  if (found !== undefined && found.status === 'active') return found;
  throw new GatewayError('not_found', `There is no ${nouns[kind]} with the id or slug "${id.slice(0, 100)}".`, {
    param: 'id',
  });
}
