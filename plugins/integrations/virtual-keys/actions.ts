import {
  type Action,
  asString,
  type ControlHost,
  field,
  GatewayError,
  type JsonObject,
  limitField,
  nullable,
  type Operation,
  pageFields,
  type StoredRecord,
  schema,
  type TSchema,
} from 'portcullis/sdk';
import { providerNamed } from '../catalogue/known-provider.ts';
import { changedIntegration, newIntegration } from '../integrations/values.ts';
import { changedProvider, newProvider } from '../providers/values.ts';
import { type IntegrationRecord, isSet, type ProviderRecord } from '../records.ts';
import { refuse } from '../refuse.ts';
import { usageOf } from '../standings.ts';
import { configurationNames, credentialsIn, inSnakeCase } from './credentials.ts';
import { listed } from './list.ts';
import { withoutSentBack } from './sent-back.ts';
import { shownVirtualKey } from './shown.ts';

const path = '/virtual-keys';
const needs = (verb: string) => [`virtual_keys.${verb}`, `providers.${verb}`];
const optional = <S extends TSchema>(one: S) => schema.Optional(nullable(one));
const text = (max = 255) => optional(schema.String({ maxLength: max }));

const credentials: Readonly<Record<string, TSchema>> = {
  apiVersion: text(30),
  deploymentName: text(),
  deploymentConfig: optional(schema.Array(field.object(), { maxItems: 100 })),
  ...Object.fromEntries(configurationNames.map((name) => [name, schema.Optional(field.json())])),
};

const body = {
  key: optional(field.secret()),
  note: text(2048),
  model_config: optional(field.object()),
  ...credentials,
  ...inSnakeCase(credentials),
  usage_limits: schema.Optional(limitField.usage()),
  rate_limits: schema.Optional(limitField.rate()),
  expires_at: optional(field.time()),
  secret_mappings: optional(schema.Array(field.object())),
  tags: optional(field.strings(255)),
};

const saved = schema.Object({
  success: schema.Boolean(),
  slug: schema.String(),
  id: schema.String(),
  data: schema.Object({ slug: schema.String(), id: schema.String() }),
});

/** The older routes of providers: each makes an integration of its own, which is seen through it alone. */
export function virtualKeyActions(host: ControlHost): readonly Action[] {
  return [
    {
      method: 'get',
      path,
      summary: 'List Virtual keys',
      needs: needs('list'),
      in: 'workspace',
      query: schema.Object(pageFields({ standard: 50 })),
      reply: schema.Object({
        object: schema.Literal('list'),
        total: schema.Integer(),
        data: schema.Array(field.object()),
      }),
      run: (operation) => listed(host, operation),
    },
    {
      method: 'post',
      path,
      summary: 'Create one of Virtual keys',
      needs: needs('create'),
      of: 'providers',
      body: schema.Object({
        name: field.name(),
        provider: schema.String({ minLength: 1, maxLength: 255 }),
        slug: optional(field.slug()),
        ...body,
      }),
      reply: saved,
      run: (operation) => created(host, operation),
    },
    {
      method: 'get',
      path: `${path}/:id`,
      summary: 'Get one of Virtual keys',
      needs: needs('read'),
      of: 'providers',
      reply: field.object(),
      run: async (operation, record) => {
        const provider = record as ProviderRecord;
        const usage = await usageOf(host, operation, 'provider', [provider], ({ id }) => id);
        return shownVirtualKey(operation, provider, await integrationOf(operation, provider), {
          usage: usage.get(provider.id),
        });
      },
    },
    {
      method: 'put',
      path: `${path}/:id`,
      summary: 'Update one of Virtual keys',
      needs: needs('update'),
      of: 'providers',
      body: schema.Object({
        name: schema.Optional(field.name()),
        provider: optional(field.text()),
        reset_usage: optional(field.flag()),
        ...body,
        // Empty, as replies have it.
        key: optional({ ...field.secret(), minLength: 0 }),
      }),
      reply: saved,
      run: (operation, record) => updated(host, operation, record as ProviderRecord),
    },
    {
      method: 'delete',
      path: `${path}/:id`,
      summary: 'Remove one of Virtual keys',
      needs: needs('delete'),
      of: 'providers',
      reply: schema.Object({}),
      run: async (operation, record) => {
        const provider = record as ProviderRecord;
        await operation.records('providers').remove(scopeOf(provider), provider.id);
        return {};
      },
    },
  ];
}

const scopeOf = ({ organisation_id, workspace_id }: ProviderRecord) => ({
  organisationId: organisation_id,
  workspaceId: workspace_id,
});

function integrationOf(operation: Operation, record: ProviderRecord): Promise<IntegrationRecord | undefined> {
  const scope = { organisationId: record.organisation_id };
  return operation.records<IntegrationRecord>('integrations').find(scope, record.integration_id);
}

async function created(host: ControlHost, operation: Operation): Promise<JsonObject> {
  const { body, scope } = operation;
  if (scope.workspaceId === undefined) refuse('workspace_id', 'is required: the id or slug of a workspace');
  const id = String(body.provider);
  const known = providerNamed(host, id, 'provider');
  const credentials = { ...credentialsIn(body, known.name === 'azure-openai'), ai_provider_id: id };
  const integration = await operation.records('integrations').create(scope, {
    name: body.name,
    ai_provider_id: id,
    key: asString((credentials as JsonObject).key) ?? null,
    ...(await newIntegration(host, operation, credentials)),
    hidden: 1,
  });
  const values = { ...newProvider(operation, body), integration_id: integration.id };
  const provider = await operation.records('providers').create(scope, values);
  operation.audit({ provider: provider.id, slug: provider.slug, integration: integration.id });
  return reply(provider);
}

async function updated(host: ControlHost, operation: Operation, record: ProviderRecord): Promise<JsonObject> {
  const integration = await integrationOf(operation, record);
  const azure =
    integration !== undefined && providerNamed(host, integration.ai_provider_id, 'provider').name === 'azure-openai';
  refuseOtherProvider(asString(operation.body.provider), integration);
  const shown = shownVirtualKey(operation, record, integration, { usage: undefined });
  const credentials = credentialsIn(withoutSentBack(operation.body, shown), azure);
  if (credentials !== undefined) {
    if (integration === undefined || !isSet(integration.hidden)) throw shared(integration);
    const changes = await changedIntegration(host, operation, integration, credentials);
    const key = credentials.key === undefined ? {} : { key: credentials.key };
    await operation.records('integrations').update(scopeOf(record), integration.id, { ...changes, ...key });
  }
  const changes = changedProvider(operation, record, operation.body);
  if (Object.keys(changes).length > 0) await operation.records('providers').update(scopeOf(record), record.id, changes);
  return reply(record);
}

/** Clients send back what they have read. */
function refuseOtherProvider(given: string | undefined, integration: IntegrationRecord | undefined): void {
  const kept = integration?.ai_provider_id;
  if (given === undefined || kept === undefined || given === kept) return;
  refuse('provider', `cannot be changed. Leave it out, or send "${kept}"`);
}

function shared(integration: IntegrationRecord | undefined): GatewayError {
  const text = `The credentials of this virtual key are those of the integration ${integration?.slug ?? '(removed)'}: change them there.`;
  return new GatewayError('bad_request', text, { param: 'key' });
}

function reply({ id, slug }: StoredRecord): JsonObject {
  return { success: true, slug, id, data: { slug, id } };
}
