import { field, input, type JsonObject, limitField, nullable, readOnly, schema } from 'portcullis/sdk';
import { guardrailList } from '../guardrails.ts';
import { metadataSchema } from '../metadata.ts';
import { settingsFieldsOf } from '../settings-body.ts';

export const workspaceFields = {
  name: { ...field.name(), 'x-required': true as const },
  icon: readOnly(nullable(field.text({ max: 64 }))),
  description: nullable(field.text({ max: 1024 })),
  is_default: field.flag(),
  defaults: schema.Partial(
    schema.Object({
      metadata: schema.Unsafe<JsonObject | null>(metadataSchema),
      input_guardrails: guardrailList(),
      output_guardrails: guardrailList(),
      user_api_key_config: nullable(field.id()),
      config_id: nullable(field.id()),
    }),
  ),
  usage_limits: limitField.usage(),
  rate_limits: limitField.rate(),
  ...settingsFieldsOf('workspace'),
  last_reset_at: readOnly(field.time()),
  creation_source: readOnly(field.text()),
  users: input(field.list(field.id(), { maxItems: 200 })),
  reset_usage: input(field.boolean()),
  force_delete: input(field.boolean()),
};
