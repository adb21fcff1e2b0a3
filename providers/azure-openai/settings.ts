import { schema, secret, setting } from 'portcullis/sdk';

const deploymentName = '^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$';
const version = '^(v1|preview|latest|[0-9]{4}-[0-9]{2}-[0-9]{2}(-preview)?)$';
/** A tenant's id or one of its domains; it becomes part of the token URL. */
const tenant = '^[A-Za-z0-9][A-Za-z0-9.-]{0,252}$';

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
  azureApiVersion: setting({ pattern: version, default: 'v1', description: 'v1, or the date of an older version.' }),
  azureAuthMode: schema.Optional(
    schema.Union(['apiKey', 'entra', 'managed', 'workload', 'ad-token'].map((mode) => schema.Literal(mode))),
  ),
  azureAdToken: schema.Optional(secret({ description: 'A Microsoft Entra access token; sent as it is.' })),
  azureEntraTenantId: schema.Optional(setting({ env: 'AZURE_TENANT_ID', pattern: tenant })),
  azureEntraClientId: schema.Optional(setting({ env: 'AZURE_CLIENT_ID' })),
  azureEntraClientSecret: schema.Optional(secret({ env: 'AZURE_CLIENT_SECRET' })),
  azureEntraScope: setting({ default: 'https://cognitiveservices.azure.com/.default' }),
  openaiBeta: schema.Optional(setting({ header: 'openai-beta' })),
  deployments: schema.Optional(schema.Array(deployment, { maxItems: 100 })),
});
