import { azureAuthSettings, schema, secret, setting } from 'portcullis/sdk';

const hosts = [
  'services\\.ai\\.azure\\.com',
  'inference\\.ai\\.azure\\.com',
  'models\\.ai\\.azure\\.com',
  'openai\\.azure\\.com',
  'cognitiveservices\\.azure\\.com',
  'inference\\.ml\\.azure\\.com',
];

export const settings = schema.Object({
  apiKey: schema.Optional(secret({ env: 'AZURE_AI_API_KEY' })),
  azureFoundryUrl: schema.Optional(
    setting({
      env: 'AZURE_AI_ENDPOINT',
      // A path, but neither a query nor a port, and no segment that is a step up.
      pattern: `^https://(?:[A-Za-z0-9-]{1,63}\\.){1,4}(?:${hosts.join('|')})(?:/(?!\\.+(?:/|$))[A-Za-z0-9._-]+)*/?$`,
      description:
        'The endpoint: https://NAME.services.ai.azure.com, with or without /models, /openai/v1 or /anthropic; or that of a serverless or managed deployment.',
    }),
  ),
  azureEndpointName: schema.Optional(
    setting({
      pattern: '^[A-Za-z0-9][A-Za-z0-9-]{0,62}$',
      description: 'In the place of azure_foundry_url: the part of the host before .services.ai.azure.com.',
    }),
  ),
  azureDeploymentName: schema.Optional(
    setting({
      pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$',
      description: 'Default: the model name of the request. Managed endpoints: which of their deployments answers.',
    }),
  ),
  azureApiVersion: schema.Optional(
    setting({
      pattern: '^(v1|preview|latest|[0-9]{4}-[0-9]{2}-[0-9]{2}(-preview)?)$',
      description: 'v1, or the date of a version. Default: that of the endpoint.',
    }),
  ),
  azureExtraParams: setting({
    pattern: '^(drop|error|pass-through)$',
    default: 'drop',
    description: 'What the endpoint does with parameters that it does not know: drop, error or pass-through.',
  }),
  ...azureAuthSettings,
  anthropicVersion: setting({ header: 'anthropic-version', default: '2023-06-01' }),
  anthropicBeta: schema.Optional(setting({ header: 'anthropic-beta', description: 'Beta features, comma separated.' })),
});
