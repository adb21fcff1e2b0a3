import { field, keyTypes, limitField, nullable, schema } from 'portcullis/sdk';

const text = nullable(schema.String());
const moment = schema.Unsafe<number | string | null>({ type: ['integer', 'string', 'null'] });
const flag = nullable(schema.Integer({ minimum: 0, maximum: 1 }));

/** A key as the API shows it. */
export const shownKey = schema.Object({
  id: schema.String(),
  key: schema.String({ description: 'Masked: the first two and the last three characters of the newest secret.' }),
  name: schema.String(),
  description: text,
  type: field.oneOf(keyTypes),
  organisation_id: schema.String(),
  workspace_id: text,
  user_id: text,
  status: field.oneOf(['active', 'exhausted', 'expired']),
  created_at: moment,
  last_updated_at: moment,
  creation_mode: field.oneOf(['ui', 'api', 'auto']),
  rate_limits: schema.Array(field.object()),
  usage_limits: limitField.usage(),
  reset_usage: nullable(schema.Boolean()),
  expires_at: moment,
  last_reset_at: moment,
  alert_emails: nullable(schema.Array(schema.String())),
  expiry_enforced: flag,
  next_usage_reset_at: text,
  allow_config_override: flag,
  api_key_defaults_id: text,
  scopes: schema.Array(schema.String()),
  defaults: schema.Object({
    metadata: nullable(field.strings(128)),
    config_id: text,
    allow_config_override: schema.Boolean(),
    input_guardrails: schema.Optional(schema.Array(schema.String({ description: 'Slug.' }))),
    output_guardrails: schema.Optional(schema.Array(schema.String({ description: 'Slug.' }))),
  }),
  rotation_policy: schema.Optional(
    schema.Object({
      rotation_period: text,
      rotation_period_days: nullable(schema.Integer()),
      next_rotation_at: schema.String(),
      key_transition_period_ms: schema.Integer(),
      status: schema.String(),
    }),
  ),
  object: schema.String(),
});

export const keyList = schema.Object({
  object: schema.String(),
  total: schema.Integer(),
  data: schema.Array(shownKey),
});

/** The one reply that holds a secret. */
export const issuedKey = schema.Object({ id: schema.String(), key: schema.String(), object: schema.String() });

export const rotatedKey = schema.Object({
  id: schema.String(),
  key: schema.String(),
  key_transition_expires_at: moment,
  object: schema.String(),
});
