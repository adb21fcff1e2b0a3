import { field, limitField, type Resource, readOnly } from 'portcullis/sdk';

/** Which workspaces may use an integration of the organisation. It has no routes of its own: the integration's have it. */
export const grantsResource: Resource = {
  name: 'integration_workspaces',
  object: 'integration-workspace',
  title: 'Integration workspaces',
  path: '/integration-workspaces',
  owner: 'workspace',
  permission: 'organisation_integrations',
  operations: [],
  onWorkspaceRemoval: 'follow',
  columns: ['integration_id', 'enabled'],
  fields: {
    integration_id: readOnly(field.id()),
    enabled: readOnly(field.flag()),
    usage_limits: readOnly(limitField.usage()),
    rate_limits: readOnly(limitField.rate()),
    last_reset_at: readOnly(field.time()),
  },
};
