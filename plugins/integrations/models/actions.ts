import {
  type Action,
  asArray,
  asObject,
  asObjects,
  asString,
  type ControlHost,
  field,
  type Json,
  type JsonObject,
  nullable,
  type Operation,
  type Scope,
  type StoredRecord,
  schema,
  several,
} from 'portcullis/sdk';
import { demandLendingToModel } from '../integrations/lent.ts';
import { demand, eitherFamily } from '../permission.ts';
import { flag, type IntegrationRecord, isSet, type ModelRecord } from '../records.ts';
import { refuse } from '../refuse.ts';
import { modelValues } from './values.ts';

const paths = { path: '/integrations/:id/models', aliases: ['/integrations/:id/integration-models'] };
const most = 2000;

const slug = schema.String({ minLength: 1, maxLength: 255, pattern: '\\S' });
const model = schema.Object({
  slug,
  enabled: field.flag(),
  name: schema.Optional(nullable(schema.String({ maxLength: 255 }))),
  is_custom: schema.Optional(nullable(field.flag())),
  is_finetune: schema.Optional(nullable(field.flag())),
  base_model_slug: schema.Optional(nullable(slug)),
  configurations: schema.Optional(nullable(field.object())),
  pricing_config: schema.Optional(nullable(field.object())),
});

export function modelActions(host: ControlHost): readonly Action[] {
  return [
    {
      method: 'get',
      ...paths,
      summary: 'List the models of an integration',
      needs: eitherFamily('read'),
      of: 'integrations',
      reply: schema.Object({
        total: schema.Integer(),
        allow_all_models: schema.Boolean(),
        models: schema.Array(field.object()),
      }),
      run: async (operation, record) => {
        const integration = integrationIn(operation, record, 'read');
        const models = (await modelsOf(operation, integration)).map(shown);
        return { total: models.length, allow_all_models: isSet(integration.allow_all_models), models };
      },
    },
    {
      method: 'put',
      ...paths,
      summary: 'Enable, disable and describe models of an integration',
      needs: eitherFamily('update'),
      of: 'integrations',
      body: schema.Object({
        models: schema.Optional(schema.Array(model, { maxItems: most })),
        allow_all_models: schema.Optional(nullable(field.flag())),
      }),
      reply: schema.Object({}),
      run: async (operation, record) => {
        await changeModels(host, operation, integrationIn(operation, record, 'update'), operation.body);
        return {};
      },
    },
    {
      method: 'delete',
      ...paths,
      summary: 'Delete custom models of an integration; built-in ones are disabled',
      needs: eitherFamily('update'),
      of: 'integrations',
      query: schema.Object({ slugs: schema.Optional(several(schema.String({ description: 'Separated by commas.' }))) }),
      body: schema.Object({ models: schema.Optional(schema.Array(slug, { maxItems: most })) }),
      reply: schema.Object({}),
      run: async (operation, record) => {
        await removeModels(operation, integrationIn(operation, record, 'update'));
        return {};
      },
    },
  ];
}

function integrationIn(operation: Operation, record: StoredRecord | undefined, verb: 'read' | 'update') {
  const integration = record as IntegrationRecord;
  demand(operation, integration, verb);
  return integration;
}

const scopeOf = ({ organisation_id, workspace_id }: IntegrationRecord): Scope =>
  workspace_id === null
    ? { organisationId: organisation_id }
    : { organisationId: organisation_id, workspaceId: workspace_id };

async function modelsOf(operation: Operation, integration: IntegrationRecord): Promise<readonly ModelRecord[]> {
  const { records } = await operation.records<ModelRecord>('integration_models').list(scopeOf(integration), {
    where: { integration_id: integration.id },
    orderBy: [{ column: 'model', order: 'asc' }],
  });
  return records;
}

async function changeModels(
  host: ControlHost,
  operation: Operation,
  integration: IntegrationRecord,
  body: JsonObject,
): Promise<void> {
  const scope = scopeOf(integration);
  if (body.models === undefined && body.allow_all_models === undefined)
    refuse('models', 'is missing; give a list of models, or allow_all_models');
  if (body.allow_all_models !== undefined && body.allow_all_models !== null) {
    const changes = { allow_all_models: flag(body.allow_all_models, true) };
    await operation.records('integrations').update(scope, integration.id, changes);
  }
  const listed = asObjects(body.models);
  const known = new Map((await modelsOf(operation, integration)).map((one) => [one.model, one]));
  const seen = new Set<string>();
  for (const [index, given] of listed.entries()) {
    const name = String(given.slug);
    if (seen.has(name)) refuse(`models[${index}].slug`, `names ${name} a second time`);
    seen.add(name);
    const values = await modelValues(host, given, `models[${index}]`);
    const records = operation.records('integration_models');
    const before = known.get(name);
    demandLendingToModel(operation, integration, {
      before: before?.custom_host,
      after: values.custom_host,
      param: `models[${index}].configurations.custom_host`,
    });
    const saved =
      before === undefined
        ? await records.create(scope, { integration_id: integration.id, model: name, ...values })
        : await records.update(scope, before.id, values);
    const pricing = asObject(values.pricing_config as Json | undefined);
    // Who charges by it may refuse it.
    if (pricing !== undefined)
      await operation.emit('integration_models.priced', saved, { pricing, at: `models[${index}].pricing_config` });
  }
}

/** A model that only the provider knows is switched off by a row of its own. */
async function removeModels(operation: Operation, integration: IntegrationRecord): Promise<void> {
  const names = [...(operation.query.slugs ?? '').split(','), ...asArray(operation.body.models).map(String)];
  const wanted = new Set(names.map((name) => name.trim()).filter((name) => name !== ''));
  if (wanted.size === 0) refuse('slugs', 'is missing: name the models in the query, or as `models` in the body');
  if (wanted.size > most || [...wanted].some((name) => name.length > 255))
    refuse('slugs', `may name at most ${most} models, each in at most 255 characters`);
  const scope = scopeOf(integration);
  const known = new Map((await modelsOf(operation, integration)).map((one) => [one.model, one]));
  const records = operation.records('integration_models');
  for (const name of wanted) {
    const before = known.get(name);
    if (before === undefined) await records.create(scope, { integration_id: integration.id, model: name, enabled: 0 });
    else if (isSet(before.is_custom)) await records.remove(scope, before.id);
    else await records.update(scope, before.id, { enabled: 0 });
  }
}

function shown(record: ModelRecord): JsonObject {
  const host = asString(record.custom_host);
  const headers = record.masked_custom_headers ?? undefined;
  const configurations = {
    ...(host === undefined ? {} : { custom_host: host }),
    ...(headers === undefined ? {} : { masked_custom_headers: headers }),
  };
  return {
    slug: record.model,
    name: record.name ?? record.model,
    enabled: isSet(record.enabled),
    is_custom: isSet(record.is_custom),
    is_finetune: isSet(record.is_finetune),
    base_model_slug: record.base_model_slug ?? null,
    configurations: Object.keys(configurations).length === 0 ? null : configurations,
    pricing_config: record.pricing_config ?? null,
  };
}
