import type { Operation } from 'portcullis/sdk';
import { refuse } from '../refuse.ts';

/** @throws GatewayError `bad_request` when the workspace has a provider of this slug */
export async function checkProviderSlug(
  operation: Operation,
  workspaceId: string | undefined,
  slug: string,
  param = 'default_provider_slug',
): Promise<void> {
  if (workspaceId === undefined) return;
  const { organisationId } = operation.scope;
  const taken = await operation.records('providers').count({ organisationId, workspaceId }, { slug });
  if (taken > 0) refuse(param, `"${slug}" is the slug of a provider in this workspace already`);
}
