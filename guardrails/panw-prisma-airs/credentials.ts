import { type Static, schema, secret, setting } from 'portcullis/sdk';

export const credentials = schema.Object(
  {
    AIRS_API_KEY: secret({ description: 'The API key of Strata Cloud Manager, sent as x-pan-token.' }),
    apiBase: schema.Optional(
      setting({
        pattern: '^https://service(-[a-z0-9]+)?\\.api\\.aisecurity\\.paloaltonetworks\\.com/?$',
        description:
          'The API of your region, such as https://service-de.api.aisecurity.paloaltonetworks.com; default: that of the United States.',
      }),
    ),
  },
  { additionalProperties: false },
);

export type Credentials = Static<typeof credentials>;
