import { field, type JsonObject, nullable, schema, settingsSections } from 'portcullis/sdk';
import { guardrailList } from '../guardrails.ts';
import { metadataSchema } from '../metadata.ts';
import { settingsFieldsOf } from '../settings-body.ts';

/** A setting under a wrong name would be one that is not in force. */
const only = { additionalProperties: false } as const;
const told = 'As it is told: sent back, it changes nothing.';

export const defaultsBody = schema.Object(
  {
    metadata: schema.Optional(schema.Unsafe<JsonObject | null>(metadataSchema)),
    config_id: schema.Optional(nullable(field.id())),
    input_guardrails: schema.Optional(guardrailList()),
    output_guardrails: schema.Optional(guardrailList()),
  },
  only,
);

const domain = schema.Object(
  {
    domain: field.text({
      min: 3,
      max: 253,
      pattern: '^([a-zA-Z0-9]([a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?\\.)+[a-zA-Z]([a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?$',
      accepts: 'a domain name such as example.com',
    }),
    allow_subdomains: schema.Optional(field.boolean()),
    verified: schema.Optional(schema.Boolean({ description: told })),
    verification: schema.Optional(schema.Unsafe<JsonObject>({ type: 'object', description: told })),
  },
  only,
);

/** What a body may change of an organisation. */
export const changeableFields = {
  name: field.name(),
  ...settingsFieldsOf('organisation'),
  session_settings: schema.Partial(
    schema.Object({ max_session_ttl: nullable(schema.Integer({ minimum: 900, maximum: 31_536_000 })) }),
    only,
  ),
  auth_settings: schema.Partial(
    schema.Object({
      jwks_url: nullable(field.text({ min: 1, max: 2048 })),
      jwks: nullable(field.object()),
      domains: field.list(domain, { maxItems: 50 }),
    }),
    only,
  ),
  metadata_schemas: schema.Partial(
    schema.Object({ api_key: nullable(field.object()), workspace: nullable(field.object()) }),
    only,
  ),
  defaults: defaultsBody,
  overrides: schema.Unsafe<JsonObject>({
    type: 'object',
    additionalProperties: { type: 'boolean' },
    description: `What workspaces may set themselves: ${Object.keys(settingsSections).join(', ')}.`,
  }),
};

export const organisationBody = schema.Partial(
  schema.Object({ ...changeableFields, default_workspace_id: field.text({ description: told }) }),
  only,
);
