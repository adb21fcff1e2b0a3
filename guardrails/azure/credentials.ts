import { field, type Static, schema, secret, setting } from 'portcullis/sdk';

/** The ways in which a resource knows who asks. */
const modes = ['apiKey', 'entra', 'managed'] as const;

const resource = schema.Object(
  {
    resourceName: schema.Optional(
      setting({ pattern: '^[A-Za-z0-9-]+$', description: 'As in https://NAME.cognitiveservices.azure.com.' }),
    ),
    customHost: schema.Optional(
      setting({ description: 'Base URL in the place of the resource, such as of a private link.' }),
    ),
    azureAuthMode: schema.Optional(field.oneOf(modes)),
    apiKey: schema.Optional(secret()),
    tenantId: schema.Optional(setting({ pattern: '^[A-Za-z0-9.-]+$' })),
    clientId: schema.Optional(setting()),
    clientSecret: schema.Optional(secret()),
  },
  { additionalProperties: false },
);

export const credentials = schema.Object(
  { contentSafety: schema.Optional(resource), pii: schema.Optional(resource) },
  { additionalProperties: false },
);

export type Credentials = Static<typeof credentials>;
export type Resource = Static<typeof resource>;
