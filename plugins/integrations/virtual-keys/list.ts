import { asString, type ControlHost, type JsonObject, type Operation, pageOf } from 'portcullis/sdk';
import type { IntegrationRecord, ProviderRecord } from '../records.ts';
import { usageOf } from '../standings.ts';
import { shownVirtualKey } from './shown.ts';

/** A page of virtual keys, with what their integrations and workspaces say. */
export async function listed(host: Pick<ControlHost, 'counters' | 'log'>, operation: Operation): Promise<JsonObject> {
  const { scope } = operation;
  const { total, records } = await operation.records<ProviderRecord>('providers').list(scope, pageOf(operation));
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
  const usage = await usageOf(host, operation, 'provider', records, ({ id }) => id);
  const data = records.map((one) =>
    shownVirtualKey(operation, one, known.get(one.integration_id), {
      workspaceName: names.get(one.workspace_id),
      usage: usage.get(one.id),
    }),
  );
  return { object: 'list', total, data };
}
