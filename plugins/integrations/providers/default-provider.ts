import type { Operation } from 'portcullis/sdk';
import type { IntegrationRecord } from '../records.ts';
import { checkProviderSlug } from './slug.ts';

/** The provider by which a workspace names the integration that it has just got. */
export async function createDefaultProvider(
  operation: Operation,
  integration: IntegrationRecord,
  workspaceId: string,
  slug: string | undefined,
  param?: string,
): Promise<void> {
  const scope = { organisationId: operation.scope.organisationId, workspaceId };
  if (slug !== undefined) await checkProviderSlug(operation, workspaceId, slug, param);
  await operation.records('providers').create(scope, {
    name: integration.name,
    integration_id: integration.id,
    note:
      integration.workspace_id === null
        ? 'Created automatically on integration access grant'
        : 'Created automatically with its integration',
    usage_limits: [],
    rate_limits: [],
    ...(slug === undefined ? {} : { slug }),
  });
}
