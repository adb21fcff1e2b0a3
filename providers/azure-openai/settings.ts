import { azureAuthSettings, schema, secret, setting } from 'portcullis/sdk';

const deploymentName = '^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$';
const version = '^(v1|preview|latest|[0-9]{4}-[0-9]{2}-[0-9]{2}(-preview)?)$';

const deployment = schema.Object({
  deployment_id: schema.String({ pattern: deploymentName }),
  /** The model name that stands for the deployment in requests. */
  alias: schema.Optional(schema.String({ minLength: 1 })),
  api_version: schema.Optional(schema.String({ pattern: version })),
  /** The model that is deployed: it is priced as this one. */
  model: schema.Optional(schema.String({ minLength: 1, maxLength: 255 })),
  /** Serves the models that no alias names. */
  is_default: schema.Optional(schema.Boolean()),
});

export const settings = schema.Object({
  apiKey: schema.Optional(secret({ env: 'AZURE_OPENAI_API_KEY' })),
  azureResourceName: setting({
    pattern: '^[A-Za-z0-9][A-Za-z0-9-]{0,63}$',
    description: 'The part of the host before .openai.azure.com.',
  }),
  azureDeploymentId: schema.Optional(
    setting({ pattern: deploymentName, description: 'Default: the model name of the request.' }),
  ),
  azureModelName: schema.Optional(
    setting({ description: 'The model behind azure_deployment_id, where its name does not tell: o3-mini.' }),
  ),
  azureApiVersion: setting({ pattern: version, default: 'v1', description: 'v1, or the date of an older version.' }),
  ...azureAuthSettings,
  openaiBeta: schema.Optional(setting({ header: 'openai-beta' })),
  deployments: schema.Optional(schema.Array(deployment, { maxItems: 100 })),
});
