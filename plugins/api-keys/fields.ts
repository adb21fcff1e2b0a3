import {
  field,
  fixed,
  input,
  type JsonObject,
  keyTypes,
  limitField,
  nullable,
  readOnly,
  required,
  schema,
  workspaceRoles,
} from 'portcullis/sdk';
import { leastTransitionMs } from './rotation-policy.ts';

const rotationPolicy = schema.Unsafe<JsonObject>({
  type: 'object',
  properties: {
    rotation_period: nullable(field.oneOf(['weekly', 'monthly'])),
    rotation_period_days: nullable(field.integer(1, 365)),
    next_rotation_at: nullable(field.time('iso')),
    key_transition_period_ms: nullable(field.integer(leastTransitionMs)),
  },
});

/** Each by its id or slug, or an object that names it; they run on every request of the key. */
const guardrails = () =>
  nullable(field.list(schema.Unsafe<string | JsonObject>({ type: ['string', 'object'] }), { maxItems: 100 }));

const defaults = schema.Unsafe<JsonObject>({
  type: 'object',
  properties: {
    config_id: nullable(field.text({ description: 'Id or slug of a config of the same workspace.' })),
    metadata: nullable(field.strings(128)),
    allow_config_override: nullable(field.flag()),
    input_guardrails: guardrails(),
    output_guardrails: guardrails(),
  },
});

/** An address that mail servers take: one that they refuse would keep the others from being told. */
const mailbox = schema.String({
  pattern: '^[^\\s@<>()\\[\\],;:"\\\\]{1,64}@[^\\s@<>()\\[\\],;:"\\\\]{1,189}$',
  accepts: 'an e-mail address',
});

/** What bodies of create and update have in common. */
const given = {
  name: required(field.name()),
  description: nullable(field.text({ max: 2048 })),
  scopes: required(schema.Array(schema.String({ minLength: 1, maxLength: 100 }), { maxItems: 1000 })),
  usage_limits: limitField.usage(),
  rate_limits: limitField.rate(),
  alert_emails: nullable(schema.Array(mailbox, { maxItems: 50 })),
  expires_at: nullable(field.time()),
  allow_config_override: nullable(field.flag()),
  defaults: input(nullable(defaults)),
  rotation_policy: input(nullable(rotationPolicy)),
};

const optional = schema.Optional;

/** Body of the routes that create. */
export const creationBody = schema.Object({
  name: given.name,
  scopes: given.scopes,
  description: optional(given.description),
  usage_limits: optional(given.usage_limits),
  rate_limits: optional(given.rate_limits),
  alert_emails: optional(given.alert_emails),
  expires_at: optional(given.expires_at),
  allow_config_override: optional(given.allow_config_override),
  defaults: optional(given.defaults),
  rotation_policy: optional(given.rotation_policy),
  workspace_id: optional(
    nullable(field.text({ description: 'Id or slug; keys of a workspace need it unless the caller has one.' })),
  ),
  user_id: optional(nullable(field.id())),
});

/** Fields of the stored record. */
export const fields = {
  ...given,
  reset_usage: input(nullable(field.boolean())),
  type: readOnly(field.oneOf(keyTypes)),
  user_id: readOnly(fixed(nullable(field.id()))),
  key: readOnly(field.text({ description: 'Masked.' })),
  config_id: readOnly(nullable(field.id())),
  metadata: readOnly(nullable(field.strings(128))),
  input_guardrails: readOnly(field.list(field.id())),
  output_guardrails: readOnly(field.list(field.id())),
  creation_mode: readOnly(field.oneOf(['ui', 'api', 'auto'])),
  rank: readOnly(nullable(field.oneOf(workspaceRoles))),
  expiry_enforced: readOnly(field.flag()),
  last_reset_at: readOnly(nullable(field.time())),
  rotation: readOnly(field.json()),
  next_rotation_at: readOnly(nullable(field.time('iso'))),
  rotation_warned_for: readOnly(nullable(field.integer(0))),
};

export const columns = ['type', 'user_id', 'config_id', 'expires_at', 'next_rotation_at', 'rotation_warned_for'];
