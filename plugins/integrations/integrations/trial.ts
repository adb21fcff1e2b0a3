import {
  type Action,
  asObject,
  asString,
  type ControlHost,
  field,
  type JsonObject,
  nullable,
  type Operation,
  type ProviderEntry,
  schema,
  snakeName,
  type TrialResult,
  trialEndpoints,
} from 'portcullis/sdk';
import { integrationPart } from '../entries.ts';
import { enabledGrants } from '../grants/grants.ts';
import { demand, eitherFamily } from '../permission.ts';
import type { IntegrationRecord, IntegrationSecrets } from '../records.ts';
import { changedIntegration } from './values.ts';

/** `POST /integrations/:id/test`: whether the provider takes the credentials. Nothing is kept of it. */
export function testIntegration(host: ControlHost): Action {
  return {
    method: 'post',
    path: '/integrations/:id/test',
    summary: 'Try the credentials of an integration on its provider',
    needs: eitherFamily('update'),
    of: 'integrations',
    transaction: false,
    body: schema.Object({
      model: schema.Optional(
        field.text({
          min: 1,
          description: 'Asked in place of the list of models. Default where there is none: the first.',
        }),
      ),
      key: schema.Optional(nullable(field.secret())),
      configurations: schema.Optional(
        nullable(
          field.object({ description: 'As for an update. They, and the key, are tried in place of saved ones.' }),
        ),
      ),
    }),
    reply: schema.Object({
      object: schema.Literal('integration_test'),
      success: schema.Boolean(),
      status: nullable(
        schema.Integer({ description: 'As a request would get it from the provider; null: no reply came.' }),
      ),
      latency_ms: field.integer(0),
      model: nullable(schema.String()),
      endpoint: field.oneOf(trialEndpoints),
      error: nullable(schema.Object({ message: schema.String(), code: schema.String() })),
      note: nullable(schema.String({ description: 'What a success leaves open; null: nothing.' })),
    }),
    async run(operation, record) {
      const integration = record as IntegrationRecord;
      demand(operation, integration, 'update');
      const model = asString(operation.body.model);
      const entry = await entryOf(host, operation, integration);
      const shown = shownResult(await host.tryProvider({ entry, ...(model === undefined ? {} : { model }) }));
      operation.audit({ success: shown.success, status: shown.status });
      return shown;
    },
  };
}

/** What a provider of the integration would be, with the limits of none. */
async function entryOf(
  host: ControlHost,
  operation: Operation,
  integration: IntegrationRecord,
): Promise<ProviderEntry> {
  const { body } = operation;
  const sealed: IntegrationSecrets = await operation.records<IntegrationRecord>('integrations').secrets(integration);
  const asked = { ...integration, secret_mappings: unreplaced(integration, body) };
  const changed = await changedIntegration(host, operation, asked, body);
  const part = await integrationPart(
    host,
    operation,
    { ...asked, ...changed },
    {
      ...sealed,
      ...(body.key === undefined ? {} : { key: asString(body.key) ?? null }),
      ...(changed.secret_configurations === undefined
        ? {}
        : { secret_configurations: changed.secret_configurations as JsonObject }),
    },
  );
  const { id, name } = integration;
  const workspaceId = await workspaceFor(operation, integration);
  return { ...part, id, slug: part.integrationSlug, name, workspaceId, status: 'active' };
}

/** What is given to be tried stands before what a secret manager holds. */
function unreplaced({ secret_mappings: mappings }: IntegrationRecord, body: JsonObject) {
  const given = Object.keys(asObject(body.configurations) ?? {}).map((name) => `configurations.${snakeName(name)}`);
  const replaced = new Set([...(body.key === undefined ? [] : ['key']), ...given]);
  return (mappings ?? []).filter(({ target_field }) => !replaced.has(target_field));
}

/** Secret references are open to workspaces: they are read as for the first that uses the integration. */
async function workspaceFor(operation: Operation, { id, workspace_id }: IntegrationRecord): Promise<string> {
  if (workspace_id !== null) return workspace_id;
  const [grant] = await enabledGrants(operation, id);
  return grant?.workspace_id ?? '';
}

/** Whether a list is open to everyone is the provider's own matter, and may be that of a custom host: no data could tell. */
const ofList =
  'The list of models was given. A provider that shows its list to everyone need not have looked at the key: give a model to have it tried.';

function shownResult({ success, status, latencyMs, model, endpoint, error }: TrialResult) {
  return {
    object: 'integration_test',
    success,
    status: status ?? null,
    latency_ms: latencyMs,
    model: model ?? null,
    endpoint,
    error: error === undefined ? null : { ...error },
    note: success && endpoint === 'listModels' ? ofList : null,
  };
}
