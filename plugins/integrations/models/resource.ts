import { field, nullable, type Resource, readOnly } from 'portcullis/sdk';

/** What is known of an integration's models. It has no routes of its own: the integration's have it. */
export const modelsResource: Resource = {
  name: 'integration_models',
  object: 'integration-model',
  title: 'Integration models',
  path: '/integration-models',
  owner: 'either',
  permission: 'organisation_integrations',
  operations: [],
  onWorkspaceRemoval: 'follow',
  columns: ['integration_id', 'model'],
  fields: {
    integration_id: readOnly(field.id()),
    model: readOnly(field.text()),
    name: readOnly(nullable(field.text())),
    enabled: readOnly(field.flag()),
    is_custom: readOnly(field.flag()),
    is_finetune: readOnly(field.flag()),
    base_model_slug: readOnly(nullable(field.text())),
    custom_host: readOnly(nullable(field.text({ max: 2048 }))),
    custom_headers: readOnly(nullable(field.secret())),
    masked_custom_headers: readOnly(nullable(field.object())),
    pricing_config: readOnly(nullable(field.object())),
  },
};
