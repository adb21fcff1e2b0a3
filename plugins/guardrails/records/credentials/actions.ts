import {
  type Action,
  asObject,
  type ControlHost,
  field,
  GatewayError,
  type JsonObject,
  type Operation,
  schema,
} from 'portcullis/sdk';
import { masked, refuseMasks } from '../masked.ts';
import { type CredentialsRecord, credentialsOf } from './table.ts';
import { type AskingUnit, askingUnit, askingUnits } from './units.ts';

const moment = () => schema.Unsafe<string | number | null>({ type: ['integer', 'string', 'null'] });

const listed = {
  id: schema.String({ description: 'Name of the unit; the slug is the same.' }),
  slug: schema.String(),
  status: field.oneOf(['active', 'not_configured']),
  configured: schema.Boolean(),
  checks: schema.Array(schema.String({ description: 'Id of a check.' })),
  credentials_schema: field.object({ description: 'JSON Schema of what it takes.' }),
  created_at: moment(),
  last_updated_at: moment(),
  object: schema.Literal('plugin'),
};
const item = schema.Object(listed, { additionalProperties: false });
const detail = schema.Object(
  {
    ...listed,
    credentials: schema.Unsafe<JsonObject | null>({ type: ['object', 'null'], description: 'Secrets are masked.' }),
  },
  { additionalProperties: false },
);

/** What an organisation has at the vendors of guardrails. */
export function credentialActions(host: ControlHost): readonly Action[] {
  return [
    {
      method: 'get',
      path: '/plugins',
      summary: 'List the guardrail units that take credentials',
      needs: ['plugins.list'],
      in: 'organisation',
      reply: schema.Object({ object: schema.Literal('list'), total: schema.Integer(), data: schema.Array(item) }),
      run: async (operation) => {
        const { records } = await recordsOf(operation).list({ organisationId: operation.scope.organisationId });
        const byUnit = new Map((records as readonly CredentialsRecord[]).map((record) => [record.unit, record]));
        const data = askingUnits(host.checks).map((unit) => shownUnit(operation, unit, byUnit.get(unit.name)));
        return { object: 'list', total: data.length, data };
      },
    },
    {
      method: 'get',
      path: '/plugins/:name',
      summary: 'Get one guardrail unit, with the stored credentials masked',
      needs: ['plugins.list'],
      in: 'organisation',
      reply: detail,
      run: async (operation) => shownWithCredentials(operation, unitOf(host, operation)),
    },
    {
      method: 'put',
      path: '/plugins/:name',
      summary: 'Store the credentials of a guardrail unit, in the place of those before',
      needs: ['plugins.create', 'plugins.update'],
      in: 'organisation',
      body: schema.Object({ credentials: field.object() }),
      reply: detail,
      run: async (operation) => {
        const unit = unitOf(host, operation);
        const credentials = asObject(operation.body.credentials) ?? {};
        const before = await storedFor(operation, unit.name);
        demand(operation, before === undefined ? 'plugins.create' : 'plugins.update');
        refuseMasks(credentials, 'credentials');
        host.checks.checkCredentials(unit.name, credentials, 'credentials');
        const scope = { organisationId: operation.scope.organisationId };
        if (before === undefined) await recordsOf(operation).create(scope, { unit: unit.name, credentials });
        else await recordsOf(operation).update(scope, before.id, { credentials });
        return shownWithCredentials(operation, unit);
      },
    },
    {
      method: 'delete',
      path: '/plugins/:name',
      summary: 'Forget the stored credentials of a guardrail unit',
      needs: ['plugins.update'],
      in: 'organisation',
      reply: schema.Object({}, { additionalProperties: false }),
      run: async (operation) => {
        const { name = '' } = operation.params;
        const record = await storedFor(operation, name);
        if (record === undefined) {
          throw new GatewayError('not_found', `No credentials are stored for "${name.slice(0, 100)}".`, {
            param: 'name',
          });
        }
        await recordsOf(operation).remove({ organisationId: record.organisation_id }, record.id);
        return {};
      },
    },
  ];
}

function recordsOf(operation: Operation) {
  return operation.records<CredentialsRecord>('check_credentials');
}

function unitOf({ checks }: ControlHost, { params }: Operation): AskingUnit {
  return askingUnit(checks, params.name ?? '');
}

function storedFor(operation: Operation, unit: string): Promise<CredentialsRecord | undefined> {
  return credentialsOf(operation.records('check_credentials'), operation.scope.organisationId, unit);
}

/** Which of the two it takes shows only when it is known whether there is anything yet. */
function demand({ access }: Operation, permission: string): void {
  if (access.scopesIn(undefined).has(permission)) return;
  throw new GatewayError('forbidden', `This needs the permission ${permission}, which the caller does not have here.`);
}

async function shownWithCredentials(operation: Operation, unit: AskingUnit): Promise<JsonObject> {
  const record = await storedFor(operation, unit.name);
  const stored = record === undefined ? undefined : (await recordsOf(operation).secrets(record)).credentials;
  const credentials = stored === undefined ? null : masked(asObject(stored) ?? {}, unit.schema);
  return { ...shownUnit(operation, unit, record), credentials };
}

function shownUnit(
  operation: Operation,
  { name, schema: credentials_schema, checks }: AskingUnit,
  record: CredentialsRecord | undefined,
): JsonObject {
  return {
    id: name,
    slug: name,
    status: record === undefined ? 'not_configured' : 'active',
    configured: record !== undefined,
    checks,
    credentials_schema,
    created_at: operation.time(record?.created_at),
    last_updated_at: operation.time(record?.last_updated_at),
    object: 'plugin',
  };
}
