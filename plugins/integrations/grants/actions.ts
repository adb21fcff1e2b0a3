import {
  type Action,
  asObjects,
  asString,
  type ControlHost,
  field,
  GatewayError,
  type JsonObject,
  limitField,
  nullable,
  type Operation,
  type StoredRecord,
  schema,
  shownBudget,
} from 'portcullis/sdk';
import { demand, eitherFamily } from '../permission.ts';
import { flag, type GrantRecord, type IntegrationRecord, isSet } from '../records.ts';
import { refuse } from '../refuse.ts';
import { grantBudgetId, type UsageShown, usageOf } from '../standings.ts';
import { globalAccess, provisionAll } from './global.ts';
import { grantsOf, setGrant, shownLimits } from './grants.ts';
import { shownGlobalAccess } from './shown.ts';

const path = '/integrations/:id/workspaces';
const most = 1000;

const settings = {
  usage_limits: schema.Optional(limitField.usage()),
  rate_limits: schema.Optional(limitField.rate()),
};
const provision = {
  create_default_provider: schema.Optional(nullable(field.flag())),
  default_provider_slug: schema.Optional(nullable(field.slug())),
};
const workspace = schema.Object({
  id: schema.String({ minLength: 1, description: 'Id or slug of a workspace.' }),
  enabled: schema.Boolean(),
  ...settings,
  reset_usage: schema.Optional(nullable(field.boolean())),
  ...provision,
});

const listGrants = (host: Pick<ControlHost, 'counters' | 'log'>): Action => ({
  method: 'get',
  path,
  summary: 'List the workspaces that may use an integration',
  needs: eitherFamily('read'),
  of: 'integrations',
  reply: schema.Object({
    total: schema.Integer(),
    workspaces: schema.Array(field.object()),
    global_workspace_access: field.object(),
  }),
  run: async (operation, record) => {
    const integration = integrationIn(operation, record, 'read');
    const grants = await grantsOf(operation, integration.id);
    const workspaces = await workspacesById(operation);
    const usage = await usageOf(host, operation, 'grant', grants, grantBudgetId);
    const shown = grants.map((grant) =>
      shownGrant(operation, grant, workspaces.get(grant.workspace_id), usage.get(grant.id)),
    );
    return { total: shown.length, workspaces: shown, global_workspace_access: shownGlobalAccess(integration) };
  },
});

const changeGrants: Action = {
  method: 'put',
  path,
  summary: 'Say which workspaces may use an integration',
  needs: eitherFamily('update'),
  of: 'integrations',
  body: schema.Object({
    workspaces: schema.Optional(schema.Array(workspace, { maxItems: most })),
    global_workspace_access: schema.Optional(nullable(schema.Object({ enabled: schema.Boolean(), ...settings }))),
    override_existing_workspace_access: schema.Optional(nullable(field.boolean())),
    // As the TypeScript SDK writes it.
    override_existing_workspaces_access: schema.Optional(nullable(field.boolean())),
    ...provision,
  }),
  reply: schema.Object({}),
  run: async (operation, record) => {
    const integration = integrationIn(operation, record, 'update');
    await changeAccess(operation, integration, operation.body);
    return {};
  },
};

export function grantActions(host: Pick<ControlHost, 'counters' | 'log'>): readonly Action[] {
  return [listGrants(host), changeGrants];
}

/** The integration of the route. @throws GatewayError `bad_request` for one that belongs to a workspace */
function integrationIn(operation: Operation, record: StoredRecord | undefined, verb: 'read' | 'update') {
  const integration = record as IntegrationRecord;
  demand(operation, integration, verb);
  if (integration.workspace_id === null) return integration;
  throw new GatewayError(
    'bad_request',
    'This integration belongs to one workspace: only those of the organisation can be shared.',
    { param: 'id' },
  );
}

/** First what holds for all, so that what is said of one workspace stays. */
async function changeAccess(operation: Operation, integration: IntegrationRecord, body: JsonObject): Promise<void> {
  const listed = asObjects(body.workspaces);
  const override = [body.override_existing_workspace_access, body.override_existing_workspaces_access].includes(true);
  const provides = isSet(flag(body.create_default_provider, true));
  const defaultProviderSlug = asString(body.default_provider_slug);
  const stored = integration.global_workspace_access_settings;
  const given = globalAccess(body.global_workspace_access, stored, provides);
  if (given === undefined && listed.length === 0 && !override)
    refuse('workspaces', 'is empty: name workspaces, or give global_workspace_access');
  if (given !== undefined) {
    const changes = { global_access: given.enabled ? 1 : 0, global_workspace_access_settings: given };
    await operation
      .records('integrations')
      .update({ organisationId: integration.organisation_id }, integration.id, changes);
  }
  const access = given ?? stored;
  // An override beside a list of workspaces is about those alone: the others must not lose access by it.
  if (access && (given !== undefined || listed.length === 0))
    await provisionAll(operation, integration, { access, override, defaultProviderSlug });
  for (const [index, one] of listed.entries()) {
    const { usage_limits, rate_limits } = one;
    const slug = asString(one.default_provider_slug) ?? defaultProviderSlug;
    await setGrant(operation, integration, await workspaceNamed(operation, String(one.id), index), {
      enabled: one.enabled === true,
      ...(usage_limits === undefined ? {} : { usage_limits }),
      ...(rate_limits === undefined ? {} : { rate_limits }),
      reset_usage: one.reset_usage === true,
      createDefaultProvider: isSet(flag(one.create_default_provider, provides)),
      ...(slug === undefined ? {} : { defaultProviderSlug: slug }),
      param: `workspaces[${index}]`,
    });
  }
}

async function workspaceNamed(operation: Operation, id: string, index: number): Promise<string> {
  const { organisationId } = operation.scope;
  const found = await operation.records('workspaces').find({ organisationId }, id);
  if (found?.status === 'active') return found.id;
  const text = `There is no active workspace with the id or slug "${id.slice(0, 100)}".`;
  throw new GatewayError('not_found', text, { param: `workspaces[${index}].id` });
}

async function workspacesById(operation: Operation): Promise<ReadonlyMap<string, StoredRecord>> {
  const { organisationId } = operation.scope;
  const { records } = await operation.records('workspaces').list({ organisationId });
  return new Map(records.map((one) => [one.id, one]));
}

function shownGrant(
  operation: Operation,
  grant: GrantRecord,
  workspace: StoredRecord | undefined,
  usage: UsageShown | undefined,
): JsonObject {
  return {
    // Clients know workspaces by their slugs here.
    id: workspace?.slug ?? grant.workspace_id,
    workspace_id: grant.workspace_id,
    name: asString(workspace?.name) ?? null,
    enabled: isSet(grant.enabled),
    usage_limits: shownLimits(
      grant.usage_limits?.map((one) => shownBudget(one, grant, operation.now)),
    ) as JsonObject['usage_limits'] & {},
    rate_limits: shownLimits(grant.rate_limits) as JsonObject['rate_limits'] & {},
    status: usage?.exhausted === true ? 'exhausted' : grant.status,
    last_reset_at: operation.time(usage?.lastResetAt),
    created_at: operation.time(grant.created_at),
    last_updated_at: operation.time(grant.last_updated_at),
  };
}
