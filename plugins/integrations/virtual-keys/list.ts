import { asString, type JsonObject, type Operation } from 'portcullis/sdk';
import type { IntegrationRecord, ProviderRecord } from '../records.ts';
import { shownVirtualKey } from './shown.ts';

/** A page of virtual keys, with what their integrations and workspaces say. */
export async function listed(operation: Operation): Promise<JsonObject> {
  const { scope, query } = operation;
  const { total, records } = await operation.records<ProviderRecord>('providers').list(scope, {
    page: Number(query.current_page ?? 0),
    pageSize: Number(query.page_size ?? 50),
  });
  const ids = [...new Set(records.map(({ integration_id }) => integration_id))];
  const integrations = await operation
    .records<IntegrationRecord>('integrations')
    .list({ organisationId: scope.organisationId }, { where: { id: ids } });
  const known = new Map(integrations.records.map((one) => [one.id, one]));
  const workspaces = await operation
    .records('workspaces')
    .list(
      { organisationId: scope.organisationId },
      { where: { id: [...new Set(records.map(({ workspace_id }) => workspace_id))] } },
    );
  const names = new Map(workspaces.records.map(({ id, name }) => [id, asString(name)]));
  const data = records.map((one) =>
    shownVirtualKey(operation, one, known.get(one.integration_id), names.get(one.workspace_id)),
  );
  return { object: 'list', total, data };
}
