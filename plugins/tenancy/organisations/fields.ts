import { field, type JsonObject, nullable, schema, settingsSections } from 'portcullis/sdk';
import { guardrailList } from '../guardrails.ts';
import { metadataSchema } from '../metadata.ts';
import { settingsFieldsOf } from '../settings-body.ts';

export const defaultsFields = {
  metadata: schema.Optional(schema.Unsafe<JsonObject | null>(metadataSchema)),
  config_id: schema.Optional(nullable(field.id())),
  input_guardrails: schema.Optional(guardrailList()),
  output_guardrails: schema.Optional(guardrailList()),
};

const domain = schema.Object({
  domain: field.text({
    min: 3,
    max: 253,
    pattern: '^([a-zA-Z0-9]([a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?\\.)+[a-zA-Z]([a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?$',
    accepts: 'a domain name such as example.com',
  }),
  allow_subdomains: schema.Optional(field.boolean()),
});

/** What a body may change of an organisation. */
export const changeableFields = {
  name: field.name(),
  ...settingsFieldsOf('organisation'),
  session_settings: schema.Partial(
    schema.Object({ max_session_ttl: nullable(schema.Integer({ minimum: 900, maximum: 31_536_000 })) }),
  ),
  auth_settings: schema.Partial(
    schema.Object({
      jwks_url: nullable(field.text({ min: 1, max: 2048 })),
      jwks: nullable(field.object()),
      domains: field.list(domain, { maxItems: 50 }),
    }),
  ),
  metadata_schemas: schema.Partial(
    schema.Object({ api_key: nullable(field.object()), workspace: nullable(field.object()) }),
  ),
  defaults: schema.Object(defaultsFields),
  overrides: schema.Unsafe<JsonObject>({
    type: 'object',
    additionalProperties: { type: 'boolean' },
    description: `What workspaces may set themselves: ${Object.keys(settingsSections).join(', ')}.`,
  }),
};
