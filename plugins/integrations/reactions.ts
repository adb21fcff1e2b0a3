import { GatewayError, type Operation, type Reaction, type StoredRecord } from 'portcullis/sdk';
import { provisionWorkspace } from './grants/global.ts';
import { type IntegrationRecord, isSet, type ProviderRecord } from './records.ts';

export const reactions: Readonly<Record<string, Reaction>> = {
  'workspaces.created': (operation, workspace) => provisionWorkspace(operation, workspace),
  'secret_references.removing': (operation, reference) => refuseWhileMapped(operation, reference),
  'integrations.removed': (operation, integration) => forgetSecrets(operation, integration),
  'providers.removed': (operation, provider) => removeHidden(operation, provider as ProviderRecord),
};

/** @throws GatewayError `bad_request` naming an integration that takes its credentials from the reference */
async function refuseWhileMapped(operation: Operation, reference: StoredRecord): Promise<void> {
  const scope = { organisationId: reference.organisation_id };
  const { records } = await operation
    .records<IntegrationRecord>('integrations')
    .list(scope, { where: { status: 'active' } });
  const user = records.find(({ secret_mappings: mappings }) =>
    mappings?.some(({ secret_reference_id: id }) => id === reference.id),
  );
  if (user === undefined) return;
  const what = isSet(user.hidden) ? `virtual key "${user.name}"` : `integration ${user.slug}`;
  throw new GatewayError('bad_request', `The secret reference is mapped by the ${what}: change that first.`);
}

/** An archived integration serves nobody, so its credentials need not lie about. */
async function forgetSecrets(operation: Operation, { id }: StoredRecord): Promise<void> {
  await operation.db('integrations').where({ id }).update({ sealed: null });
}

/** The integration of a virtual key ends with it. */
async function removeHidden(operation: Operation, provider: ProviderRecord): Promise<void> {
  const scope = { organisationId: provider.organisation_id };
  const records = operation.records<IntegrationRecord>('integrations');
  const integration = await records.find(scope, provider.integration_id);
  if (integration === undefined || !isSet(integration.hidden) || integration.status !== 'active') return;
  await records.remove(scope, integration.id);
}
