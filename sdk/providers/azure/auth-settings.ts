import { schema, secret, setting } from '../../schema.ts';

/** A tenant's id or one of its domains; it becomes part of the token URL. */
const tenant = '^[A-Za-z0-9][A-Za-z0-9.-]{0,252}$';

/** How a resource knows who asks: settings of providers on this platform, for `azureAuth`. */
export const azureAuthSettings = {
  azureAuthMode: schema.Optional(
    schema.Union(['apiKey', 'entra', 'managed', 'workload', 'ad-token'].map((mode) => schema.Literal(mode))),
  ),
  azureAdToken: schema.Optional(secret({ description: 'A Microsoft Entra access token; sent as it is.' })),
  azureEntraTenantId: schema.Optional(setting({ env: 'AZURE_TENANT_ID', pattern: tenant })),
  azureEntraClientId: schema.Optional(setting({ env: 'AZURE_CLIENT_ID' })),
  azureEntraClientSecret: schema.Optional(secret({ env: 'AZURE_CLIENT_SECRET' })),
  azureEntraScope: setting({
    kept: 'always',
    default: 'https://cognitiveservices.azure.com/.default',
    pattern: '^[A-Za-z0-9:/._-]+$',
    description: 'What a token is asked for, in the modes entra, managed and workload.',
  }),
  azureManagedClientId: schema.Optional(
    setting({ description: 'Of an identity that the machine was assigned. Default: its own.' }),
  ),
  azureWorkloadClientId: schema.Optional(setting({ description: 'Default: the AZURE_CLIENT_ID of the machine.' })),
};
